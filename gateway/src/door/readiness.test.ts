import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'

describe('/readyz', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await startHarness()
  })
  afterEach(() => harness.close())

  it('stays 200 without networks and without the bus, and names them', async () => {
    harness.upstream.chainsDown = true
    await harness.bus.close()

    const { status, body } = await harness.call('GET', '/readyz')

    assert.deepEqual([status, body.status, body.degraded], [200, 'ready', ['bus', 'BASE_SEPOLIA', 'SKALE_TESTNET']])
    assert.deepEqual(body.checks, { mongodb: true, bus: false, BASE_SEPOLIA: false, SKALE_TESTNET: false })
  })

  it('is 503 while the gateway drains, which ends its connections', async () => {
    let answer = () => {}
    const arrived = new Promise<void>(resolve => {
      harness.upstream.answer = (_seen, response) => {
        answer = () => json(response, 200, {})
        resolve()
      }
    })
    const { hostname, port } = new URL(harness.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', chunk => (text += chunk))
    socket.write(`GET /api/gigs HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
    await arrived

    const closed = harness.gateway.close()
    socket.write(`GET /readyz HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
    answer()
    await once(socket, 'close')
    await closed

    assert.match(text, /^HTTP\/1\.1 200 /)
    const second = text.slice(text.lastIndexOf('HTTP/1.1 '))
    assert.match(second, /^HTTP\/1\.1 503 /)
    assert.match(second, /connection: close/i)
    assert.match(second, /about to end/)
  })
})
