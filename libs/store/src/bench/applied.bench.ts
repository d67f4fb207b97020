import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { event } from '@carapace/api'
import { inProcessBus, quiet, rabbitBus } from '@carapace/bus'
import { acquireBroker, acquireMongo, type Broker, quantile, reportFigure } from '@carapace/testing'
import { connect } from 'amqplib'
import { z } from 'zod'
import { aggregateStore, type Database, openDatabase, projection, startRelay } from '../index.ts'

/**
 * The time from the commit of an aggregate to the end of the handler that applies its event: in process, and over RabbitMQ at 1,000 events a second,
 * written, published and consumed by processes of their own as services are, with bare amqplib (1,000 a second, window 100) before it. The embedded
 * engine runs in a process of its own, as it does in the embedded start.
 */
const inProcessEvents = 3_000
const perSecond = 1_000
const events = 6_000
/** The first of them only warm up. */
const warmUp = 1_000
/** So many that no write meets the one before it. */
const aggregates = 2_000
const queue = { name: 'carapace.bench', exchange: 'events', bindings: ['bench.#'] } as const

interface Place {
  uri: string
  prefix: string
}
interface Thing {
  id: string
  step: number
}
interface Row {
  step: number
  text: string
}
type Times = [step: number, atMs: number][]
const stepped = event('bench.thing.stepped', 'id', 'For the bench', { id: z.string(), step: z.number(), text: z.string() })
const draft = (id: string, step: number) => stepped.of({ id, step, text: 'x'.repeat(200) })

const roles: Record<string, (...args: string[]) => Promise<void>> = { mongo: serveMongo, consumer: serveConsumer }
const [role, ...args] = process.argv.slice(2)
await (role ? roles[role]!(...args) : main())

async function main(): Promise<void> {
  const [engine, mongo] = await started<Place>('mongo')
  await inProcess(mongo)
  const broker = await acquireBroker()
  const bare = await bareAmqplib(broker)
  const applied = await overRabbit(mongo, broker)
  console.log(`bare amqplib, ${perSecond} events/s, window 100: ${shown(bare)}`)
  console.log(`commit to applied over RabbitMQ, ${perSecond} events/s: ${shown(applied.latencies)} (wanted p50 8, p99 40)`)
  reportFigure('events.p50', [quantile(applied.latencies, 0.5)])
  reportFigure('events.p99', [quantile(applied.latencies, 0.99)])
  console.log(`  CPU for each event: writer and relay ${applied.writerMicros} µs, consumer ${applied.consumerMicros} µs`)
  await broker.stop()
  engine.disconnect()
}

function shown(latencies: readonly number[]): string {
  return `p50 ${quantile(latencies, 0.5).toFixed(2)} ms, p99 ${quantile(latencies, 0.99).toFixed(2)} ms`
}

/** The same clock in all processes of the machine. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

async function started<Ready>(name: string, ...more: string[]): Promise<[ChildProcess, Ready]> {
  const child = fork(fileURLToPath(import.meta.url), [name, ...more])
  const [ready] = (await once(child, 'message')) as [Ready]
  return [child, ready]
}

async function serveMongo(): Promise<void> {
  const { uri, prefix, close } = await acquireMongo()
  process.once('disconnect', () => void close())
  process.send?.({ uri, prefix })
}

/** A service that projects the events. Answers a message with the times at which each was applied. */
async function serveConsumer(mongoUri = '', databaseName = '', url = '', prefix = ''): Promise<void> {
  const db = await openDatabase({ uri: mongoUri, name: databaseName })
  const rows = projection<Row>(db, { collection: 'rows' })
  await db.init()
  const bus = rabbitBus({ log: quiet, url, prefix, service: 'bench-consumer' })
  const times: Times = []
  await bus.subscribe(queue, async ({ source, subject, aggregateversion, data }) => {
    await rows.apply(subject, { step: Number(data.step), text: String(data.text) }, { source, subject, aggregateversion })
    times.push([Number(data.step), nowMs()])
  })
  const before = process.cpuUsage()
  process.on('message', () => {
    if (times.length < events) return process.send?.(false)
    const { user, system } = process.cpuUsage(before)
    process.send?.({ times, micros: Math.round((user + system) / events) })
  })
  process.once('disconnect', () => void bus.close().then(db.close))
  process.send?.('ready')
}

