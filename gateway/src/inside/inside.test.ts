import assert from 'node:assert/strict'
import { newWallet, until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('a call that is made inside', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ X402_PAY_TO_ADDRESS: newWallet() })
  })
  after(() => harness.close())

  /** Calls a tool whose service does not answer, and disconnects once that has the call; resolves when the service sees the end of it. */
  const leave = async (params: object) => {
    let [has, sees] = [false, false]
    harness.upstream.answer = (_seen, response) => {
      has = true
      response.on('close', () => {
        sees = true
      })
    }
    const client = new AbortController()
    const sent = fetch(`${harness.url}/mcp`, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      signal: client.signal,
    })
    await until('the service has the call', () => has)
    client.abort()
    await assert.rejects(sent)
    await until('the service sees the end of it', () => sees)
  }

  it('ends when the client of its outer request goes away', async () => {
    await leave({ name: 'list_gigs', arguments: {} })
  })

  it('leaves its payment a credit when that client goes away', async () => {
    const payment = { x402Version: 2, payload: {} }
    await leave({ name: 'check_eligibility', arguments: { wallet: newWallet() }, _meta: { 'x402/payment': payment } })

    assert.deepEqual(await until('treasury is notified', () => harness.upstream.closed[0]), { served: false })
  })
})
