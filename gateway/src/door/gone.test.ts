import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { makeLog } from '@carapace/service'
import { type FaultProxy, startFaultProxy, until } from '@carapace/testing'
import { startWorld, type World } from '../testing/world.ts'

describe('a client that goes away while identity is asked who it is', () => {
  let world: World
  let faults: FaultProxy
  const lines: string[] = []
  before(async () => {
    let target = ''
    const log = makeLog({ process: 'gateway', level: 'info', destination: { write: line => void lines.push(line) } })
    world = await startWorld({}, { address: () => target, log })
    faults = await startFaultProxy({ port: world.upstream.port })
    target = `http://127.0.0.1:${faults.port}`
  })
  after(async () => {
    await world.close()
    await faults.close()
  })

  /** Asks for this while identity does not answer, goes away, and only then does identity answer. */
  const leave = async (line: string, rest: string[]) => {
    const { agentId, wallet } = world.agent()
    faults.reset()
    await until('no connection is left', () => faults.connections() === 0)
    faults.hold()
    const client = connect(Number(new URL(world.url).port), '127.0.0.1')
    client.write([line, 'host: x', `x-agent-id: ${agentId}`, `x-wallet-address: ${wallet}`, ...rest].join('\r\n'))
    await until('identity is asked', () => faults.connections() > 0)
    await new Promise<void>(resolve => client.once('close', () => resolve()).destroy())
    // its end has arrived before whatever is asked later
    await world.call('GET', '/health')
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
    assert.equal(world.upstream.seen.length, 0)
  })

  it('after its whole request: no service hears of it', async () => {
    await leave('GET /api/gigs/0190a5d0-0000-7000-8000-000000000001 HTTP/1.1', ['', ''])

    await isLogged('/api/gigs/:id')
    assert.equal(world.upstream.seen.length, 0)
  })
})
