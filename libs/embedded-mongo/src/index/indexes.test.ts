import assert from 'node:assert/strict'
import { Int32, Long } from 'bson'
import * as fc from 'fast-check'
import type { Collection, Document } from 'mongodb'
import { Decimal128, MaxKey, MinKey, ObjectId } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

async function stageOf(
  items: Collection,
  filter: Document,
  sort?: Document,
): Promise<{ stage: string; index: string | undefined; isSorted: boolean }> {
  const { winningPlan } = (
    await items
      .find(filter)
      .sort((sort ?? {}) as never)
      .explain('queryPlanner')
  ).queryPlanner
  const isSorted = winningPlan.stage !== 'SORT'
  const plan = isSorted ? winningPlan : winningPlan.inputStage
  return { stage: plan.inputStage?.stage ?? plan.stage, index: plan.inputStage?.indexName, isSorted }
}

/** For much work on a busy machine. */
const busyMs = 60_000

describe('indexes', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  it('refuses a second document with a unique value and names the key', async () => {
    const items = test.db().collection('items')
    await items.createIndex({ 'user.email': 1 }, { unique: true })
    await items.insertOne({ user: { email: 'a@b.c' } })
    const refusal = await refusalOf(items.insertOne({ user: { email: 'a@b.c' } }))

    assert.equal(refusal.code, 11000)
    assert.deepEqual([refusal.keyPattern, refusal.keyValue], [{ 'user.email': 1 }, { 'user.email': 'a@b.c' }])
    assert.match(refusal.message, /^E11000 duplicate key error collection: \w+\.items index: user\.email_1 dup key: \{ user\.email: "a@b\.c" \}/)
    assert.equal(
      (await refusalOf(items.findOneAndUpdate({ x: 1 }, { $set: { 'user.email': 'a@b.c' } }, { upsert: true }))).keyValue['user.email'],
      'a@b.c',
    )
  })

  it('counts a missing value as null, unless the index is sparse or partial', async () => {
    const db = test.db()
    await db.collection('plain').createIndex({ a: 1 }, { unique: true })
    await db.collection('sparse').createIndex({ a: 1 }, { unique: true, sparse: true })
    await db.collection('partial').createIndex({ a: 1 }, { unique: true, partialFilterExpression: { a: { $exists: true } } })
    for (const name of ['plain', 'sparse', 'partial']) await db.collection(name).insertOne({ b: 1 })

    assert.equal((await refusalOf(db.collection('plain').insertOne({ b: 2 }))).code, 11000)
    for (const name of ['sparse', 'partial']) await db.collection(name).insertOne({ b: 2 })
  })

  it('lets a unique partial index on arrays hold one owner per element while its condition holds', async () => {
    const items = test.db().collection('items')
    await items.createIndex({ keys: 1 }, { unique: true, partialFilterExpression: { status: 'open' } })
    await items.insertOne({ keys: ['a', 'b'], status: 'open' })
    await items.insertOne({ keys: ['b'], status: 'closed' })

    assert.equal((await refusalOf(items.insertOne({ keys: ['c', 'b'], status: 'open' }))).code, 11000)
    assert.equal((await refusalOf(items.updateOne({ status: 'closed' }, { $set: { status: 'open' } }))).code, 11000)
    await items.updateOne({ status: 'open' }, { $pull: { keys: 'b' } } as never)
    await items.updateOne({ status: 'closed' }, { $set: { status: 'open' } })
    assert.equal((await test.client.db(items.dbName).command({ validate: 'items' })).valid, true)
  })

  it('refuses to build a unique index over duplicates and leaves nothing of it', async () => {
    const items = test.db().collection('items')
    await items.insertMany([{ a: 1 }, { a: 1 }])

    assert.equal((await refusalOf(items.createIndex({ a: 1 }, { unique: true }))).code, 11000)
    assert.deepEqual(
      (await items.indexes()).map(({ name }) => name),
      ['_id_'],
    )
    await items.createIndex({ a: 1 })
    assert.equal(await items.countDocuments({ a: 1 }), 2)
  })

  it('distinguishes an existing index from one that conflicts with it', async () => {
    const items = test.db().collection('items')
    await items.createIndex({ a: 1 }, { name: 'first' })
    await items.createIndex({ a: 1 }, { name: 'first' })

    assert.equal((await refusalOf(items.createIndex({ a: 1 }, { name: 'second' }))).code, 85)
    assert.equal((await refusalOf(items.createIndex({ b: 1 }, { name: 'first' }))).code, 86)
    assert.equal((await refusalOf(items.dropIndex('nothing'))).code, 27)
    assert.equal((await refusalOf(items.dropIndex('_id_'))).code, 72)
    assert.equal((await refusalOf(items.createIndex({ a: 1, b: 0 } as never))).code, 67)
  })

  it('uses the index that says most, and its order', async () => {
    const items = test.db().collection('items')
    await items.insertMany(Array.from({ length: 50 }, (_, i) => ({ a: i % 5, b: i, c: `v${i}` })))
    await items.createIndex({ a: 1 })
    await items.createIndex({ a: 1, b: -1 })
    await items.createIndex({ c: 1 }, { unique: true })

    assert.deepEqual(await stageOf(items, { a: 1, b: { $gt: 3 } }), { stage: 'IXSCAN', index: 'a_1_b_-1', isSorted: true })
    assert.deepEqual(await stageOf(items, { a: 1 }, { b: 1 }), { stage: 'IXSCAN', index: 'a_1_b_-1', isSorted: true })
    assert.deepEqual(await stageOf(items, { a: { $in: [1, 2] } }, { b: 1 }), { stage: 'IXSCAN', index: 'a_1', isSorted: false })
    assert.deepEqual(await stageOf(items, { a: 1, c: 'v6' }), { stage: 'IXSCAN', index: 'c_1', isSorted: true })
    assert.deepEqual(await stageOf(items, { d: 1 }), { stage: 'COLLSCAN', index: undefined, isSorted: true })
    assert.deepEqual(
      (await items.find({ a: 1 }).sort({ b: -1 }).limit(2).toArray()).map(({ b }) => b),
      [46, 41],
    )
  })

  it('gives the order after one element of an array, and counts such documents by their keys', async () => {
    const items = test.db().collection('items')
    await items.createIndex({ tags: 1, n: -1, _id: -1 })
    await items.insertMany(Array.from({ length: 20 }, (_, n) => ({ n, tags: n % 2 ? ['odd', 'odd', `t${n}`] : ['even', `t${n}`] })))

    assert.equal((await stageOf(items, { tags: 'odd' }, { n: -1, _id: -1 })).isSorted, true)
    assert.equal((await stageOf(items, { tags: { $in: ['odd', 't2'] } }, { n: -1, _id: -1 })).isSorted, false)
    assert.equal((await stageOf(items, { tags: 'odd' }, { tags: 1 })).isSorted, false)
    assert.deepEqual(
      (await items.find({ tags: 'odd' }).sort({ n: -1, _id: -1 }).limit(2).toArray()).map(({ n }) => n),
      [19, 17],
    )
    assert.deepEqual([await items.countDocuments({ tags: 'odd' }), await items.countDocuments({ tags: { $in: ['odd', 't3'] } })], [10, 10])
    assert.equal(await items.countDocuments({}), 20)
  })

  it('refuses new duplicates in an index that is being made unique, and names the old ones', async () => {
    const items = test.db().collection<{ _id: number; x: number }>('items')
    await items.insertMany([1, 2].map(_id => ({ _id, x: 1 })))
    await items.createIndex({ x: 1 })
    const change = (option: object) => items.db.command({ collMod: 'items', index: { keyPattern: { x: 1 }, ...option } })
    await change({ prepareUnique: true })

    assert.equal((await refusalOf(items.insertOne({ _id: 3, x: 1 }))).code, 11000)
    assert.deepEqual((await refusalOf(change({ unique: true }))).errorResponse.violations, [{ ids: [1, 2] }])
    await items.deleteOne({ _id: 1 })
    await items.updateOne({ _id: 2 }, { $set: { x: 1, y: 1 } })
    await change({ unique: true })
    assert.equal((await refusalOf(items.insertOne({ _id: 3, x: 1 }))).code, 11000)
  })

  it('uses a partial index only for queries that imply its condition', async () => {
    const items = test.db().collection('items')
    await items.createIndex({ a: 1 }, { partialFilterExpression: { status: 'open', n: { $gte: 5 } } })
    await items.insertMany([
      { a: 1, status: 'open', n: 5 },
      { a: 1, status: 'closed', n: 9 },
    ])

    assert.equal((await stageOf(items, { a: 1 })).stage, 'COLLSCAN')
    assert.equal((await stageOf(items, { a: 1, status: 'open', n: { $gt: 5 } })).stage, 'IXSCAN')
    assert.equal((await stageOf(items, { a: 1, status: 'open', n: { $gte: 4 } })).stage, 'COLLSCAN')
    assert.equal(await items.countDocuments({ a: 1 }), 2)
    assert.equal(await items.countDocuments({ a: 1, status: 'open', n: 5 }), 1)

    await items.createIndex({ due: 1 }, { partialFilterExpression: { due: { $type: 'date' } } })
    assert.equal((await stageOf(items, { due: { $lte: new Date() } }, { due: 1 })).index, 'due_1')
    assert.equal((await stageOf(items, { due: { $lte: 5 } })).stage, 'COLLSCAN')
  })

  it('reads documents without the field where a condition includes them, next to sparse and partial indexes too', async () => {
    const items = test.db().collection<{ _id: number; a?: number; b: number }>('items')
    await items.createIndex({ a: 1 }, { sparse: true })
    await items.createIndex({ b: 1 }, { partialFilterExpression: { a: { $exists: true } } })
    await items.insertMany([
      { _id: 1, b: 1 },
      { _id: 2, a: 5, b: 1 },
    ])
    const found = async (a: Document) => {
      const sorted = await items.find({ a }).sort({ a: 1, _id: 1 }).toArray()
      const byOther = await items.find({ a, b: 1 }).sort({ _id: 1 }).toArray()
      assert.deepEqual(sorted, byOther)
      return sorted.map(({ _id }) => _id)
    }

    for (const bound of [{ $gte: null }, { $lte: null }]) assert.deepEqual(await found(bound), [1])
    for (const bound of [{ $gte: new MinKey() }, { $gt: new MinKey() }, { $lt: new MaxKey() }, { $lte: new MaxKey() }])
      assert.deepEqual(await found(bound), [1, 2])
    assert.deepEqual(await found({ $gte: 1 }), [2])
  })

  it('distinguishes values that are too long for a key', async () => {
    const items = test.db().collection('items')
    await items.createIndex({ a: 1 }, { unique: true })
    const long = (end: string) => `${'x'.repeat(5_000)}${end}`
    await items.insertMany(['b', 'a', 'c'].map(end => ({ _id: long(end) as never, a: long(end) })))

    assert.equal((await refusalOf(items.insertOne({ a: long('a') }))).code, 11000)
    assert.equal(await items.countDocuments({ a: { $gt: long('a') } }), 2)
    assert.deepEqual(
      (await items.find().sort({ a: 1 }).toArray()).map(({ a }) => a.slice(-1)),
      ['a', 'b', 'c'],
    )
    assert.equal((await items.findOne({ _id: long('c') as never }))?.a, long('c'))
  })

  it('hides an index, changes its expiry and makes it unique by collMod', async () => {
    const db = test.db()
    const items = db.collection('items')
    await items.insertMany([{ a: 1 }, { a: 1 }])
    await items.createIndex({ a: 1 })
    await db.command({ collMod: 'items', index: { name: 'a_1', hidden: true } })
    assert.equal((await stageOf(items, { a: 1 })).stage, 'COLLSCAN')

    await db.command({ collMod: 'items', index: { name: 'a_1', hidden: false } })
    const refusal = await refusalOf(db.command({ collMod: 'items', index: { keyPattern: { a: 1 }, unique: true } }))
    assert.equal(refusal.code, 359)
    assert.equal(refusal.errorResponse.violations[0].ids.length, 2)
    await items.deleteOne({ a: 1 })
    await db.command({ collMod: 'items', index: { keyPattern: { a: 1 }, unique: true } })
    assert.equal((await refusalOf(items.insertOne({ a: 1 }))).code, 11000)
  })

  it('gives the same answer by index and by scan, for any documents and filter', async () => {
    const db = test.db()
    const items = db.collection('items')
    await items.createIndexes([
      { key: { a: 1 } },
      { key: { b: -1 } },
      { key: { a: 1, b: -1 } },
      { key: { a: 1, _id: 1 } },
      { key: { a: 1, b: -1, _id: 1 } },
      { key: { 'a.x': 1, 'a.y': 1 } },
      { key: { b: 1, a: 1 }, sparse: true, name: 'sparse' },
      { key: { b: 1 }, partialFilterExpression: { a: { $exists: true } }, name: 'partial' },
    ])
    const id = new ObjectId()
    const scalar = fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      1,
      2,
      -1,
      1.5,
      Number.NaN,
      new Int32(1),
      Long.fromString('9007199254740993'),
      Decimal128.fromString('1.5'),
      '',
      'a',
      'b',
      id,
      new Date(5),
    )
    const inner = fc.record({ x: scalar, y: scalar }, { requiredKeys: [] })
    const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), inner, fc.array(inner, { maxLength: 2 }))
    const documents = fc.array(fc.record({ a: value, b: fc.oneof(scalar, scalar, fc.constant([1, 'a'])) }, { requiredKeys: [] }), {
      minLength: 1,
      maxLength: 12,
    })
    const comparison = fc.oneof(
      scalar,
      fc.record({ $gt: scalar }),
      fc.record({ $gte: scalar, $lt: scalar }),
      fc.record({ $lte: scalar }),
      fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
      fc.constant({ $exists: true }),
    )
    const filter = fc.record({ a: comparison, b: comparison, 'a.x': comparison, 'a.y': comparison }, { requiredKeys: [] })
    const sort = fc.constantFrom<Record<string, 1 | -1>>({ _id: 1 }, { a: 1, _id: 1 }, { b: -1, _id: 1 }, { a: -1, b: 1, _id: 1 })

    await fc.assert(
      fc.asyncProperty(documents, fc.array(filter, { minLength: 4, maxLength: 4 }), sort, async (docs, filters, order) => {
        await items.deleteMany({})
        const storable = docs.filter(doc => !(Array.isArray(doc.a) && Array.isArray(doc.b)))
        if (storable.length > 0) await items.insertMany(storable.map((doc, i) => ({ ...doc, _id: i as never })))
        for (const query of filters) {
          const scanned = await items.find(query).sort(order).hint({ $natural: 1 }).toArray()
          assert.deepEqual(await items.find(query).sort(order).toArray(), scanned)
          assert.equal(await items.countDocuments(query), scanned.length)
        }
      }),
      { numRuns: 60 },
    )
    assert.deepEqual((await db.command({ validate: 'items' })).errors, [])
  }).timeout(busyMs)

  it('lists text indexes as MongoDB does, so that clients find them unchanged', async () => {
    const items = test.db().collection('items')
    const make = () => items.createIndex({ n: 1, title: 'text', body: 'text' }, { weights: { title: 5 } })
    const name = await make()
    await make()

    assert.deepEqual((await items.indexes())[1], {
      v: 2,
      key: { n: 1, _fts: 'text', _ftsx: 1 },
      name,
      weights: { body: 1, title: 5 },
      default_language: 'english',
      language_override: 'language',
      textIndexVersion: 3,
    })
  })

  it('may have one key twice with different collations, and are then dropped by name', async () => {
    const items = test.db().collection('items')
    await items.createIndex({ a: 1 }, { name: 'en', collation: { locale: 'en_US', strength: 2 } })
    await items.createIndex({ a: 1 }, { name: 'fr', collation: { locale: 'fr_CA' } })
    assert.equal((await refusalOf(items.createIndex({ a: 1 }, { name: 'other', collation: { locale: 'fr_CA' } }))).code, 85)

    const ambiguous = await refusalOf(test.client.db(items.dbName).command({ dropIndexes: 'items', index: { a: 1 } }))
    assert.deepEqual([ambiguous.code, ambiguous.codeName], [181, 'AmbiguousIndexKeyPattern'])
    await items.dropIndex('en')
    assert.deepEqual(
      (await items.indexes()).map(({ name }) => name),
      ['_id_', 'fr'],
    )
  })

  it('are listed with the options that they were made with, and are the same with and without background', async () => {
    const items = test.db().collection('items')
    await items.createIndex({ a: 1 }, { background: true })
    await items.createIndex({ a: 1 })

    assert.deepEqual((await items.indexes())[1], { v: 2, key: { a: 1 }, name: 'a_1', background: true })
  })

  it('are visible in the output of explain', async () => {
    const items = test.db().collection('items')
    await items.insertMany(Array.from({ length: 20 }, (_, i) => ({ i, kind: i % 2 })))
    await items.createIndex({ i: 1 })

    const { executionStats } = await items.find({ i: { $gte: 15 }, kind: 1 }).explain('allPlansExecution')
    assert.deepEqual(
      [executionStats.nReturned, executionStats.totalKeysExamined, executionStats.totalDocsExamined, executionStats.allPlansExecution],
      [3, 5, 5, []],
    )
    const scan = (await items.find({ kind: 1 }).explain('executionStats')).executionStats
    assert.deepEqual([scan.nReturned, scan.totalKeysExamined, scan.totalDocsExamined, scan.allPlansExecution], [10, 0, 20, undefined])
    const pipeline = [{ $match: { i: 3 } }, { $group: { _id: '$kind' } }]
    const { stages } = await items.aggregate(pipeline).explain('executionStats')
    assert.deepEqual([stages[0].$cursor.queryPlanner.winningPlan.stage, stages[0].$cursor.executionStats.nReturned], ['FETCH', 1])
    assert.deepEqual(stages[1], pipeline[1])
    assert.equal((await items.aggregate([{ $match: { i: 3 } }]).explain()).queryPlanner.winningPlan.stage, 'FETCH')
  })
})
