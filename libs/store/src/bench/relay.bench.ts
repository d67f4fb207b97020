import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { event } from '@carapace/api'
import { type Bus, quiet, rabbitBus } from '@carapace/bus'
import { acquireBroker, acquireMongo, median, reportFigure } from '@carapace/testing'
import { connect } from 'amqplib'
import { z } from 'zod'
import { aggregateStore, openDatabase, startRelay } from '../index.ts'

/**
 * The outbox relay through rabbitBus against bare amqplib in batches of 100: same broker, exchange, queue and events, in alternation. The relay sends a
 * backlog, reading and emptying outboxes on the way; the rate depends on how many events a document holds. Next to the wall clock it prints the CPU time
 * of this process for each event, which other work on the machine distorts less. The embedded engine runs in a process of its own, as it does in the
 * embedded start.
 */
const events = 3_000
const batchSize = 100
const rounds = 3
const perDocument = [1, 10, 100]

interface Place {
  uri: string
  prefix: string
}
interface Thing {
  id: string
  step: number
}
const stepped = event('bench.thing.stepped', 'id', 'For the bench', { id: z.string(), text: z.string(), at: z.number() })
const draft = (id: string) => stepped.of({ id, text: 'x'.repeat(200), at: performance.now() })

if (process.send) await serveMongo()
else await main()

async function main(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url))
  const [mongo] = (await once(child, 'message')) as [Place]
  await relayRates(mongo)
  child.disconnect()
}

async function serveMongo(): Promise<void> {
  const { uri, prefix, close } = await acquireMongo()
  process.once('disconnect', () => void close())
  process.send?.({ uri, prefix })
}

async function relayRates(mongo: Place): Promise<void> {
  const broker = await acquireBroker()
  const bus = rabbitBus({ log: quiet, ...broker, service: 'bench' })
  const queue = { name: 'carapace.bench', exchange: 'events', bindings: ['bench.#'] } as const
  await (await bus.subscribe(queue, async () => {})).close()
  const connection = await connect(broker.url)
  const channel = await connection.createConfirmChannel()
  const bare = async () => {
    for (let sent = 0; sent < events; sent += batchSize) {
      for (let n = 0; n < batchSize; n++) {
        const { type, subject, data } = draft('thing')
        const envelope = {
          specversion: '1.0',
          id: randomUUID(),
          source: '/carapace/bench',
          type,
          subject,
          time: new Date(),
          aggregateversion: 1,
          data,
        }
        const options = { persistent: true, contentType: 'application/cloudevents+json', messageId: envelope.id, type, timestamp: 1 }
        channel.publish(`${broker.prefix}carapace.events`, type, Buffer.from(JSON.stringify(envelope)), options)
      }
      await channel.waitForConfirms()
    }
  }
  const ratios = new Map(perDocument.map(count => [count, { wall: [] as number[], cpu: [] as number[], rate: [] as number[] }]))
  const bareRates: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const base = await measure(bare)
    if (round > 0) bareRates.push(base.rate)
    for (const [count, found] of ratios) {
      const own = await backlog(mongo, count, bus)
      await channel.purgeQueue(broker.prefix + queue.name)
      // the first round only warms up
      if (round === 0) continue
      found.wall.push(own.rate / base.rate)
      found.cpu.push(base.cpu / own.cpu)
      found.rate.push(own.rate)
    }
  }
  console.log(`bare amqplib, batches of ${batchSize}: ${median(bareRates).toFixed(0)} events/s`)
  for (const [count, { wall, cpu, rate }] of ratios)
    console.log(
      `outbox relay, ${String(count).padStart(3)} events a document: ${median(rate).toFixed(0)} events/s, ratio ${median(wall).toFixed(2)} (CPU time ${median(cpu).toFixed(2)}; wanted 0.70)`,
    )
  reportFigure('store.relay', ratios.get(100)!.cpu)
  await connection.close()
  await bus.close()
  await broker.stop()
}

/** Fills outboxes without a relay, then measures how long one needs to empty them. */
async function backlog(mongo: Place, count: number, bus: Bus): Promise<Measured> {
  const writer = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}b${randomUUID().slice(0, 8)}` })
  const things = aggregateStore<Thing>(writer, { collection: 'things', resource: 'thing' })
  await writer.init()
  const ids = Array.from({ length: events / count }, () => randomUUID())
  await Promise.all(
    ids.map(id =>
      things.create(
        { id, step: 0 },
        Array.from({ length: count }, () => draft(id)),
      ),
    ),
  )
  const collection = writer.connection.collection('things')
  let sent = 0
  const counting: Bus = {
    ...bus,
    publish: async messages => {
      await bus.publish(messages)
      sent += messages.length
    },
  }
  const measured = await measure(async () => {
    const relay = startRelay(writer, counting, { source: '/carapace/bench', exclusive: true })
    while (sent < events) await sleep(2)
    await relay.close()
  })
  if ((await collection.countDocuments({ pending: true })) > 0) throw new Error('outboxes are not empty')
  await writer.connection.dropDatabase()
  await writer.close()
  return measured
}

interface Measured {
  /** Events per second. */
  rate: number
  /** CPU microseconds of this process for each event. */
  cpu: number
}
async function measure(work: () => Promise<void>): Promise<Measured> {
  const start = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { rate: (events * 1000) / (performance.now() - start), cpu: (user + system) / events }
}
