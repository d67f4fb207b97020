import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { event, refuse } from '@carapace/api'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import { z } from 'zod'
import { type AggregateStore, aggregateStore } from '../aggregate.ts'
import { type Database, openDatabase } from '../database.ts'

const counted = event('store.counter.counted', 'id', 'For the test', { id: z.string(), to: z.number() })
interface Counter {
  id: string
  count: number
}

await onEachMongo('changes of several documents', acquireMongo => {
  let mongo: TestMongo
  const open: Database[] = []
  before(async () => {
    mongo = await acquireMongo()
  })
  after(async () => {
    for (const db of open) await db.close()
    await mongo.close()
  })

  /** A replica, and the writes of its collection. */
  async function replica() {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}many` })
    open.push(db)
    const shareOf = ({ count }: Counter) => ({ sums: { large: count > 9 ? 1n : 0n } })
    const counters = aggregateStore<Counter>(db, { collection: 'counters', resource: 'counter', optimistic: true, shareOf })
    await db.init()
    const calls: string[] = []
    for (const name of ['find', 'findOne', 'updateOne', 'bulkWrite', 'insertMany', 'insertOne'] as const) {
      const call = counters.collection[name].bind(counters.collection) as (...args: unknown[]) => unknown
      Object.assign(counters.collection, {
        [name]: (...args: unknown[]) => {
          calls.push(name)
          return call(...args)
        },
      })
    }
    return { db, counters, calls }
  }
  const make = ({ counters }: { counters: AggregateStore<Counter> }, count = 0) => counters.create({ id: randomUUID(), count }, [])
  const increment = (counter: Counter) => ({
    state: { ...counter, count: counter.count + 1 },
    events: [counted.of({ id: counter.id, to: counter.count + 1 })],
  })
  const all = (ids: readonly string[], decide = increment) => new Map(ids.map(id => [id, decide]))
  const stored = async ({ counters }: { counters: AggregateStore<Counter> }, id: string) => (await counters.collection.findOne({ _id: id as never }))!

  it('are one write, each with its events', async () => {
    const one = await replica()
    const ids = [(await make(one)).id, (await make(one, 3)).id]
    one.calls.length = 0

    const changed = await one.counters.changeAll(all(ids))

    assert.deepEqual(one.calls, ['bulkWrite'])
    assert.deepEqual(
      ids.map(id => [changed.get(id)?.count, changed.get(id)?.version]),
      [
        [1, 2],
        [4, 2],
      ],
    )
    for (const [at, id] of ids.entries()) {
      const { count, version, outbox, lease } = await stored(one, id)
      assert.deepEqual([count, version, outbox.length, outbox[0].data.to], [[1, 4][at], 2, 1, [1, 4][at]])
      assert.ok(lease)
    }
  })

  it('read together what this process does not know', async () => {
    const [one, other] = [await replica(), await replica()]
    const ids = [(await make(one)).id, (await make(one)).id]

    await other.counters.changeAll(all(ids))

    assert.deepEqual(other.calls, ['find', 'bulkWrite'])
  })

  it('decide again on what another replica wrote meanwhile, and change the others as they are', async () => {
    const [one, other] = [await replica(), await replica()]
    const ids = [(await make(one)).id, (await make(one)).id, (await make(one)).id]
    await other.counters.change(ids[1]!, increment)

    const changed = await one.counters.changeAll(all(ids))

    assert.deepEqual(
      ids.map(id => changed.get(id)?.count),
      [1, 2, 1],
    )
    assert.deepEqual(await Promise.all(ids.map(async id => (await stored(other, id)).count)), [1, 2, 1])
  })

  it('are alone where a figure changes, where nothing changes and where there is no document', async () => {
    const one = await replica()
    const [first, second, large] = [(await make(one)).id, (await make(one)).id, (await make(one, 9)).id]
    const before = (await one.counters.sums())('large')
    one.calls.length = 0

    const decides = new Map([...all([first, second, large, randomUUID()])])
    const changed = await one.counters.changeAll(decides)

    assert.deepEqual([changed.size, changed.get(large)?.count], [3, 10])
    assert.deepEqual(one.calls, ['bulkWrite', 'updateOne', 'findOne'])
    assert.equal((await one.counters.sums())('large'), before + 1n)
  })

  it('lose none of those that come at the same time, in any order', async () => {
    const one = await replica()
    const ids = [(await make(one)).id, (await make(one)).id]

    await Promise.all(Array.from({ length: 10 }, (_, n) => one.counters.changeAll(all(n % 2 ? ids : [...ids].reverse()))))

    assert.deepEqual(await Promise.all(ids.map(async id => (await stored(one, id)).count)), [10, 10])
  })

  it('throw what refuses one of them', async () => {
    const one = await replica()
    const ids = [(await make(one)).id, (await make(one)).id]

    await assert.rejects(
      one.counters.changeAll(
        new Map([
          [ids[0]!, increment],
          [ids[1]!, () => refuse('INVALID_STATE')],
        ]),
      ),
      { code: 'INVALID_STATE' },
    )
  })

  it('may be new documents: all of them and their figures, or none', async () => {
    const one = await replica()
    const before = (await one.counters.sums())('large')
    const states = [10, 11, 1].map(count => ({ id: randomUUID(), count }))
    const store = (made: readonly Counter[]) => one.db.transaction(session => one.counters.createAll(made, session))
    one.calls.length = 0

    await store(states)
    await assert.rejects(store([{ id: randomUUID(), count: 20 }, states[0]!]), { code: 'ALREADY_EXISTS' })

    assert.deepEqual(one.calls, ['insertMany', 'insertMany'])
    assert.deepEqual(
      [...(await one.counters.many(states.map(({ id }) => id))).values()].map(({ count, version }) => [count, version]).sort(),
      [
        [1, 1],
        [10, 1],
        [11, 1],
      ].sort(),
    )
    assert.equal((await one.counters.sums())('large'), before + 2n)
    assert.equal(await one.counters.collection.countDocuments({ count: 20 }), 0)
  })
})
