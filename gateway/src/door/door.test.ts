import assert from 'node:assert/strict'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('the door', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('hands a request to its service with a signed context and gives the answer back', async () => {
    const agent = harness.agent()

    const answer = await harness.call('POST', '/api/gigs?x=1', {
      headers: { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet.toLowerCase(), 'idempotency-key': '"k-1"' },
      body: { title: 'x' },
    })

    assert.equal(answer.status, 200)
    const seen = harness.upstream.seen.at(-1)!
    assert.deepEqual([seen.method, seen.url, seen.body.toString()], ['POST', '/api/gigs?x=1', '{"title":"x"}'])
    assert.deepEqual(seen.context?.agent, { kind: 'agent', agentId: agent.agentId, wallet: agent.wallet })
    assert.equal(seen.context?.idempotencyKey, 'k-1')
    assert.equal(seen.headers['x-request-id'], answer.headers.get('x-request-id'))
  })
})
