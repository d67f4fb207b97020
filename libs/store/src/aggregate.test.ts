import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { event, Refusal, refuse } from '@carapace/api'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import { z } from 'zod'
import { type AggregateStore, aggregateStore } from './aggregate.ts'
import { type Database, openDatabase } from './database.ts'
import type { Indexes } from './indexes.ts'
import type { OutboxEntry } from './outbox/entry.ts'

const counted = event('store.counter.counted', 'id', 'For the test', { id: z.string(), to: z.number() })

interface Counter {
  id: string
  name: string
  count: number
  note?: string
}

const indexes: Indexes = {
  name: { key: { name: 1 }, unique: true },
  newest: { key: { createdAt: -1, _id: -1 } },
  count: { key: { count: 1 } },
}

await onEachMongo('aggregate store', acquireMongo => {
  let mongo: TestMongo
  let db: Database
  let counters: AggregateStore<Counter>

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}aggregate` })
    counters = aggregateStore<Counter>(db, { collection: 'counters', resource: 'counter', indexes, duplicates: { name: 'DUPLICATE_HANDLE' } })
    await db.init()
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  const fresh = (name: string = randomUUID()) => counters.create({ id: randomUUID(), name, count: 0 }, [])
  const increment = (counter: Counter) => ({
    state: { ...counter, count: counter.count + 1 },
    events: [counted.of({ id: counter.id, to: counter.count + 1 })],
  })
  const outboxOf = async (id: string) =>
    (await db.connection.collection<{ _id: string; outbox: OutboxEntry[] }>('counters').findOne({ _id: id }))?.outbox ?? []

  it('gives versions that rise by one and times from its clock', async () => {
    const created = await fresh()

    const changed = await counters.change(created.id, increment)

    assert.deepEqual([created.version, changed.version, changed.count], [1, 2, 1])
    assert.ok(changed.updatedAt >= created.updatedAt)
  })

  it('changes what there is, and says so of what there is not', async () => {
    const { id, name } = await fresh()
    const found = await counters.many([id, randomUUID()])

    assert.equal((await counters.changeKnown(id, increment))?.count, 1)
    assert.equal(await counters.changeKnown(randomUUID(), increment), undefined)
    await assert.rejects(counters.change(randomUUID(), increment), { code: 'NOT_FOUND' })
    await assert.rejects(
      counters.changeKnown(id, () => refuse('NOT_FOUND')),
      { code: 'NOT_FOUND' },
    )
    assert.deepEqual(
      [...found].map(([key, counter]) => [key, counter.name]),
      [[id, name]],
    )
  })

  describe('createOnce', () => {
    const made = (name: string = randomUUID()) => ({ state: { id: '', name, count: 0 }, events: [counted.of({ id: name, to: 0 })] })

    it('creates one aggregate with its events for an id, however many callers come at the same time', async () => {
      const id = randomUUID()

      const answers = await Promise.all(Array.from({ length: 5 }, () => counters.createOnce(id, () => made())))

      assert.deepEqual([new Set(answers.map(({ name }) => name)).size, answers[0]?.id, (await outboxOf(id)).length], [1, id, 1])
    })

    it('answers the existing one as it is now, also when a repeat would be refused', async () => {
      const id = randomUUID()
      await counters.createOnce(id, async () => made())
      await counters.change(id, increment)

      const repeated = await counters.createOnce(id, () => refuse('INVALID_STATE'))

      assert.deepEqual([repeated.count, repeated.version], [1, 2])
    })

    it('refuses what the first call may not create, and creates nothing then', async () => {
      const { name } = await fresh()
      const id = randomUUID()

      await assert.rejects(
        counters.createOnce(id, () => made(name)),
        { code: 'DUPLICATE_HANDLE' },
      )
      await assert.rejects(
        counters.createOnce(id, () => refuse('INVALID_STATE')),
        { code: 'INVALID_STATE' },
      )
      assert.equal(await counters.get(id), undefined)
    })

    it('reports a fault of the code even when one exists', async () => {
      const id = randomUUID()
      await counters.createOnce(id, () => made())

      await assert.rejects(
        counters.createOnce(id, () => {
          throw new TypeError('a fault')
        }),
        TypeError,
      )
    })
  })

  it('writes state and events in one write', async () => {
    const { id } = await fresh()

    await counters.change(id, increment)

    const [entry] = await outboxOf(id)
    assert.deepEqual([entry?.type, entry?.version, entry?.data], ['store.counter.counted.v1', 2, { id, to: 1 }])
  })

  it('loses none of thirty concurrent changes', async () => {
    const { id } = await fresh()
    const tries = await Promise.allSettled(Array.from({ length: 30 }, () => counters.change(id, increment)))

    const done = tries.filter(result => result.status === 'fulfilled').length
    assert.equal((await counters.need(id)).count, done)
    for (const result of tries) if (result.status === 'rejected') assert.equal((result.reason as Refusal).code, 'CONFLICT')
  })

  it('does nothing when the decision is empty', async () => {
    const { id } = await fresh()

    const same = await counters.change(id, () => undefined)

    assert.equal(same.version, 1)
  })

  it('changes nothing on the second delivery of a cause', async () => {
    const { id } = await fresh()
    const cause = randomUUID()

    await counters.change(id, increment, { cause })
    await counters.change(id, increment, { cause })

    assert.equal((await counters.need(id)).count, 1)
  })

  it('creates once for the same cause', async () => {
    const state = { id: randomUUID(), name: randomUUID(), count: 7 }
    const cause = randomUUID()

    await counters.create(state, [], { cause })
    const again = await counters.create(state, [], { cause })

    assert.equal(again.version, 1)
  })

  it('saves what follows from the other fields with every write', async () => {
    const derive = (counter: Counter): Counter => ({ ...counter, note: counter.count > 0 ? 'counted' : 'new' })
    const noted = aggregateStore<Counter>(db, { collection: 'noted_counters', resource: 'counter', indexes, derive })

    const created = await noted.create({ id: randomUUID(), name: randomUUID(), count: 0 }, [])
    const changed = await noted.change(created.id, increment)

    assert.deepEqual([created.note, changed.note, (await noted.need(created.id)).note], ['new', 'counted', 'counted'])
  })

  it('removes a field that the new state lacks', async () => {
    const { id } = await counters.create({ id: randomUUID(), name: randomUUID(), count: 0, note: 'x' }, [])

    await counters.change(id, ({ note, ...rest }) => ({ state: rest, events: [] }))

    assert.equal('note' in (await counters.need(id)), false)
  })

  it('refuses a collision with the code of the index', async () => {
    const { name } = await fresh()

    await assert.rejects(fresh(name), (error: Refusal) => error.code === 'DUPLICATE_HANDLE')
  })

  it('refuses an unknown id with the resource in the details', async () => {
    await assert.rejects(counters.need('nobody'), (error: Refusal) => error.code === 'NOT_FOUND' && error.extras.details?.resource === 'counter')
  })

  it('pages through a range newest first, whether few match or many', async () => {
    const ids: string[] = []
    for (let n = 0; n < 40; n++) {
      const { id } = await counters.create({ id: `range-${n}`, name: randomUUID(), count: n === 7 ? 2_000 : 1_000 }, [])
      ids.unshift(id)
    }
    const page = async (least: number, offset: number) => {
      const { items, total } = await counters.pageOfRange({ count: { $gte: least } }, { limit: 3, offset }, 'newest')
      return [items.map(({ id }) => id), total]
    }

    assert.deepEqual(await page(1_000, 2), [ids.slice(2, 5), 40])
    assert.deepEqual(await page(1_000, 39), [ids.slice(39), 40])
    assert.deepEqual(await page(2_000, 0), [['range-7'], 1])
    assert.deepEqual(await page(2_000, 1), [[], 1])
    assert.deepEqual(await page(3_000, 0), [[], 0])
  })

  it('finds what matches any of several filters, once each, without what the store alone reads', async () => {
    const [one, other] = [await fresh(), await counters.change((await fresh()).id, increment)]

    const found = await counters.findAny([{ name: one.name }, { _id: other.id }, { name: other.name }, { name: randomUUID() }])

    assert.deepEqual(found, [one, other])
    assert.deepEqual(await counters.findAny([]), [])
  })

  it('leaves nothing of an aborted transaction', async () => {
    const { id } = await fresh()

    const work = db.transaction(async session => {
      await counters.change(id, increment, { session })
      throw new Refusal('CONFLICT')
    })

    await assert.rejects(work, (error: Refusal) => error.code === 'CONFLICT')
    assert.equal((await counters.need(id)).count, 0)
  })

  it('reads a document in an older form as its upgrade says, everywhere, and writes the present one with the next change', async () => {
    interface Named {
      id: string
      name: { full: string }
    }
    const upgrade = <T extends Named>(state: T): T => {
      const { title, ...rest } = state as T & { title?: string }
      return title === undefined ? state : ({ ...rest, name: { full: title } } as unknown as T)
    }
    const named = aggregateStore<Named>(db, { collection: 'named', resource: 'named', upgrade })
    const raw = db.connection.collection<{ _id: string; [field: string]: unknown }>('named')
    const at = new Date()
    await raw.insertOne({ _id: 'old', title: 'An old one', version: 1, createdAt: at, updatedAt: at })

    assert.deepEqual((await named.need('old')).name, { full: 'An old one' })
    assert.deepEqual((await named.find({}))[0]?.name, { full: 'An old one' })
    await named.change('old', before => ({ state: { ...before }, events: [] }))

    const { title, name } = (await raw.findOne({ _id: 'old' }))!
    assert.deepEqual([title, name], [undefined, { full: 'An old one' }])
  })
})