interface Applied {
  latencies: number[]
  writerMicros: number
  consumerMicros: number
}
async function overRabbit(mongo: Place, broker: Broker): Promise<Applied> {
  const [consumer] = await started('consumer', mongo.uri, `${mongo.prefix}consumer`, broker.url, broker.prefix)
  const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}writer` })
  const bus = rabbitBus({ log: quiet, ...broker, service: 'bench-writer' })
  const [things, ids] = await someThings(db)
  const relay = startRelay(db, bus, { source: '/carapace/bench', exclusive: true })
  const committed = new Map<number, number>()
  const before = process.cpuUsage()
  await paced(async step => {
    const id = ids[step % ids.length]!
    await things.change(id, thing => ({ state: { ...thing, step }, events: [draft(id, step)] }))
    committed.set(step, nowMs())
  })
  const { user, system } = process.cpuUsage(before)
  let found: { times: Times; micros: number } | false = false
  while (!found) {
    consumer.send('times')
    found = (await once(consumer, 'message'))[0]
    await sleep(50)
  }
  consumer.disconnect()
  await relay.close()
  await bus.close()
  await db.close()
  // it may be applied before its writer knows of the commit
  const latencies = found.times.filter(([step]) => step >= warmUp).map(([step, at]) => Math.max(0, at - committed.get(step)!))
  return { latencies, writerMicros: Math.round((user + system) / events), consumerMicros: found.micros }
}

async function someThings(db: Database) {
  const things = aggregateStore<Thing>(db, { collection: 'things', resource: 'thing' })
  await db.init()
  const ids = Array.from({ length: aggregates }, () => randomUUID())
  for (let from = 0; from < aggregates; from += 100) await Promise.all(ids.slice(from, from + 100).map(id => things.create({ id, step: 0 }, [])))
  return [things, ids] as const
}

async function bareAmqplib(broker: Broker): Promise<number[]> {
  const bus = rabbitBus({ log: quiet, ...broker, service: 'bench' })
  await (await bus.subscribe(queue, async () => {})).close()
  await bus.close()
  const connection = await connect(broker.url)
  const [publishing, consuming] = [await connection.createConfirmChannel(), await connection.createChannel()]
  const latencies: number[] = []
  let received = 0
  await consuming.prefetch(100)
  await consuming.consume(`${broker.prefix}${queue.name}`, message => {
    if (!message) return
    if (received++ >= warmUp) latencies.push(nowMs() - JSON.parse(message.content.toString()).at)
    consuming.ack(message)
  })
  const options = { persistent: true, contentType: 'application/json' }
  await paced(async step => {
    const content = Buffer.from(JSON.stringify({ at: nowMs(), data: draft(randomUUID(), step).data }))
    publishing.publish(`${broker.prefix}carapace.events`, 'bench.thing.stepped.v1', content, options)
  })
  while (received < events) await sleep(5)
  await connection.close()
  return latencies
}

/** Starts so many a second, whether the earlier ones have ended or not. */
async function paced(work: (step: number) => Promise<void>): Promise<void> {
  const start = nowMs()
  const running: Promise<void>[] = []
  while (running.length < events) {
    const due = Math.min(events, Math.ceil(((nowMs() - start) * perSecond) / 1_000))
    while (running.length < due) running.push(work(running.length))
    await sleep(1)
  }
  await Promise.all(running)
}

async function inProcess(mongo: Place): Promise<void> {
  const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}latency` })
  const applied = db.connection.collection<{ _id: string; step: number }>('applied')
  const [things, ids] = await someThings(db)
  const bus = inProcessBus({ log: quiet })
  const found: number[] = []
  const committed = new Map<string, number>()
  await bus.subscribe(queue, async ({ subject, aggregateversion, data }) => {
    await applied.updateOne({ _id: subject }, { $max: { step: Number(data.step) } }, { upsert: true })
    const key = `${subject} ${aggregateversion}`
    // the handler may end before the writer knows of its commit
    found.push(Math.max(0, nowMs() - (committed.get(key) ?? nowMs())))
    committed.delete(key)
  })
  const relay = startRelay(db, bus, { source: '/carapace/bench', exclusive: true })
  db.changes.prependListener('saved', (_collection, id, handoff) => committed.set(`${id} ${handoff?.version}`, nowMs()))
  for (let step = 0; step < inProcessEvents; step++) {
    const id = ids[step % ids.length]!
    await things.change(id, thing => ({ state: { ...thing, step }, events: [draft(id, step)] }))
    await sleep(2)
  }
  while (found.length < inProcessEvents) await sleep(5)
  console.log(`commit to applied, in process: ${shown(found)} (wanted p50 5, p99 30), ${inProcessEvents} events, 1 every 2 ms and a write`)
  await relay.close()
  await bus.close()
  await db.close()
}
