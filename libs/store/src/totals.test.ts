import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import { aggregateStore } from './aggregate.ts'
import { openDatabase } from './database.ts'
import type { Indexes } from './indexes.ts'
import { totals } from './totals.ts'

interface Thing {
  id: string
  kind: string
}

await onEachMongo('totals of lists', acquireMongo => {
  /** A list of so many, and how often it was counted. */
  const listOf = (length: number) => {
    const list = { length, counts: 0, time: 0, filter: {} as Record<string, unknown> }
    const cached = totals(
      async () => {
        list.counts += 1
        return list.length
      },
      () => list.time,
    )
    const page = (limit: number, offset: number, filter = list.filter) =>
      cached.page(filter, { limit, offset }, async () => Array.from({ length: Math.max(0, Math.min(limit, list.length - offset)) }))
    return { list, cached, total: async (limit: number, offset = 0, filter = list.filter) => (await page(limit, offset, filter)).total }
  }

  it('a page that is not full gives the total without a count', async () => {
    const { list, total } = listOf(7)
    assert.deepEqual([await total(20), await total(5, 5), await listOf(0).total(20)], [7, 7, 0])
    assert.equal(list.counts, 0)
    assert.equal(await total(5, 10), 7, 'behind the end only a count can tell')
    assert.equal(list.counts, 1)
  })

  it('a full page is counted once, until something is written or a second has passed', async () => {
    const { list, cached, total } = listOf(50)
    assert.deepEqual([await total(20), await total(20, 20)], [50, 50])
    assert.equal(list.counts, 1)
    list.length = 51
    cached.forget()
    assert.equal(await total(20), 51)
    list.length = 52
    assert.equal(await total(20), 51, 'written by another process')
    list.time = 1_000
    assert.equal(await total(20), 52)
    assert.equal(list.counts, 3)
  })

  it('a total is never less than what the page shows', async () => {
    const { list, total } = listOf(20)
    assert.equal(await total(20), 20)
    list.length = 40
    assert.equal(await total(20, 20), 40)
  })

  it('filters are distinguished by value and by type', async () => {
    const { list, total } = listOf(50)
    for (const filter of [{ a: 1 }, { a: '1' }, { a: 1n }, { a: { $gte: new Date(1) } }, { a: { $gte: new Date(2) } }, { b: 1 }])
      await total(20, 0, filter)
    assert.equal(list.counts, 6)
  })

  it('a count that fails is tried again', async () => {
    let calls = 0
    const cached = totals(async () => {
      calls += 1
      if (calls === 1) throw new Error('down')
      return 9
    })
    const page = () => cached.page({}, { limit: 1, offset: 0 }, async () => ['one'])
    await assert.rejects(page(), /down/)
    assert.equal((await page()).total, 9)
  })

  describe('of aggregates', () => {
    let mongo: TestMongo
    before(async () => {
      mongo = await acquireMongo()
    })
    after(() => mongo.close())

    it('every write of this process counts immediately, also one made in a transaction', async () => {
      const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}totals` })
      try {
        const indexes: Indexes = {
          kind_newest: { key: { kind: 1, createdAt: -1, _id: -1 } },
        }
        const things = aggregateStore<Thing>(db, { collection: 'things', resource: 'thing', indexes })
        await db.init()
        const total = async (kind: string) => (await things.page({ kind }, { limit: 1, offset: 0 })).total
        const create = () => things.create({ id: randomUUID(), kind: 'a' }, [])
        const [first, second] = [await create(), await create()]
        assert.equal(await total('a'), 2)
        await create()
        assert.equal(await total('a'), 3)
        await things.change(first.id, thing => ({ state: { ...thing, kind: 'b' }, events: [] }))
        assert.deepEqual([await total('a'), await total('b')], [2, 1])
        await db.transaction(async session => void (await things.create({ id: randomUUID(), kind: 'a' }, [], { session })))
        assert.equal(await total('a'), 3)
        await things.remove(second.id)
        assert.equal(await total('a'), 2)
      } finally {
        await db.close()
      }
    })
  })
})
