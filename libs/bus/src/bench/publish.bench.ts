import { acquireBroker, outgoing } from '@carapace/testing'
import { connect } from 'amqplib'
import { inProcessBus, rabbitBus } from '../index.ts'

/** Bare amqplib in batches of 100 against bus.publish, on one broker into one quorum queue each, turn by turn. Prints the ratio. */
const rounds = 4
const batchSize = 100
const batches = 100
const batch = Array.from({ length: batchSize }, (_, n) => outgoing('bench.thing.happened.v1', { data: { n, text: 'x'.repeat(200) } }))

const broker = await acquireBroker()
const rates: Record<'bare' | 'bus' | 'window', number[]> = { bare: [], bus: [], window: [] }
try {
  const connection = await connect(broker.url)
  const channel = await connection.createConfirmChannel()
  const bareQueue = `${broker.prefix}bench.bare`
  await channel.assertQueue(bareQueue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
  const bus = rabbitBus({ ...broker, service: 'bench' })
  const subscription = await bus.subscribe({ name: 'bench.bus', exchange: 'events', bindings: ['bench.#'] }, async () => {})
  await subscription.close()

  for (let round = 0; round <= rounds; round++) {
    const bare = await rate(async () => {
      for (let n = 0; n < batches; n++) {
        for (const { event } of batch)
          channel.sendToQueue(bareQueue, Buffer.from(JSON.stringify(event)), { persistent: true, messageId: event.id, type: event.type })
        await channel.waitForConfirms()
      }
    })
    const oneByOne = await rate(async () => {
      for (let n = 0; n < batches; n++) await bus.publish(batch)
    })
    const overlapping = await rate(async () => {
      const sent: Promise<void>[] = []
      for (let n = 0; n < batches; n++) {
        sent.push(bus.publish(batch))
        if (sent.length === 4) await sent.shift()
      }
      await Promise.all(sent)
    })
    // The first round only warms up.
    if (round === 0) continue
    rates.bare.push(bare)
    rates.bus.push(oneByOne)
    rates.window.push(overlapping)
    await channel.purgeQueue(bareQueue)
    await channel.purgeQueue(`${broker.prefix}bench.bus`)
  }
  await bus.close()
  await connection.close()
} finally {
  await broker.stop()
}

const [bare, bus, window] = [median(rates.bare), median(rates.bus), median(rates.window)]
console.log(`bare amqplib, batches of ${batchSize}:          ${Math.round(bare)} msg/s`)
console.log(`bus.publish, batches of ${batchSize}:           ${Math.round(bus)} msg/s, ratio ${(bus / bare).toFixed(2)} (at least 0.8)`)
console.log(`bus.publish, four batches under way:  ${Math.round(window)} msg/s, ratio ${(window / bare).toFixed(2)}`)
console.log(
  `in process, publish to handled:       p50 ${(await inProcessLatency(0.5)).toFixed(3)} ms, p99 ${(await inProcessLatency(0.99)).toFixed(3)} ms`,
)

async function rate(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return (batches * batchSize * 1000) / (performance.now() - start)
}

async function inProcessLatency(quantile: number): Promise<number> {
  const bus = inProcessBus()
  const latencies: number[] = []
  let start = 0
  await bus.subscribe({ name: 'bench', exchange: 'events', bindings: ['bench.#'] }, async () => {
    latencies.push(performance.now() - start)
  })
  for (let n = 0; n < 20_000; n++) {
    start = performance.now()
    await bus.publish([batch[n % batchSize]!])
  }
  await bus.close()
  return latencies.sort((a, b) => a - b)[Math.floor(latencies.length * quantile)] ?? 0
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
