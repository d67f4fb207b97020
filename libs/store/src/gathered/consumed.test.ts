import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Bus, quiet, rabbitBus } from '@carapace/bus'
import {
  acquireBroker,
  type Broker,
  type FaultProxy,
  onEachMongo,
  outgoing,
  startFaultProxy,
  type TestMongo,
  testRetry,
  unique,
  until,
} from '@carapace/testing'
import { type Database, openDatabase } from '../database.ts'
import { projection } from '../projection.ts'
import { gathered } from './gathered.ts'

await onEachMongo('events from RabbitMQ that are written in groups', function (acquireMongo) {
  this.timeout(60_000)
  let broker: Broker
  let mongo: TestMongo
  let db: Database
  let proxy: FaultProxy
  let bus: Bus

  before(async function () {
    this.timeout(240_000)
    broker = await acquireBroker()
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}consumed` })
    const url = new URL(broker.url)
    proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port || 5672) })
    url.host = `127.0.0.1:${proxy.port}`
    bus = rabbitBus({ log: quiet, url: url.href, prefix: broker.prefix, service: 'consumed', retry: testRetry })
  })
  after(async () => {
    await bus?.close()
    await proxy?.close()
    await db?.close()
    await mongo?.close()
    await broker?.stop()
  })

  it('are written once, but for the one that cannot be: that alone is retried, and dead in the end', async () => {
    const topic = unique('topic')
    const queue = { name: unique('carapace.test'), exchange: 'events' as const, bindings: [topic] }
    const written: string[] = []
    let groups = 0
    const bad = outgoing(topic)
    const write = gathered(async (ids: readonly string[]) => {
      if (ids.includes(bad.event.id)) throw new Error('it cannot be written')
      groups++
      written.push(...ids)
      return ids.map(() => undefined)
    }, 200)
    const good = Array.from({ length: 20 }, () => outgoing(topic))
    const subscription = await bus.subscribe(queue, ({ id }) => write(id))

    await bus.publish([...good.slice(0, 10), bad, ...good.slice(10)])

    const dead = await until('it is dead', async () => (await bus.deadLetters(10_000)).find(({ id }) => id === bad.event.id))
    assert.equal(dead.attempts, testRetry.limit)
    await until('the others are written', () => written.length >= good.length)
    const more = Array.from({ length: 20 }, () => outgoing(topic))
    groups = 0
    await bus.publish(more)
    await until('those are written too', () => written.length >= 2 * good.length)
    assert.ok(groups < more.length, `${groups} writes`)
    await subscription.close()
    assert.equal(await bus.waiting(queue.name), 0)
    assert.deepEqual(written.toSorted(), [...good, ...more].map(({ event }) => event.id).sort())
  })

  it('leave what they wrote when they come again after a crash before the acknowledgement', async () => {
    const topic = unique('topic')
    const queue = { name: unique('carapace.test'), exchange: 'events' as const, bindings: [topic] }
    const rows = projection<{ step: number }>(db, { collection: 'rows' })
    const subjects = [randomUUID(), randomUUID()]
    const messages = Array.from({ length: 20 }, (_, n) =>
      outgoing(topic, { subject: subjects[n % 2]!, aggregateversion: 1 + Math.floor(n / 2), data: { step: 1 + Math.floor(n / 2) } }),
    )
    let applied = 0
    let crash = () => {}
    const crashed = new Promise<void>(resolve => {
      crash = resolve
    })
    await bus.subscribe(queue, async ({ source, subject, aggregateversion, data }) => {
      await rows.apply(subject, { step: Number(data.step) }, { source, subject, aggregateversion })
      applied++
      await crashed
    })
    await bus.publish(messages)
    await until('all are applied', () => applied === 20)

    proxy.reset()
    crash()

    await until('all came again', () => applied === 40)
    for (const subject of subjects) assert.equal((await rows.get(subject))?.step, 10)
    await until('none is left', async () => (await bus.waiting(queue.name)) === 0)
  })
})
