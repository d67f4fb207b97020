import assert from 'node:assert/strict'
import type { StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import {
  acquireBroker,
  acquireMongo,
  type Broker,
  type OtlpSink,
  type Program,
  startOtlpSink,
  startProgram,
  type TestMongo,
  until,
} from '@carapace/testing'
import { internalKey, signed } from './testing/things.fixture.ts'

const file = fileURLToPath(new URL('testing/run.fixture.js', import.meta.url))

describe('a service as a process of its own', function () {
  this.timeout(120_000)
  let broker: Broker
  let mongo: TestMongo
  let sink: OtlpSink

  before(async function () {
    this.timeout(240_000)
    broker = await acquireBroker()
    mongo = await acquireMongo()
    sink = await startOtlpSink()
  })
  after(async () => {
    await sink?.close()
    await mongo?.close()
    await broker?.stop()
  })

  const start = (environment: Record<string, string | undefined>, stdio?: StdioOptions) => startProgram(file, environment, stdio)
  const right = () => ({
    PORT: '0',
    INTERNAL_KEY: internalKey,
    AMQP_URL: broker.url,
    MONGODB_URI: mongo.uri,
    DB_PREFIX: mongo.prefix,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${sink.url}/`,
  })

  const wrong: [what: string, change: Record<string, string | undefined>, says: RegExp][] = [
    ['a wrong variable', { LOG_LEVEL: 'loud' }, /^LOG_LEVEL .*"info"/],
    ['a missing variable', { INTERNAL_KEY: undefined }, /^INTERNAL_KEY is not set: /],
    ['a port that is taken', {}, /EADDRINUSE/],
    ['an address of a database that is none', { MONGODB_URI: 'mongodb://127.0.0.1:port' }, /Unable to parse/],
  ]
  for (const [what, change, says] of wrong)
    it(`does not start with ${what}, says why in one line and ends`, async () => {
      const usedPort = what.includes('port') ? { PORT: new URL(sink.url).port } : {}
      const program = start({ ...right(), ...usedPort, ...change })

      const [code] = await once(program.child, 'exit')

      assert.equal(code, 1)
      assert.match(program.errors(), says)
      assert.equal(program.errors().trim().split('\n').length, 1, program.errors())
    })

  it('answers, exports one trace over HTTP, outbox, broker and consumer, and ends in order at SIGTERM', async () => {
    const program = start(right())
    const ready = await until('it is ready', () => program.lines.find(line => line.msg === 'ready'), 60)
    const traceId = 'e'.repeat(32)
    const post = (title: string) =>
      fetch(`${ready.url}/api/things`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-${'f'.repeat(16)}-01`, ...signed() },
        body: JSON.stringify({ title }),
      })
    await post('broken')
    await post('a')
    await until('its event is handled', () => program.lines.some(line => line.trace === traceId && line.event === 'social.thing.made.v1'))
    const slow = post('slow')
    await until('it runs', () => program.lines.some(line => line.msg === 'effect' && line.title === 'slow'))

    program.child.kill('SIGTERM')
    program.child.kill('SIGUSR2')

    assert.equal((await slow).status, 201)
    const [code] = await once(program.child, 'exit')
    assert.equal(code, 0)
    assert.equal(program.errors(), '')
    const own = sink.spans.filter(span => span.traceId === traceId)
    assert.deepEqual([...new Set(own.map(span => span.name))].sort(), [
      'POST /api/things',
      'process social.thing.made.v1',
      'send social.thing.made.v1',
    ])
    const statuses = own.flatMap(({ attributes }) => attributes['http.response.status_code'] ?? [])
    assert.deepEqual(statuses.sort(), [201, 201, 500])
  })

  /** Whose channel to us is cut, as by our death. */
  const orphan = async ({ child }: Program) => {
    child.disconnect()
    await until('it has ended', () => child.exitCode !== null, 8)
  }
  const supervised: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc']

  it('ends after its supervisor, also when a request never does', async () => {
    const program = start(right(), supervised)
    const ready = await until('it is ready', () => program.lines.find(line => line.msg === 'ready'), 60)
    const headers = { 'content-type': 'application/json', ...signed() }
    const slow = fetch(`${ready.url}/api/things`, { method: 'POST', headers, body: JSON.stringify({ title: 'slow' }) }).catch(() => 'cut')
    await until('it runs', () => program.lines.some(line => line.msg === 'effect' && line.title === 'slow'))

    await orphan(program)

    assert.equal(await slow, 'cut')
  })

  it('ends after its supervisor, also in the middle of a start that gets stuck', async () => {
    const silent = createTcpServer(() => undefined)
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const uri = `mongodb://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const program = start({ ...right(), MONGODB_URI: uri }, supervised)
    await once(silent, 'connection')

    await orphan(program)

    silent.close()
  })
})
