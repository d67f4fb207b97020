import assert from 'node:assert/strict'
import { MongoClientBulkWriteError } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

/** Documents of any collection. */
type Numbered = Record<string, { _id: number; x?: number }>
type Named = Record<string, { _id: string }>

describe('writes to many collections in one command', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer({ testCommands: true })
  })
  after(() => test.stop())

  it('reports the result of each operation', async () => {
    const db = test.db()
    const namespace = `${db.databaseName}.a`
    await db.collection<{ _id: number; x: number }>('a').insertMany([1, 2, 3].map(_id => ({ _id, x: _id })))

    const result = await test.client.bulkWrite<Numbered>(
      [
        { namespace, name: 'insertOne', document: { _id: 8 } },
        { namespace, name: 'updateOne', filter: { x: { $gt: 0 } }, update: { $set: { x: 0 } }, sort: { _id: -1 } },
        { namespace, name: 'updateMany', filter: { _id: { $lte: 2 } }, update: { $inc: { x: 10 } } },
        { namespace, name: 'replaceOne', filter: { _id: 4 }, replacement: { x: 4 }, upsert: true },
        { namespace: `${db.databaseName}.b`, name: 'insertOne', document: { _id: 1 } },
        { namespace, name: 'deleteMany', filter: { x: { $gte: 10 } } },
      ],
      { verboseResults: true },
    )

    const { insertedCount, matchedCount, modifiedCount, upsertedCount, deletedCount } = result
    assert.deepEqual(
      { insertedCount, matchedCount, modifiedCount, upsertedCount, deletedCount },
      { insertedCount: 2, matchedCount: 3, modifiedCount: 3, upsertedCount: 1, deletedCount: 2 },
    )
    assert.equal(result.updateResults?.get(3)?.upsertedId, 4)
    assert.equal(result.deleteResults?.get(5)?.deletedCount, 2)
    assert.deepEqual(await db.collection<{ _id: number }>('a').find().sort({ _id: 1 }).toArray(), [{ _id: 3, x: 0 }, { _id: 4, x: 4 }, { _id: 8 }])
    assert.equal(await db.collection('b').countDocuments(), 1)
  })

  it('stops at the first error when ordered, and continues when unordered', async () => {
    const db = test.db()
    const insert = (...ids: number[]) => ids.map(_id => ({ namespace: `${db.databaseName}.a`, name: 'insertOne' as const, document: { _id } }))
    const errorOf = async (ids: number[], ordered: boolean) => {
      const error = await test.client.bulkWrite<Numbered>(insert(...ids), { ordered }).catch((reason: unknown) => reason)
      assert.ok(error instanceof MongoClientBulkWriteError)
      return { codes: [...error.writeErrors].map(([i, { code }]) => [i, code]), inserted: error.partialResult?.insertedCount }
    }

    assert.deepEqual(await errorOf([1, 1, 2], true), { codes: [[1, 11000]], inserted: 1 })
    assert.deepEqual(await errorOf([1, 2, 2, 3], false), {
      codes: [
        [0, 11000],
        [2, 11000],
      ],
      inserted: 2,
    })
  })

  it('hands out long results by a cursor, and refuses what it cannot read', async () => {
    const db = test.db()
    const admin = test.client.db('admin')
    const nsInfo = [{ ns: `${db.databaseName}.a` }]
    const session = test.client.startSession()
    const ops = Array.from({ length: 5 }, (_, i) => ({ insert: 0, document: { i } }))
    const { cursor } = await admin.command({ bulkWrite: 1, ops, nsInfo, cursor: { batchSize: 2 } }, { session })
    const more = await admin.command({ getMore: cursor.id, collection: '$cmd.bulkWrite' }, { session })
    await session.endSession()

    assert.deepEqual([cursor.firstBatch.length, more.cursor.nextBatch.length, Number(more.cursor.id)], [2, 3, 0])
    assert.equal((await refusalOf(admin.command({ bulkWrite: 1, ops: [{ insert: 1, document: {} }], nsInfo }))).code, 2)
    assert.equal((await refusalOf(admin.command({ bulkWrite: 1, ops: [{ upsert: 0 }], nsInfo }))).code, 40415)
    assert.equal((await refusalOf(db.command({ bulkWrite: 1, ops, nsInfo }))).code, 13)
  })

  it('belongs to a transaction, and is done once when it is sent again', async () => {
    const db = test.db()
    const a = db.collection<{ _id: string }>('a')
    const insert = (_id: string) => [{ namespace: `${db.databaseName}.a`, name: 'insertOne' as const, document: { _id } }]
    await test.client.withSession(session =>
      session.withTransaction(async () => {
        await test.client.bulkWrite<Named>(insert('inside'), { session })
        assert.equal(await a.countDocuments({}), 0)
      }),
    )
    await test.client.db('admin').command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['bulkWrite'], writeConcernError: { code: 91, errmsg: 'stopping' } },
    })
    await test.client.bulkWrite<Named>(insert('again'))

    assert.deepEqual((await a.find().toArray()).map(({ _id }) => _id).sort(), ['again', 'inside'])
  })
})
