import assert from 'node:assert/strict'
import type { Db } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('views', () => {
  let test: TestServer
  let db: Db
  before(async () => {
    test = await startTestServer()
    db = test.db()
    await db.collection<{ _id: number; kind: string; n: number }>('items').insertMany([
      { _id: 1, kind: 'a', n: 1 },
      { _id: 2, kind: 'b', n: 2 },
      { _id: 3, kind: 'a', n: 3 },
    ])
    await db.createCollection('as', { viewOn: 'items', pipeline: [{ $match: { kind: 'a' } }, { $set: { twice: { $add: ['$n', '$n'] } } }] })
    await db.createCollection('big', { viewOn: 'as', pipeline: [{ $match: { twice: { $gt: 3 } } }] })
    await db.createCollection('plain', { viewOn: 'items' })
  })
  after(() => test.stop())

  it('are read like collections', async () => {
    const view = db.collection('as')

    assert.deepEqual(await view.find({}, { sort: { n: -1 }, projection: { _id: 0, twice: 1 } }).toArray(), [{ twice: 6 }, { twice: 2 }])
    assert.deepEqual(await view.find({ n: 3 }).toArray(), [{ _id: 3, kind: 'a', n: 3, twice: 6 }])
    assert.equal(await view.countDocuments({ n: 1 }), 1)
    assert.equal(await view.estimatedDocumentCount(), 2)
    assert.deepEqual(await view.distinct('twice'), [2, 6])
    assert.deepEqual(await view.aggregate([{ $group: { _id: '$kind', sum: { $sum: '$twice' } } }]).toArray(), [{ _id: 'a', sum: 8 }])
    assert.equal(await db.collection('plain').countDocuments(), 3)
  })

  it('read other views, and are joined', async () => {
    const joined = await db
      .collection('items')
      .aggregate([{ $lookup: { from: 'big', localField: '_id', foreignField: '_id', as: 'found' } }, { $match: { 'found.twice': 6 } }])
      .toArray()

    assert.deepEqual(
      joined.map(({ _id }) => _id),
      [3],
    )
    assert.equal(await db.collection('big').countDocuments(), 1)
  })

  it('are read batch by batch', async () => {
    assert.equal((await db.collection('plain').find({}, { batchSize: 1 }).toArray()).length, 3)
  })

  it('accept no writes and no indexes', async () => {
    const view = db.collection('as')
    const actions = [
      () => view.insertOne({ n: 1 }),
      () => view.updateOne({}, { $set: { n: 1 } }),
      () => view.deleteMany({}),
      () => view.findOneAndDelete({}),
      () => view.createIndex({ n: 1 }),
      () =>
        db
          .collection('items')
          .aggregate([{ $out: 'as' }])
          .toArray(),
      () =>
        db
          .collection('items')
          .aggregate([{ $merge: 'as' }])
          .toArray(),
    ]
    for (const action of actions) assert.equal((await refusalOf(action())).code, 166)
  })

  it('are listed as views, can be changed and dropped, and outlive a restart', async () => {
    const own = test.db()
    await own.collection('c').insertMany([{ n: 1 }, { n: 2 }])
    await own.createCollection('v', { viewOn: 'c', pipeline: [{ $match: { n: 1 } }] })
    await own.command({ collMod: 'v', viewOn: 'c', pipeline: [] })
    await test.restart()
    const again = test.client.db(own.databaseName)

    assert.deepEqual(await again.listCollections({ type: 'view' }).toArray(), [
      { name: 'v', type: 'view', options: { viewOn: 'c', pipeline: [] }, info: { readOnly: true } },
    ])
    assert.equal(await again.collection('v').countDocuments(), 2)
    assert.equal(await again.collection('v').drop(), true)
    assert.equal(await again.collection('c').countDocuments(), 2)
  })

  it('are refused when they form a circle or write', async () => {
    const own = test.db()
    await own.createCollection('a', { viewOn: 'b' })
    await own.createCollection('b', { viewOn: 'a' })

    assert.equal((await refusalOf(own.collection('a').findOne())).code, 165)
    assert.equal((await refusalOf(own.createCollection('w', { viewOn: 'c', pipeline: [{ $out: 'd' }] }))).code, 51047)
  })
})
