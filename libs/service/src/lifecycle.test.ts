import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { inProcessBus, quiet, rabbitBus } from '@carapace/bus'
import { until } from '@carapace/testing'
import getPort from 'get-port'
import { closeServer, drainServer, fastExpress, listen } from './http/server.ts'
import { startThings } from './testing/start-things.fixture.ts'

describe('the life of a service', () => {
  it('is reported by /healthz, /readyz and /metrics', async () => {
    const service = await startThings()

    await service.post('/api/things', { title: 'a' })

    const ready = await service.call('GET', '/readyz')
    assert.deepEqual((await service.call('GET', '/healthz')).body, { status: 'ok' })
    assert.deepEqual([ready.status, ready.body], [200, { status: 'ready', checks: { mongodb: true, started: true, bus: true }, degraded: [] }])
    const metrics = (await service.call('GET', '/metrics')).text
    assert.match(metrics, /http_server_request_duration_seconds_count\{.*http_route="\/api\/things".*status_code="201".*\} 1/)
    assert.match(metrics, /outbox_lag_seconds\{service_name="social"\} \d/)
    await service.close()
  })

  it('is ready without its bus, and names it', async () => {
    const bus = inProcessBus({ log: quiet })
    const service = await startThings({ bus })

    await bus.close()

    const { status, body } = await service.call('GET', '/readyz')
    assert.deepEqual([status, body.status, body.degraded, body.checks.mongodb], [200, 'ready', ['bus'], true])
    assert.equal((await service.call('GET', '/api/things/x')).status, 200)
    await service.close()
  })

  it('is not ready without its database, and lives', async () => {
    const service = await startThings()
    service.platform.db.ready = () => false

    const { status, body } = await service.call('GET', '/readyz')

    assert.deepEqual([status, body.status, body.checks.mongodb], [503, 'not ready', false])
    assert.equal((await service.call('GET', '/healthz')).status, 200)
    await service.close()
  })

  it('serves reads and reports its health while it waits for its broker', async () => {
    const bus = rabbitBus({ log: quiet, url: 'amqp://127.0.0.1:1', service: 'test' })
    const port = await getPort({ host: '127.0.0.1' })
    const url = `http://127.0.0.1:${port}`
    const starting = startThings({ bus, runtime: { port } })
    const failed = assert.rejects(starting, /closed/)

    const read = await until('it serves', () => fetch(`${url}/api/things/x`))

    assert.equal(read.status, 200)
    const ready = await fetch(`${url}/readyz`)
    const expected = { status: 'ready', checks: { mongodb: true, started: true, bus: false }, degraded: ['bus'] }
    assert.deepEqual([ready.status, await ready.json()], [200, expected])
    await bus.close()
    await failed
    await assert.rejects(fetch(`${url}/healthz`))
  })

  it('lets requests wait until the first records are there', async () => {
    const port = await getPort({ host: '127.0.0.1' })
    const order: string[] = []
    let readyBefore: number | undefined
    const started = async () => {
      const read = fetch(`http://127.0.0.1:${port}/api/things/x`).then(() => order.push('answered'))
      await until('it listens', async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok)
      readyBefore = (await fetch(`http://127.0.0.1:${port}/readyz`)).status
      order.push('first records')
      return { close: () => read.then(() => {}) }
    }

    const service = await startThings({ runtime: { port }, more: { started } })
    await service.close()

    assert.deepEqual([readyBefore, order], [503, ['first records', 'answered']])
  })

  it('leaves nothing open when it cannot start', async () => {
    const bus = inProcessBus({ log: quiet })
    const port = await getPort({ host: '127.0.0.1' })
    const refuses = { bus, runtime: { port }, more: { started: () => Promise.reject(new Error('no first record')) } }

    await assert.rejects(startThings(refuses), /no first record/)

    // its port is free again
    const service = await startThings({ bus, runtime: { port } })
    await assert.rejects(startThings({ bus, runtime: { port } }), /EADDRINUSE/)
    await service.close()
    await bus.close()
  })

  it('ends after the requests that run, on persistent connections too', async () => {
    const service = await startThings()
    await service.call('GET', '/api/things/x')
    const running = service.post('/api/things', { title: 'slow' })
    await until('it runs', () => service.harness.effects.length === 1)

    const before = performance.now()
    const closed = service.close()

    assert.equal((await running).status, 201)
    await closed
    assert.ok(performance.now() - before < 5_000)
    await assert.rejects(service.call('GET', '/healthz'))
  })

  it('serves reads until its events and jobs have ended, and announces the close on each connection', async () => {
    const bus = inProcessBus({ log: quiet })
    const service = await startThings({ bus })
    await service.post('/api/things', { title: 'slow event' })
    await until('the event waits in its handler', async () => (await service.platform.db.connection.collection('outbox').countDocuments()) === 1)
    assert.notEqual((await service.call('GET', '/api/things/x')).headers.get('connection'), 'close')

    const closed = service.close({ leaveGateClosed: true })
    const ready = await until('it drains', async () => {
      const answer = await service.call('GET', '/readyz')
      return answer.status === 503 && answer
    })
    const read = await service.call('GET', '/api/things/x')
    service.harness.openGate()
    await closed

    assert.equal(ready.body.status, 'draining')
    assert.deepEqual([read.status, read.headers.get('connection')], [200, 'close'])
    await assert.rejects(service.call('GET', '/api/things/x'))
    await bus.close()
  })

  it('answers with what it has when it ends: nothing waits for an outcome that it can no longer receive', async () => {
    const service = await startThings()
    const waiting = service.platform.wait('things', 'x', async () => undefined, 3_600_000)

    await service.close()

    assert.equal(await waiting, undefined)
  })

  it('ends after the events that are handled, and with an empty outbox', async () => {
    const bus = inProcessBus({ log: quiet })
    const service = await startThings({ bus })
    await service.post('/api/things', { title: 'slow event' })
    const outbox = service.platform.db.connection.collection('outbox')
    await until('the event waits in its handler', async () => (await outbox.countDocuments()) === 1)
    let left: number | undefined
    const { close } = service.platform.db
    service.platform.db.close = async () => {
      left = await outbox.countDocuments()
      await close()
    }

    await service.close()

    assert.deepEqual(service.harness.received, ['slow event'])
    assert.equal(left, 0)
    await bus.close()
  })

  it('serves what comes on an idle connection while it lingers, then closes it', async () => {
    const { app, server } = fastExpress()
    app.post('/', (_request, response) => void response.json('served'))
    const url = new URL(await listen(server, 0, '127.0.0.1'))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const post = async () => {
      const [answer] = (await once(request(url, { method: 'POST', agent }).end(), 'response')) as [IncomingMessage]
      const port = answer.socket.localPort
      return { text: String(Buffer.concat(await answer.toArray())), headers: answer.headers, port }
    }
    const first = await post()

    drainServer(server)
    const closing = closeServer(server, 10_000, 10_000)
    const second = await post()
    // the last connection has ended: nothing more is waited for
    await closing

    assert.equal(first.headers['keep-alive'], 'timeout=3')
    assert.deepEqual([second.text, second.headers.connection, second.port], ['"served"', 'close', first.port])
    await assert.rejects(post(), { code: 'ECONNREFUSED' })
  })

  it('cuts requests that outlast its patience', async () => {
    const { app, server } = fastExpress()
    app.get('/', () => {})
    const url = await listen(server, 0, '127.0.0.1')
    const hanging = assert.rejects(fetch(url))
    await until('it runs', () => new Promise<boolean>(resolve => server.getConnections((_error, count) => resolve(count > 0))))

    await closeServer(server, 50)

    await hanging
  })
})
