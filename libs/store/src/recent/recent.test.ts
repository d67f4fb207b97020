import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { event, Refusal, refuse } from '@carapace/api'
import { inProcessBus, quiet } from '@carapace/bus'
import { onEachMongo, type TestMongo, until } from '@carapace/testing'
import { z } from 'zod'
import { type AggregateStore, aggregateStore } from '../aggregate.ts'
import { type Database, openDatabase } from '../database.ts'
import { startRelay } from '../outbox/relay.ts'
import { RowsInUse } from '../transaction.ts'

const counted = event('store.counter.counted', 'id', 'For the test', { id: z.string(), to: z.number() })
interface Counter {
  id: string
  count: number
}

await onEachMongo('a store that decides on what it has just written', acquireMongo => {
  let mongo: TestMongo
  const open: Database[] = []

  before(async () => {
    mongo = await acquireMongo()
  })
  after(async () => {
    for (const db of open) await db.close()
    await mongo.close()
  })

  /** A replica, and the reads and writes of its collection. */
  async function replica(): Promise<{ db: Database; counters: AggregateStore<Counter>; calls: string[] }> {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}recent` })
    open.push(db)
    const counters = aggregateStore<Counter>(db, { collection: 'counters', resource: 'counter', optimistic: true })
    await db.init()
    const calls: string[] = []
    const raw = counters.collection
    for (const name of ['findOne', 'updateOne', 'updateMany'] as const) {
      const call = raw[name].bind(raw) as (...args: unknown[]) => unknown
      Object.assign(raw, {
        [name]: (...args: unknown[]) => {
          calls.push(name)
          return call(...args)
        },
      })
    }
    return { db, counters, calls }
  }
  const make = ({ counters }: { counters: AggregateStore<Counter> }) => counters.create({ id: randomUUID(), count: 0 }, [])
  const increment = (counter: Counter) => ({
    state: { ...counter, count: counter.count + 1 },
    events: [counted.of({ id: counter.id, to: counter.count + 1 })],
  })

  it('writes a change without reading the document', async () => {
    const one = await replica()
    const { id } = await make(one)

    const changed = await Promise.all([1, 2, 3].map(() => one.counters.change(id, increment)))

    assert.deepEqual(
      changed.map(({ count, version }) => [count, version]),
      [
        [1, 2],
        [2, 3],
        [3, 4],
      ],
    )
    assert.deepEqual(one.calls, ['updateOne', 'updateOne', 'updateOne'])
  })

  it('decides on what another replica wrote meanwhile', async () => {
    const [one, other] = [await replica(), await replica()]
    const { id } = await make(one)
    await other.counters.change(id, increment)

    assert.equal((await one.counters.change(id, increment)).count, 2)
  })

  it('refuses, and changes nothing, only on what is in the database', async () => {
    const [one, other] = [await replica(), await replica()]
    const { id } = await make(one)
    await other.counters.change(id, increment)
    const onlyCounted = (counter: Counter) => (counter.count === 0 ? refuse('INVALID_STATE') : increment(counter))
    const onceCounted = (counter: Counter) => (counter.count < 2 ? undefined : increment(counter))

    assert.equal((await one.counters.change(id, onlyCounted)).count, 2)
    await other.counters.change(id, increment)
    assert.equal((await one.counters.change(id, onceCounted)).count, 4)
    await assert.rejects(
      one.counters.change(id, () => refuse('INVALID_STATE')),
      (error: unknown) => error instanceof Refusal && error.code === 'INVALID_STATE',
    )
  })

  it('ends where others had the rows as long as a transaction may last, and does not begin again', async () => {
    const one = await replica()
    let attempts = 0
    const counters = aggregateStore<Counter>(one.db, {
      collection: 'counters',
      resource: 'counter',
      optimistic: true,
      alongside: before => before && (() => Promise.resolve()),
      serialize: (_after, work) => (++attempts === 1 ? Promise.reject(new RowsInUse()) : work()),
    })
    const { id } = await make({ counters })

    await assert.rejects(counters.change(id, increment), { code: 'CONFLICT' })
    assert.equal(attempts, 1)
    assert.equal((await counters.change(id, increment)).count, 1)
  })

  it('knows a cause that it has stored', async () => {
    const one = await replica()
    const { id } = await make(one)

    for (const cause of ['a', 'b', 'a']) await one.counters.change(id, increment, { cause })

    assert.equal((await one.counters.need(id)).count, 2)
  })

  it('sends the events of many changes in order, each by the write that leased the outbox, also of a transaction', async () => {
    const one = await replica()
    const bus = inProcessBus({ log: quiet })
    const got: number[] = []
    const queue = { name: 'carapace.recent', exchange: 'events' as const, bindings: ['store.#'] }
    const { id } = await make(one)
    await bus.subscribe(queue, async ({ subject, data }) => void (subject === id && got.push(Number(data.to))))
    const relay = startRelay(one.db, bus, { source: '/carapace/store', sweepMs: 3_600_000 })
    let cleared = 0
    one.db.changes.on('cleared', (_, of) => {
      if (of === id) cleared++
    })
    const reads: string[] = []
    const { findOneAndUpdate } = one.counters.collection
    one.counters.collection.findOneAndUpdate = ((...args: Parameters<typeof findOneAndUpdate>) => {
      reads.push('claim')
      return findOneAndUpdate.apply(one.counters.collection, args)
    }) as typeof findOneAndUpdate

    for (let n = 1; n <= 4; n++) {
      if (n % 2) await one.counters.change(id, increment)
      else await one.db.transaction(async session => void (await one.counters.change(id, increment, { session })))
      await until('it is sent', async () => got.length === n && cleared === n)
      assert.equal(await one.counters.collection.countDocuments({ _id: id as never, pending: true }), 0)
    }
    assert.deepEqual([got, reads], [[1, 2, 3, 4], []])

    // written without an event while the outbox is emptied
    const { updateMany } = one.counters.collection
    one.counters.collection.updateMany = (async (...args: Parameters<typeof updateMany>) => {
      await one.counters.change(id, counter => ({ state: { ...counter, count: counter.count + 1 }, events: [] }))
      return updateMany.apply(one.counters.collection, args)
    }) as typeof updateMany
    await one.counters.change(id, increment)
    await until('its outbox is empty', () => cleared === 5)
    one.counters.collection.updateMany = updateMany
    await one.counters.change(id, increment)
    await until('it is sent', () => got.length === 6)
    assert.deepEqual([got, reads], [[1, 2, 3, 4, 5, 7], []])

    await Promise.all(Array.from({ length: 20 }, () => one.counters.change(id, increment)))
    await until('all are sent', () => got.length === 26)
    assert.deepEqual(
      got.slice(6),
      Array.from({ length: 20 }, (_, n) => n + 8),
    )
    await relay.close()
    await bus.close()
  })
})
