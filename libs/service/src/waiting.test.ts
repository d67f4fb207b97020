import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import {
  acquireBroker,
  type Broker,
  type OwnBroker,
  type OwnMongo,
  ownMongo,
  type Program,
  startOwnBroker,
  startProgram,
  until,
} from '@carapace/testing'
import getPort from 'get-port'
import { internalKey, signed } from './testing/things.fixture.ts'

const file = fileURLToPath(new URL('testing/run.fixture.js', import.meta.url))
const nobody = 'amqp://127.0.0.1:1'
/** On a busy disk: the first process on a broker declares the queues of all services, each of which the broker writes down. */
const declaredSeconds = 120

describe('a process whose database or broker is not there', function () {
  this.timeout(300_000)
  let mongo: OwnMongo
  let program: Program | undefined
  let url: string

  beforeEach(async () => {
    mongo = await ownMongo()
  })
  afterEach(async () => {
    program?.child.kill('SIGKILL')
    program = undefined
    await mongo.remove()
  })

  const startWith = async (more: Record<string, string>) => {
    const port = await getPort({ host: '127.0.0.1' })
    url = `http://127.0.0.1:${port}`
    program = startProgram(file, { PORT: String(port), INTERNAL_KEY: internalKey, MONGODB_URI: mongo.uri, ...more })
    await until('it listens', () => fetch(`${url}/healthz`))
    return program
  }
  const get = async (path: string) => {
    const answer = await fetch(url + path)
    const body = (await answer.json()) as { code?: string; checks: Record<string, boolean> }
    return { status: answer.status, body }
  }
  const make = (title: string) =>
    fetch(`${url}/api/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed() },
      body: JSON.stringify({ title }),
    })
  const becomes = (expected: { status: number; mongodb?: boolean; bus?: boolean }) =>
    until(
      `readiness is ${JSON.stringify(expected)}`,
      async () => {
        const { status, body } = await get('/readyz')
        const checks = Object.fromEntries(Object.keys(expected).map(name => [name, name === 'status' ? status : body.checks[name]]))
        assert.deepEqual(checks, expected)
        return true
      },
      declaredSeconds,
    )
  /** Events, not deliveries: one whose acknowledgement was lost comes again. */
  const handled = ({ lines }: Program) => new Set(lines.flatMap(({ event, id }) => (event === 'social.thing.made.v1' ? [id] : []))).size
  const says = (running: Program, message: string) => until(message, () => running.lines.some(({ msg }) => msg === message))

  describe('without a database', () => {
    let broker: Broker

    before(async function () {
      this.timeout(240_000)
      broker = await acquireBroker()
    })
    after(() => broker?.stop())

    it('lives, names it, and starts when it is there; it survives that the database goes away', async () => {
      const running = await startWith({ AMQP_URL: broker.url })

      await becomes({ status: 503, mongodb: false })
      await says(running, 'the start waits')
      assert.deepEqual(await get('/healthz'), { status: 200, body: { status: 'ok' } })
      const refused = await get('/api/things/x')
      assert.deepEqual([refused.status, refused.body.code], [503, 'DEPENDENCY_UNAVAILABLE'])

      await mongo.start()
      await becomes({ status: 200, mongodb: true, bus: true })
      assert.equal((await make('a')).status, 201)
      await until('its event is handled', () => handled(running) === 1)

      await mongo.stop()
      await becomes({ status: 503, mongodb: false })
      assert.equal((await get('/healthz')).status, 200)

      await mongo.start()
      await becomes({ status: 200, mongodb: true })
      assert.equal((await make('b')).status, 201)
      await until('its event is handled', () => handled(running) === 2)
      assert.equal(await running.terminate(), 0)
    })

    it('ends at SIGTERM while it waits', async () => {
      const running = await startWith({ AMQP_URL: broker.url })
      await says(running, 'the start waits')

      assert.equal(await running.terminate(), 0)
      assert.equal(running.errors(), '')
    })

    it('ends at SIGTERM while a database accepts connections and says nothing', async () => {
      const silent: Server = createServer(() => undefined)
      await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
      const { port } = silent.address() as { port: number }
      const running = await startWith({ AMQP_URL: broker.url, MONGODB_URI: `mongodb://127.0.0.1:${port}` })

      await running.terminate()

      silent.close()
    })
  })

  describe('without a broker', () => {
    let broker: OwnBroker

    before(async function () {
      this.timeout(240_000)
      broker = await startOwnBroker()
    })
    after(() => broker?.stop())

    it('serves, says what it lacks, and publishes when it is there; it survives that the broker goes away', async () => {
      await mongo.start()
      // only the queues of declared services exist before their first consumer, and this service is none of them
      const first = await startWith({ AMQP_URL: broker.url })
      await becomes({ status: 200, bus: true })
      await first.terminate()
      await broker.kill9()
      const running = await startWith({ AMQP_URL: broker.url })

      await becomes({ status: 200, mongodb: true, bus: false })
      assert.equal((await make('a')).status, 201)
      assert.equal(handled(running), 0)

      await broker.restart()
      await becomes({ status: 200, bus: true })
      await until('its event is handled', () => handled(running) === 1)

      await broker.kill9()
      await becomes({ status: 200, bus: false })
      assert.equal((await make('b')).status, 201)

      await broker.restart()
      await until('its event is handled', () => handled(running) === 2)
      assert.equal(await running.terminate(), 0)
    })

    it('ends at SIGTERM while it waits', async () => {
      await mongo.start()
      const running = await startWith({ AMQP_URL: nobody })
      await becomes({ status: 200, bus: false })

      assert.equal(await running.terminate(), 0)
      assert.equal(running.errors(), '')
    })
  })
})
