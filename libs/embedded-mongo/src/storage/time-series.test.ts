import assert from 'node:assert/strict'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('time series', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))

  it('accept documents of the same _id, and return them by time and by index', async () => {
    const db = test.db()
    const coll = await db.createCollection<{ _id: number; at: Date; n: number }>('c', { timeseries: { timeField: 'at', metaField: 'who' } })
    await coll.createIndex({ n: 1 })
    await coll.insertMany([3, 1, 2].map(n => ({ _id: 1, at: at(n), n })))

    assert.deepEqual(
      (await coll.find({ _id: 1 }).sort({ at: 1 }).toArray()).map(({ n }) => n),
      [1, 2, 3],
    )
    assert.deepEqual(
      (await coll.find({ n: { $gte: 2 } }).toArray()).map(({ n }) => n),
      [2, 3],
    )
    assert.deepEqual(
      (await coll.find({ at: { $lt: at(3) } }).toArray()).map(({ n }) => n),
      [1, 2],
    )
    assert.equal((await coll.deleteMany({ n: 2 })).deletedCount, 1)
    assert.equal(await coll.countDocuments({ _id: 1 }), 2)
    assert.deepEqual(
      (await coll.indexes()).map(({ name }) => name),
      ['n_1'],
    )
  })

  it('are listed as such', async () => {
    const db = test.db()
    await db.createCollection('c', { timeseries: { timeField: 'at', granularity: 'hours' }, expireAfterSeconds: 60 })
    await test.restart()

    const [listed] = await test.client.db(db.databaseName).listCollections({}, { nameOnly: false }).toArray()
    assert.equal(listed!.type, 'timeseries')
    assert.deepEqual(listed!.options, {
      expireAfterSeconds: 60,
      timeseries: { granularity: 'hours', bucketMaxSpanSeconds: 2_592_000, timeField: 'at' },
    })
  })

  it('refuse documents without a time, updates, transactions and unique indexes', async () => {
    const coll = await test.db().createCollection<{ at?: Date; n: number }>('c', { timeseries: { timeField: 'at' } })
    await coll.insertOne({ at: at(1), n: 1 })
    const session = test.client.startSession()
    session.startTransaction()

    assert.equal((await refusalOf(coll.insertOne({ n: 1 }))).code, 2)
    assert.equal((await refusalOf(coll.updateOne({}, { $set: { n: 2 } }))).code, 115)
    assert.equal((await refusalOf(coll.createIndex({ n: 1 }, { unique: true }))).code, 72)
    assert.equal((await refusalOf(coll.insertOne({ at: at(2), n: 1 }, { session }))).code, 263)
    await session.endSession()
  })
})
