import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { Pool } from 'undici'
import { closeServer, drainServer, fastExpress, listen } from '../http/server.ts'
import { greetedConnections } from './greeted-connections.ts'
import { maySendAgain } from './send-again.ts'

describe('a connection to a service', () => {
  const opened: { close(): unknown }[] = []
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close()
  })
  const write = (url: string, timeoutMs = 5_000) => {
    const pool = new Pool(url, { connections: 1, ...greetedConnections(timeoutMs) })
    opened.push({ close: () => pool.destroy() })
    return pool.request({ method: 'POST', path: '/', body: '{}' }).then(async ({ statusCode, body }) => [statusCode, await body.json()])
  }
  /** What a client meets that is no service. Resolves to its address. */
  const listening = async (server: Server) => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    opened.push(server)
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const service = async () => {
    const { app, server } = fastExpress()
    app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
    app.post('/', (_request, response) => void response.json({ written: true }))
    const url = await listen(server, 0, '127.0.0.1')
    opened.push({ close: () => closeServer(server, 0) })
    return { server, url }
  }

  it('is used once the service has answered on it', async () => {
    const { url } = await service()

    assert.deepEqual(await write(url), [200, { written: true }])
  })

  it('is used while the service drains', async () => {
    const { server, url } = await service()
    drainServer(server)

    assert.deepEqual(await write(url), [200, { written: true }])
  })

  for (const [title, behave, timeoutMs] of [
    ['is reset before anybody accepts it', 'resetAndDestroy', 5_000],
    ['is ended without an answer', 'end', 5_000],
    ['is not answered', undefined, 100],
  ] as const) {
    it(`that ${title} has carried nothing of a write, which may be sent again`, async () => {
      const got: Buffer[] = []
      const url = await listening(
        createTcpServer(socket => {
          socket.on('data', chunk => got.push(chunk)).on('error', () => undefined)
          if (behave) socket[behave]()
        }),
      )

      await assert.rejects(write(url, timeoutMs), (error: unknown) => maySendAgain(false, error))
      assert.doesNotMatch(Buffer.concat(got).toString(), /POST/)
    })
  }

  it('to an address where nobody listens has carried nothing either', async () => {
    const server = createTcpServer()
    const url = await listening(server)
    server.close()
    opened.pop()

    await assert.rejects(write(url), (error: unknown) => maySendAgain(false, error))
  })
})
