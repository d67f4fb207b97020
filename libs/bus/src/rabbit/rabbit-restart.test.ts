import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type OwnBroker, outgoing, startOwnBroker, unique, until } from '@carapace/testing'
import { type Bus, type Outgoing, quiet, Retry } from '../bus.ts'
import { rabbitBus } from './rabbit.ts'

describe('bus: RabbitMQ that is killed or full', function () {
  this.timeout(120_000)
  let broker: OwnBroker
  let bus: Bus
  before(async function () {
    this.timeout(240_000)
    broker = await startOwnBroker()
  })
  after(() => broker?.stop())
  afterEach(() => bus?.close())

  it('loses nothing that was confirmed when the broker is killed, and goes on after its restart', async () => {
    const retry = { delaysMs: [300], limit: 5 }
    bus = rabbitBus({ log: quiet, ...broker, service: 'test', retry })
    const topic = unique('topic')
    const seen = new Set<string>()
    await bus.subscribe({ name: unique('carapace.test'), exchange: 'events', bindings: [topic] }, async (event, { attempt }) => {
      // So that some are parked when the broker dies.
      if (Number(event.data.n) % 10 === 0 && attempt === 1) throw new Retry('not yet')
      seen.add(event.id)
    })
    // A queue that is not a second old may not outlive a killed broker; that is RabbitMQ's affair.
    await sleep(2_000)
    const batches = Array.from({ length: 150 }, (_, b) => Array.from({ length: 20 }, (_, n) => outgoing(topic, { data: { n: b * 20 + n } })))
    let confirmed = 0
    const publishing = (async () => {
      for (const batch of batches) {
        await publishUntilConfirmed(batch)
        confirmed++
      }
    })()

    await until('a third is confirmed', () => confirmed >= 50)
    await broker.kill9()
    await until('it noticed', () => !bus.ready())
    await broker.restart()
    await publishing

    const all = batches.flat().map(({ event }) => event.id)
    await until('all were handled', () => all.every(id => seen.has(id)), 30)

    async function publishUntilConfirmed(batch: Outgoing[]): Promise<void> {
      await until(
        'the batch is confirmed',
        () =>
          bus.publish(batch).then(
            () => true,
            () => false,
          ),
        60,
      )
    }
  })

  it('starts before its broker does', async () => {
    await broker.kill9()
    bus = rabbitBus({ log: quiet, ...broker, service: 'test' })
    const topic = unique('topic')
    const seen: string[] = []
    const subscribed = bus.subscribe({ name: unique('carapace.test'), exchange: 'events', bindings: [topic] }, async event => {
      seen.push(event.id)
    })
    assert.equal(bus.ready(), false)

    await broker.restart()
    await subscribed
    await bus.publish([outgoing(topic)])

    await until('it was handled', () => seen.length === 1)
  })

  it('ends a subscription that waits for its broker when it is closed', async () => {
    bus = rabbitBus({ log: quiet, url: 'amqp://127.0.0.1:1', service: 'test' })
    const subscribed = bus.subscribe({ name: 'carapace.test', exchange: 'events', bindings: ['#'] }, async () => {})

    await Promise.all([assert.rejects(subscribed, /closed/), bus.close()])
  })

  it('rejects while the broker accepts no messages because its memory is full', async () => {
    bus = rabbitBus({ log: quiet, ...broker, service: 'test' })
    await until('it is ready', () => bus.ready())

    await broker.ctl('set_vm_memory_high_watermark', '0.000001')
    // The broker notifies a publisher of its alarm at the next message.
    const first = bus.publish([outgoing('any')]).catch(() => {})
    await until('it noticed', () => !bus.ready(), 15)
    await assert.rejects(bus.publish([outgoing('any')]), /accepts no messages/)
    await broker.ctl('set_vm_memory_high_watermark', '0.4')

    await until('it is ready', () => bus.ready(), 15)
    await bus.publish([outgoing('any')])
    await first
  })
})
