import { acquireBroker, median, outgoing, quantile, reportFigure } from '@carapace/testing'
import { connect } from 'amqplib'
import { quiet } from '../bus.ts'
import { inProcessBus, rabbitBus } from '../index.ts'

/**
 * Bare amqplib in batches of 100 against bus.publish: same broker, exchange, queue and properties, in alternation, so that a busy machine slows both.
 * Prints the median rates and the median ratio of the pairs.
 */
const rounds = 15
const batchSize = 100
const batches = 20
const queue = { name: 'carapace.bench', exchange: 'events', bindings: ['bench.#'] } as const
const batch = Array.from({ length: batchSize }, (_, n) => outgoing('bench.thing.happened.v1', { data: { n, text: 'x'.repeat(200) } }))

const broker = await acquireBroker()
const rates: { bare: number; bus: number; overlapping: number }[] = []
try {
  const bus = rabbitBus({ log: quiet, ...broker, service: 'bench' })
  const subscription = await bus.subscribe(queue, async () => {})
  await subscription.close()
  const connection = await connect(broker.url)
  const channel = await connection.createConfirmChannel()

  for (let round = 0; round <= rounds; round++) {
    const bare = await rate(async () => {
      for (let n = 0; n < batches; n++) {
        for (const { event, routingKey } of batch) {
          const options = { persistent: true, contentType: 'application/cloudevents+json', messageId: event.id, type: event.type, timestamp: 1 }
          channel.publish(`${broker.prefix}carapace.events`, routingKey, Buffer.from(JSON.stringify(event)), options)
        }
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
    await channel.purgeQueue(broker.prefix + queue.name)
    // The first round only warms up.
    if (round > 0) rates.push({ bare, bus: oneByOne, overlapping })
  }
  await bus.close()
  await connection.close()
} finally {
  await broker.stop()
}

const perSecond = (values: number[]) => `${Math.round(median(values))} msg/s`
const ratio = (values: number[]) => median(values).toFixed(2)
console.log(`bare amqplib, batches of ${batchSize}:         ${perSecond(rates.map(({ bare }) => bare))}`)
console.log(
  `bus.publish, batches of ${batchSize}:          ${perSecond(rates.map(({ bus }) => bus))}, ratio ${ratio(rates.map(({ bare, bus }) => bus / bare))} (at least 0.8)`,
)
console.log(
  `bus.publish, four batches under way: ${perSecond(rates.map(({ overlapping }) => overlapping))}, ratio ${ratio(rates.map(({ bare, overlapping }) => overlapping / bare))}`,
)
reportFigure(
  'bus.publish',
  rates.map(({ bare, bus }) => bus / bare),
)
const latencies = await inProcessLatencies()
console.log(
  `in process, publish to handler:      p50 ${quantile(latencies, 0.5).toFixed(3)} ms, p99 ${quantile(latencies, 0.99).toFixed(3)} ms (below 1 ms)`,
)

async function rate(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return (batches * batchSize * 1000) / (performance.now() - start)
}

async function inProcessLatencies(): Promise<number[]> {
  const bus = inProcessBus({ log: quiet })
  const latencies: number[] = []
  let start = 0
  await bus.subscribe(queue, async () => {
    latencies.push(performance.now() - start)
  })
  for (let n = 0; n < 20_000; n++) {
    start = performance.now()
    await bus.publish(batch.slice(n % batchSize, (n % batchSize) + 1))
  }
  await bus.close()
  return latencies
}
