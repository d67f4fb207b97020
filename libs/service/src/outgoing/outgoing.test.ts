import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { type OutgoingOptions, OutgoingRefused, sendOutgoing } from './outgoing.ts'
import { isPublicAddress } from './public-address.ts'

const get = { method: 'GET' as const, headers: {} }

describe('an outgoing request', () => {
  let server: Server
  let received: IncomingMessage[]
  let answer: RequestListener

  beforeEach(async () => {
    received = []
    answer = (_, response) => response.end('ok')
    server = createServer((request, response) => {
      received.push(request)
      answer(request, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  const port = () => (server.address() as AddressInfo).port
  const send = (url: string, options: OutgoingOptions) => sendOutgoing(new URL(url), get, options)
  const local: OutgoingOptions = { allowsLoopback: true }

  it('goes to no address that is private, local or reserved, however it is written', async () => {
    const hosts = [
      ...['127.0.0.1', '0177.0.0.1', '0x7f.1', '2130706433', '127.1', '0', '10.0.0.1', '012.0.0.1', '172.16.0.1', '192.168.0.1'],
      ...['169.254.169.254', '0251.0376.0251.0376', '100.64.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.1'],
      ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
      ...['[2002:7f00:1::]', '[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[ff02::1]', 'localhost'],
      ...['168.63.129.16', '１２７.０.０.１', '127。0。0。1', '[::ffff:0:7f00:1]', '[::ffff:0:0:7f00:1]', '[5f00::1]', '[4000::1]', '[3fff::1]'],
      ...['[64:ff9b:1::7f00:1]', '[100::1]', '[2001::1]', '[2001:db8::1]', '[fec0::1]'],
    ]
    for (const host of hosts) await assert.rejects(send(`https://${host}:${port()}/`, {}), OutgoingRefused, host)
    assert.equal(received.length, 0)
  })

  it('go to port 443 alone, beyond this machine', async () => {
    for (const url of ['https://93.184.216.34:8443/', 'https://[2606:4700::1]:22/']) await assert.rejects(send(url, {}), /only port 443/, url)
  })

  it('goes nowhere when one of the addresses of a name is not public', async () => {
    const resolve = async () => ['93.184.216.34', '10.0.0.1'].map(address => ({ address, family: 4 }))

    await assert.rejects(send('https://name.test/', { resolve }), OutgoingRefused)
  })

  it('resolves a name once, and connects to what that gave', async () => {
    let resolved = 0
    const resolve = async () => {
      resolved++
      return [{ address: resolved === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
    }

    const { status, body } = await send(`http://rebound.test:${port()}/`, { ...local, resolve })

    assert.deepEqual([status, String(body), resolved, received[0]?.headers.host], [200, 'ok', 1, `rebound.test:${port()}`])
  })

  it('is not sent in the clear, but to this machine where that is allowed', async () => {
    await assert.rejects(send(`http://127.0.0.1:${port()}/`, {}), OutgoingRefused)
    await assert.rejects(send('http://93.184.216.34/', local), OutgoingRefused)
    assert.equal((await send(`http://[::ffff:127.0.0.1]:${port()}/`, local)).status, 200)
  })

  it('follows no redirect', async () => {
    answer = (_, response) => response.writeHead(302, { location: `http://127.0.0.1:${port()}/inside` }).end()

    assert.equal((await send(`http://127.0.0.1:${port()}/`, local)).status, 302)
    assert.deepEqual(
      received.map(({ url }) => url),
      ['/'],
    )
  })

  it('fails where its answer is too long or breaks off', async () => {
    answer = (_, response) => response.end('x'.repeat(70_000))
    await assert.rejects(send(`http://127.0.0.1:${port()}/`, local), /longer than/)
    answer = (_, response) => response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy())
    await assert.rejects(send(`http://127.0.0.1:${port()}/`, local))
  })

  it('fails where its receiver changes the protocol', async () => {
    server.on('connection', socket => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'))

    await assert.rejects(send(`http://127.0.0.1:${port()}/`, local), /without an answer/)
  })

  it('fails after 5 s, also where its name is never resolved', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const failed = assert.rejects(send('https://name.test/', { resolve: () => new Promise(() => {}) }), /within 5000 ms/)
      mock.timers.tick(5_000)
      await failed
    } finally {
      mock.timers.reset()
    }
  })

  it('goes to a name that only this machine knows, where loopback is allowed', async () => {
    assert.equal((await send(`http://localhost:${port()}/`, local)).status, 200)
  })

  it('refuses a private name and an unknown one in the same words', async () => {
    const refused = (resolve: OutgoingOptions['resolve']) =>
      send('https://name.test/', { resolve }).then(
        () => assert.fail(),
        ({ name, message }: Error) => `${name} ${message}`,
      )

    assert.equal(await refused(async () => [{ address: '10.0.0.1', family: 4 }]), await refused(() => Promise.reject(new Error('ENOTFOUND'))))
  })

  it('leaves the threads that files need to others while a name is resolved', async () => {
    const lookups = () => process.getActiveResourcesInfo().filter(name => name === 'GetAddrInfoReqWrap').length
    const before = lookups()
    const failed = assert.rejects(send('https://name.invalid/', {}), OutgoingRefused)

    assert.equal(lookups(), before)
    await failed
  })

  it('counts only public addresses as public', () => {
    const others = [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '192.168.0.1',
      '::1',
      'fd00::1',
      'fe80::1',
      '::ffff:127.0.0.1',
      '',
      'x',
      '0.0.0.0',
      '224.0.0.1',
    ]

    for (const address of others) assert.equal(isPublicAddress(address), false, address)
    for (const address of ['140.82.121.6', '8.8.8.8', '2606:50c0:8000::64', '2a00:1450:4001::1', '::ffff:8.8.8.8'])
      assert.equal(isPublicAddress(address), true, address)
  })
})
