import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { Refusal, refuse } from '@carapace/api'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import { type AggregateStore, aggregateStore } from '../aggregate.ts'
import type { Stored } from '../aggregate-document.ts'
import { type Database, openDatabase, writePast } from '../database.ts'

interface Counter {
  id: string
  count: number
}

await onEachMongo('a store in a database to which no other process writes', acquireMongo => {
  let mongo: TestMongo
  const open: Database[] = []
  let trace = ''
  const nextTrace = () => {
    trace = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`
  }

  before(async () => {
    mongo = await acquireMongo()
  })
  beforeEach(nextTrace)
  after(async () => {
    for (const db of open) await db.close()
    await mongo.close()
  })

  it('reads documents with those of another collection, and knows those that it has read', async () => {
    const { db, counters } = await opened()
    const others = db.connection.collection<{ _id: string; of: string; count: bigint }>('others')
    const [first, second] = [await counters.create({ id: randomUUID(), count: 1 }, []), await counters.create({ id: randomUUID(), count: 2 }, [])]
    for (const [at, { id }] of [first, second, first].entries()) await others.insertOne({ _id: `${at}`, of: id, count: BigInt(at) })
    const joinedOf = (...ids: string[]) => ({ collection: 'others', pipeline: [{ $match: { of: { $in: ids } } }, { $sort: { _id: -1 as const } }] })
    nextTrace()

    const none = await counters.manyWith([], joinedOf(first.id))
    const both = await counters.manyWith([first.id, second.id, randomUUID()], joinedOf(first.id, second.id))
    const again = await counters.manyWith([second.id], joinedOf(second.id))

    assert.deepEqual([none.found.size, none.joined.map(({ _id }) => _id)], [0, ['2', '0']])
    assert.deepEqual([...both.found.values()].map(({ count }) => count).sort(), [1, 2])
    assert.deepEqual(
      both.joined.map(({ _id, of, count }) => [_id, of, count]),
      [
        ['2', first.id, 2n],
        ['1', second.id, 1n],
        ['0', first.id, 0n],
      ],
    )
    assert.deepEqual([again.found.get(second.id)?.count, again.joined.map(({ _id }) => _id)], [2, ['1']])
  })

  async function opened(
    exclusive = true,
  ): Promise<{ db: Database; counters: AggregateStore<Counter>; reads: () => number; onRead: (work: () => Promise<unknown>) => void }> {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}exact`, exclusive, traceparent: () => trace })
    open.push(db)
    const counters = aggregateStore<Counter>(db, { collection: 'counters', resource: 'counter', optimistic: 'alone' })
    await db.init()
    let reads = 0
    let afterRead: (() => Promise<unknown>) | undefined
    const raw = counters.collection
    const findOne = raw.findOne.bind(raw) as (...args: unknown[]) => Promise<unknown>
    Object.assign(raw, {
      findOne: async (...args: unknown[]) => {
        reads++
        const found = await findOne(...args)
        const work = afterRead
        afterRead = undefined
        await work?.()
        return found
      },
    })
    return {
      db,
      counters,
      reads: () => reads,
      onRead: work => {
        afterRead = work
      },
    }
  }
  const make = ({ counters }: { counters: AggregateStore<Counter> }) => counters.create({ id: randomUUID(), count: 0 }, [])
  const increment = (counter: Stored<Counter>) => ({ state: { ...counter, count: counter.count + 1 }, events: [] })

  it('reads nothing again that its trace has read or written, nor to refuse or to change nothing', async () => {
    const { counters, reads } = await opened()
    const { id } = await make({ counters })

    await counters.change(id, increment)
    assert.equal((await counters.need(id)).count, 1)
    assert.equal((await counters.many([id])).get(id)!.version, 2)
    await counters.change(id, () => undefined)
    await assert.rejects(
      counters.change(id, () => refuse('INVALID_STATE')),
      (error: unknown) => error instanceof Refusal && error.code === 'INVALID_STATE',
    )
    assert.equal(reads(), 0)
    assert.deepEqual(await counters.need(id), (await counters.find({ _id: id }))[0])
  })

  it('reads for each trace what another one knows, and always without a trace', async () => {
    const { counters, reads } = await opened()
    const { id } = await make({ counters })
    await counters.collection.updateOne({ _id: id as never }, { $set: { count: 7 } })

    nextTrace()
    assert.equal((await counters.need(id)).count, 7)
    assert.equal((await counters.need(id)).count, 7)
    assert.equal(reads(), 1)
    trace = ''
    await counters.need(id)
    assert.equal(reads(), 2)
  })

  it('shows what a transaction wrote after its commit, and nothing of one that failed', async () => {
    const { db, counters } = await opened()
    const { id } = await make({ counters })

    await db.transaction(async session => {
      await counters.change(id, increment, { session })
      assert.equal((await counters.need(id)).count, 0)
      assert.equal((await counters.change(id, increment, { session })).count, 2)
    })
    assert.equal((await counters.need(id)).count, 2)

    const failed = db.transaction(async session => {
      await counters.change(id, increment, { session })
      refuse('FORBIDDEN')
    })
    await assert.rejects(failed, { code: 'FORBIDDEN' })
    assert.deepEqual([(await counters.need(id)).count, (await counters.change(id, increment)).count], [2, 3])
  })

  it('throws what refuses a part of a transaction, and nothing of it is left', async () => {
    const { db, counters } = await opened()
    const { id } = await make({ counters })
    const other = await make({ counters })
    await counters.need(id)

    const failed = db.transaction(async session => {
      await counters.change(other.id, increment, { session })
      await counters.change(id, () => refuse('INVALID_STATE'), { session })
    })

    await assert.rejects(failed, { code: 'INVALID_STATE' })
    assert.deepEqual([(await counters.need(other.id)).count, (await counters.need(id)).count], [0, 0])
  })

  it('reads again what was written past it', async () => {
    const { db, counters } = await opened()
    const [one, other] = [await make({ counters }), await make({ counters })]
    const add = (filter: object) => counters.collection.updateMany(filter, { $inc: { count: 5 } })

    await writePast(db, 'counters', [one.id], () => add({ _id: one.id }))
    assert.deepEqual([(await counters.need(one.id)).count, (await counters.need(other.id)).count], [5, 0])
    await writePast(db, 'counters', undefined, () => add({ _id: { $in: [one.id, other.id] } }))
    assert.deepEqual([(await counters.need(one.id)).count, (await counters.need(other.id)).count], [10, 5])
  })

  it('forgets what was read before a write that has ended since', async () => {
    const { db, counters, onRead } = await opened()
    const { id } = await make({ counters })

    nextTrace()
    onRead(() => counters.change(id, increment))
    assert.equal((await counters.need(id)).count, 0)
    assert.equal((await counters.need(id)).count, 1)

    nextTrace()
    onRead(() => writePast(db, 'counters', [id], () => counters.collection.updateOne({ _id: id as never }, { $set: { count: 9 } })))
    await counters.need(id)
    assert.equal((await counters.need(id)).count, 9)
  })

  it('reads each time where others write', async () => {
    const { counters, reads } = await opened(false)
    const { id } = await make({ counters })

    await counters.change(id, increment)
    await counters.need(id)

    assert.equal(reads(), 2)
  })
})
