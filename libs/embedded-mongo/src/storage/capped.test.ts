import assert from 'node:assert/strict'
import type { Document } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('capped collections', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  const ids = (docs: Document[]) => docs.map(({ _id }) => _id)

  it('give documents in the order in which they came, and the other way round', async () => {
    const coll = await test.db().createCollection<{ _id: number; a?: number }>('c', { capped: true, size: 4096 })
    for (const _id of [3, 1, 2]) await coll.insertOne({ _id })
    await coll.updateOne({ _id: 3 }, { $set: { a: 1 } })

    assert.deepEqual(ids(await coll.find().toArray()), [3, 1, 2])
    assert.deepEqual(ids(await coll.find().sort({ $natural: -1 }).toArray()), [2, 1, 3])
    assert.deepEqual(ids(await coll.find().sort({ _id: 1 }).toArray()), [1, 2, 3])
    assert.deepEqual(
      ids(
        await coll
          .find({ _id: { $gte: 2 } })
          .hint({ $natural: 1 })
          .toArray(),
      ),
      [3, 2],
    )
    assert.equal(await coll.countDocuments(), 3)
  })

  it('let the oldest documents go when there are too many, out of the indexes too', async () => {
    const coll = await test.db().createCollection<{ _id: number; n: number }>('c', { capped: true, size: 100_000, max: 3 })
    await coll.createIndex({ n: 1 }, { unique: true })
    await coll.insertMany([5, 4, 3, 2].map(n => ({ _id: n, n })))
    await coll.deleteOne({ _id: 3 })
    await coll.insertMany([{ _id: 5, n: 5 }])

    assert.deepEqual(ids(await coll.find().toArray()), [4, 2, 5])
    assert.deepEqual(ids(await coll.find({ n: 5 }).toArray()), [5])
    assert.equal((await coll.db.command({ validate: 'c' })).valid, true)
  })

  it('stay within their size, also after a restart', async () => {
    const db = test.db()
    const coll = await db.createCollection<{ _id: number; text: string }>('c', { capped: true, size: 2500 })
    const text = 'x'.repeat(900)
    for (const _id of [1, 2, 3]) await coll.insertOne({ _id, text })
    await test.restart()
    const again = test.client.db(db.databaseName).collection<{ _id: number; text: string }>('c')
    await again.insertOne({ _id: 4, text })

    assert.deepEqual(ids(await again.find().toArray()), [3, 4])
    assert.deepEqual(await again.options(), { capped: true, size: 2560 })
    assert.equal(await again.isCapped(), true)
  })

  it('are left out of transactions and of $out', async () => {
    const db = test.db()
    const coll = await db.createCollection('c', { capped: true, size: 4096 })
    const session = test.client.startSession()
    session.startTransaction()

    assert.equal((await refusalOf(coll.insertOne({ a: 1 }, { session }))).code, 263)
    await session.endSession()
    await db.collection('d').insertOne({})
    assert.equal(
      (
        await refusalOf(
          db
            .collection('d')
            .aggregate([{ $out: 'c' }])
            .toArray(),
        )
      ).code,
      263,
    )
    assert.equal((await refusalOf(db.createCollection('e', { capped: true }))).code, 72)
  })

  it('are followed by tailable cursors', async () => {
    const coll = await test.db().createCollection<{ _id: number; wanted: boolean }>('c', { capped: true, size: 4096 })
    await coll.insertOne({ _id: 9, wanted: true })
    const cursor = coll.find({ wanted: true }, { tailable: true, awaitData: true, maxAwaitTimeMS: 5_000 })
    assert.equal((await cursor.next())?._id, 9)

    const next = cursor.next()
    await coll.insertMany([
      { _id: 8, wanted: false },
      { _id: 7, wanted: true },
    ])

    assert.equal((await next)?._id, 7)
    await cursor.close()
  })

  it('fail a tailable cursor whose unread documents were deleted', async () => {
    const coll = await test.db().createCollection<{ _id: number }>('c', { capped: true, size: 4096, max: 2 })
    await coll.insertOne({ _id: 1 })
    const cursor = coll.find({}, { tailable: true, batchSize: 1 })
    await cursor.next()
    await coll.insertMany([2, 3, 4, 5].map(_id => ({ _id })))

    assert.equal((await refusalOf(cursor.next())).code, 136)
  })

  it('alone are followed', async () => {
    const coll = test.db().collection('c')
    await coll.insertOne({})

    assert.equal((await refusalOf(coll.find({}, { tailable: true }).toArray())).code, 2)
  })

  it('are made with a number in the place of true', async () => {
    const db = test.db()
    await db.command({ create: 'c', capped: 1, size: 4096 })

    assert.equal(await db.collection('c').isCapped(), true)
  })
})
