import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { makeLog } from '@carapace/service'
import { type FaultProxy, startFaultProxy, until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('a client that disconnects while identity resolves it', () => {
  let harness: Harness
  let faults: FaultProxy
  const lines: string[] = []
  before(async () => {
    let target = ''
    const log = makeLog({ process: 'gateway', level: 'info', destination: { write: line => void lines.push(line) } })
    harness = await startHarness({}, { address: () => target, log })
    faults = await startFaultProxy({ port: harness.upstream.port })
    target = `http://127.0.0.1:${faults.port}`
  })
  after(async () => {
    await harness.close()
    await faults.close()
  })

  /** Sends this while identity does not answer, and disconnects; only then does identity answer. */
  const leave = async (line: string, rest: string[]) => {
    const { agentId, wallet } = harness.agent()
    faults.reset()
    await until('no connection is left', () => faults.connections() === 0)
    faults.hold()
    const client = connect(Number(new URL(harness.url).port), '127.0.0.1')
    client.write([line, 'host: localhost', `x-agent-id: ${agentId}`, `x-wallet-address: ${wallet}`, ...rest].join('\r\n'))
    await until('identity is called', () => faults.connections() > 0)
    await new Promise<void>(resolve => client.once('close', () => resolve()).destroy())
    // its end has arrived before any later request
    await harness.call('GET', '/health')
    faults.pass()
  }
  const logged = (route: string) => lines.map(line => JSON.parse(line)).find(line => line.route === route)
  const isLogged = async (route: string) => {
    await until('it is in the log', () => logged(route) !== undefined)
    assert.equal(logged(route).status, 499)
  }

  it('in the middle of its body: its request ends and is in the log', async () => {
    await leave('POST /api/gigs HTTP/1.1', ['content-type: application/json', 'content-length: 100', '', '{"title":'])

    await isLogged('/api/gigs')
    assert.equal(harness.upstream.seen.length, 0)
  })

  it('after its whole request: no service receives it', async () => {
    await leave('GET /api/gigs/0190a5d0-0000-7000-8000-000000000001 HTTP/1.1', ['', ''])

    await isLogged('/api/gigs/:id')
    assert.equal(harness.upstream.seen.length, 0)
  })
})
