import assert from 'node:assert/strict'
import { Code, Decimal128, type Document, Double, Int32, Long, MongoBulkWriteError, ObjectId, Timestamp } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('reading and writing through the stock driver', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  it('puts a missing or late _id first and leaves the other fields as they came', async () => {
    const items = test.db().collection('items')
    const { insertedId } = await items.insertOne({ b: 1, a: 'x' })
    await items.insertOne({ c: 1, _id: 'given' } as never)

    assert.deepEqual(Object.keys((await items.findOne({ _id: insertedId }))!), ['_id', 'b', 'a'])
    assert.deepEqual(Object.keys((await items.findOne({ c: 1 }))!), ['_id', 'c'])
  })

  it('preserves the type of every number, also of those that an update does not touch', async () => {
    const items = test.db().collection('items', { promoteValues: false })
    await items.insertOne({
      _id: 1 as never,
      int: new Int32(1),
      double: new Double(1),
      long: Long.fromNumber(1),
      decimal: Decimal128.fromString('1.10'),
    })
    await items.updateOne({ _id: 1 as never }, { $set: { touched: true } })

    const doc = (await items.findOne({ _id: 1 as never }))!
    assert.deepEqual(
      [doc.int, doc.double, doc.long, doc.decimal].map(value => value._bsontype),
      ['Int32', 'Double', 'Long', 'Decimal128'],
    )
    assert.equal(String(doc.decimal), '1.10')
  })

  it('gives 64-bit integers back exactly', async () => {
    const client = await test.connect({ useBigInt64: true })
    const items = client.db('int64').collection('items')
    await items.insertOne({ small: 5n, large: 9_007_199_254_740_993n })
    await items.updateOne({}, { $inc: { large: 2n } })

    assert.deepEqual(await items.findOne({}, { projection: { _id: 0 } }), { small: 5n, large: 9_007_199_254_740_995n })
  })

  it('reads a result in batches and forgets a cursor that is closed', async () => {
    const items = test.db().collection('items')
    await items.insertMany(Array.from({ length: 250 }, (_, i) => ({ i })))
    const cursor = items.find({}, { batchSize: 10 }).sort({ i: 1 })
    const first = await cursor.next()
    await cursor.close()

    assert.equal(first?.i, 0)
    assert.equal((await items.find({}, { batchSize: 7 }).toArray()).length, 250)
    assert.deepEqual(
      (await items.find().sort({ i: -1 }).skip(5).limit(3).toArray()).map(({ i }) => i),
      [244, 243, 242],
    )
    assert.equal((await refusalOf(test.client.db('test1').command({ getMore: Long.fromNumber(12345), collection: 'items' }))).code, 43)
  })

  it('stops an ordered bulk write at the first error and finishes an unordered one', async () => {
    const items = test.db().collection<{ _id: number }>('items')
    const documents = [1, 2, 2, 3].map(_id => ({ _id }))
    const ordered = await items.insertMany(documents).catch((error: unknown) => error)
    assert.ok(ordered instanceof MongoBulkWriteError)
    assert.equal(ordered.insertedCount, 2)

    const unordered = await items
      .insertMany(
        [2, 3, 4].map(_id => ({ _id })),
        { ordered: false },
      )
      .catch((error: unknown) => error)
    assert.ok(unordered instanceof MongoBulkWriteError)
    assert.equal(unordered.insertedCount, 2)
    assert.equal(await items.countDocuments(), 4)
  })

  it('counts what a bulk write has matched, changed, inserted and deleted', async () => {
    const items = test.db().collection<{ _id: number; n?: number; list?: number[] }>('items')
    await items.insertMany([{ _id: 1, n: 1 }, { _id: 2, n: 1 }, { _id: 3 }])
    const result = await items.bulkWrite([
      { updateMany: { filter: { n: 1 }, update: { $push: { list: { $each: [3, 1, 2], $sort: 1 } } } } },
      { updateOne: { filter: { _id: 1 }, update: { $pull: { list: 2 } } } },
      { updateOne: { filter: { _id: 9 }, update: { $set: { n: 9 } }, upsert: true } },
      { replaceOne: { filter: { _id: 2 }, replacement: { n: 5 } } },
      { deleteOne: { filter: { _id: 3 } } },
    ])

    assert.deepEqual([result.matchedCount, result.modifiedCount, result.upsertedCount, result.deletedCount, result.upsertedIds[2]], [4, 4, 1, 1, 9])
    assert.deepEqual(await items.find().sort({ _id: 1 }).toArray(), [
      { _id: 1, n: 1, list: [1, 3] },
      { _id: 2, n: 5 },
      { _id: 9, n: 9 },
    ])
  })

  it('gives findOneAndUpdate the old or the new document, and inserts with upsert', async () => {
    const items = test.db().collection<{ _id: number; n: number }>('items')
    await items.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ])

    assert.equal((await items.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 } }))?.n, 2)
    assert.equal((await items.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } }, { returnDocument: 'after', projection: { n: 1, _id: 0 } }))?.n, 13)
    assert.deepEqual(await items.findOneAndUpdate({ _id: 7 }, { $set: { n: 7 } }, { upsert: true, returnDocument: 'after' }), { _id: 7, n: 7 })
    assert.equal((await items.findOneAndDelete({ _id: 1 }))?._id, 1)
    assert.equal(await items.findOneAndReplace({ _id: 1 }, { n: 0 }), null)
  })

  it('counts, lists distinct values and aggregates by an index or by a scan alike', async () => {
    const items = test.db().collection('items')
    await items.insertMany(Array.from({ length: 100 }, (_, i) => ({ group: i % 4, n: i, tags: ['all', `t${i % 2}`] })))
    const readAll = async () => [
      await items.countDocuments({ n: { $gte: 50 } }),
      await items.countDocuments({ group: 1 }, { skip: 5, limit: 10 }),
      (await items.distinct('tags', { group: 1 })).sort(),
      await items
        .aggregate([{ $match: { group: { $in: [1, 2] } } }, { $group: { _id: '$group', total: { $sum: '$n' } } }, { $sort: { _id: 1 } }])
        .toArray(),
    ]
    const byScan = await readAll()
    await items.createIndex({ n: 1 })
    await items.createIndex({ group: 1 })

    assert.deepEqual(byScan, [
      50,
      10,
      ['all', 't1'],
      [
        { _id: 1, total: 1225 },
        { _id: 2, total: 1250 },
      ],
    ])
    assert.deepEqual(await readAll(), byScan)
    assert.equal(await items.estimatedDocumentCount(), 100)
  })

  it('joins, writes a result into a collection and merges into one', async () => {
    const db = test.db()
    await db.collection<{ _id: number }>('orders').insertMany([
      { _id: 1, item: 'a' },
      { _id: 2, item: 'b' },
    ] as never)
    await db.collection('stock').insertOne({ _id: 'a' as never, left: 3 })
    const lookup = { $lookup: { from: 'stock', localField: 'item', foreignField: '_id', as: 'stock' } }
    await db
      .collection('orders')
      .aggregate([lookup, { $out: 'joined' }])
      .toArray()
    await db
      .collection('orders')
      .aggregate([{ $match: { _id: 2 } }, { $project: { seen: 'yes' } }, { $merge: 'joined' }])
      .toArray()

    assert.deepEqual(await db.collection('joined').find().sort({ _id: 1 }).toArray(), [
      { _id: 1, item: 'a', stock: [{ _id: 'a', left: 3 }] },
      { _id: 2, item: 'b', stock: [], seen: 'yes' },
    ])
  })

  it('refuses by name what it does not do', async () => {
    const db = test.db()
    const items = db.collection('items')
    await items.insertOne({ a: 1 })
    const refused: [() => Promise<unknown>, number][] = [
      [() => db.command({ nonsense: 1 }), 59],
      [() => items.aggregate([{ $nonsense: {} }]).toArray(), 40324],
      [() => items.find({ $where: 'true' }).toArray(), 115],
      [() => items.find({ a: { $nonsense: 1 } }).toArray(), 2],
      [() => db.createCollection('hidden', { encryptedFields: {} }), 115],
      [() => db.command({ find: 'items', nonsense: 1 }), 40415],
      [() => db.command({ insert: 'items', documents: [{ a: 1 }], nonsense: 1 }), 40415],
      [() => items.find({}).hint('nonsense').toArray(), 2],
      [() => items.updateOne({}, { $inc: { a: 'x' } } as never), 14],
      [() => db.command({ saslStart: 1, mechanism: 'PLAIN' }), 18],
    ]
    for (const [action, code] of refused) assert.equal((await refusalOf(action())).code, code)
  })

  it('checks documents against a $jsonSchema validator', async () => {
    const db = test.db()
    const people = await db.createCollection('people', {
      validator: { $jsonSchema: { required: ['name'], properties: { name: { bsonType: 'string' } } } },
    })
    await people.insertOne({ name: 'Ada' })

    assert.equal((await refusalOf(people.insertOne({ name: 1 }))).code, 121)
    const refusal = await refusalOf(people.updateOne({}, { $unset: { name: 1 } }))
    assert.equal(refusal.code, 121)
    assert.ok(refusal.errInfo?.failingDocumentId instanceof ObjectId)
    await people.insertOne({ name: 1 }, { bypassDocumentValidation: true })
  })

  it('compares strings by the collation of their collection where a command names no other', async () => {
    const db = test.db()
    const items = await db.createCollection<{ _id: number; x: string }>('items', { collation: { locale: 'en', strength: 2 } })
    await items.insertMany(['b', 'A', 'a'].map((x, _id) => ({ _id, x })))
    await items.createIndex({ x: 1 })

    assert.equal(await items.countDocuments({ x: 'B' }), 1)
    assert.equal(await items.countDocuments({ x: 'B' }, { collation: { locale: 'simple' } }), 0)
    assert.deepEqual(
      (await items.find().sort({ x: 1, _id: 1 }).toArray()).map(({ _id }) => _id),
      [1, 2, 0],
    )
    assert.equal((await items.updateMany({ x: 'A' }, { $set: { x: 'c' } })).modifiedCount, 2)
    assert.equal((await items.findOneAndDelete({ x: 'C' }))?.x, 'c')
    assert.deepEqual((await items.indexes())[1]!.collation, { locale: 'en', strength: 2 })
    assert.deepEqual((await items.options()).collation, { locale: 'en', strength: 2 })
    assert.equal((await refusalOf(items.createIndex({ y: 1 }, { unique: true }))).code, 115)
  })

  it('compares strings by the collation of the command, and refuses what it could not do correctly', async () => {
    const items = test.db().collection<{ _id: number; x: string }>('items')
    const collation = { locale: 'en_US', strength: 2 as const }
    await items.insertMany(['ping', 'pINg', 'Äpfel', 'Zebra', 'apple'].map((x, _id) => ({ _id, x })))
    await items.createIndex({ x: 1 })

    assert.deepEqual(
      (await items.find({ x: 'PING' }, { collation }).toArray()).map(({ _id }) => _id),
      [0, 1],
    )
    assert.deepEqual(
      (await items.find({}, { collation }).sort({ x: 1, _id: 1 }).toArray()).map(({ x }) => x),
      ['Äpfel', 'apple', 'ping', 'pINg', 'Zebra'],
    )
    assert.equal(await items.countDocuments({ x: { $in: ['PING', 'ZEBRA'] } }, { collation }), 3)
    assert.equal((await items.distinct('x', { x: { $ne: 'Apple' } }, { collation })).length, 3)
    assert.equal((await items.updateMany({ x: 'PING' }, { $set: { x: 'pong' } }, { collation })).modifiedCount, 2)
    assert.equal((await items.findOneAndDelete({ x: 'zebra' }, { collation }))?.x, 'Zebra')
    assert.equal((await items.aggregate([{ $match: { x: 'APPLE' } }], { collation }).toArray()).length, 1)
    assert.equal((await refusalOf(items.find({ x: { $gt: 'a' } }, { collation }).toArray())).code, 115)
    assert.equal((await refusalOf(items.createIndex({ y: 1 }, { unique: true, collation }))).code, 115)
  })

  it('lists, renames and drops collections', async () => {
    const db = test.db()
    await db.createCollection('a')
    await db.createCollection('a')
    await db.collection('a').rename('b')
    assert.deepEqual(
      (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
      ['b'],
    )
    assert.equal((await refusalOf(db.renameCollection('a', 'c'))).code, 26)

    await db.dropDatabase()
    assert.deepEqual(await db.listCollections().toArray(), [])
    assert.ok(!(await test.client.db().admin().listDatabases()).databases.some(({ name }) => name === db.databaseName))
  })

  it('counts a document by its _id or by a unique value, by command and by pipeline', async () => {
    const db = test.db()
    const items = db.collection<{ _id: number; code?: string }>('items')
    await items.createIndex({ code: 1 }, { unique: true })
    await items.insertMany([1, 2, 3].map(_id => ({ _id, code: `c${_id}` })))

    for (const query of [{ _id: 2 }, { code: 'c2' }]) {
      assert.equal((await db.command({ count: 'items', query })).n, 1)
      assert.equal(await items.countDocuments(query), 1)
    }
    assert.equal((await db.command({ count: 'items', query: { _id: 4 } })).n, 0)
    assert.equal(await items.countDocuments({ code: { $in: ['c1', 'c3', 'c9'] } }), 2)
  })

  it('closes a cursor with the document that reaches the limit', async () => {
    const db = test.db()
    await db.collection('items').insertMany([1, 2, 3, 4, 5].map(i => ({ i })))
    const first = (await db.command({ find: 'items', limit: 4, batchSize: 3 })).cursor
    const next = (await db.command({ getMore: first.id, collection: 'items', batchSize: 1 })).cursor

    assert.equal(first.firstBatch.length, 3)
    assert.deepEqual([next.nextBatch.length, Number(next.id)], [1, 0])
    assert.notEqual(Number(first.id), 0)
  })

  it('refuses a write concern that no replica set could meet', async () => {
    assert.equal(
      (
        await refusalOf(
          test
            .db()
            .collection('items')
            .insertOne({}, { writeConcern: { w: 51 } }),
        )
      ).code,
      9,
    )
  })

  it('preserves code with scope', async () => {
    const items = test.db().collection('items')
    await items.insertOne({ code: new Code('f()', { x: 1, y: { z: 2 } }) })

    const found = (await items.findOne({ code: { $type: 'javascriptWithScope' } }))!
    assert.deepEqual([found.code.code, found.code.scope], ['f()', { x: 1, y: { z: 2 } }])
  })

  it('refuses a pipeline whose stages are no documents', async () => {
    const command = (pipeline: unknown) => refusalOf(test.db().command({ aggregate: 'items', pipeline, cursor: {} }))

    assert.equal((await command([{ $match: {} }, 5])).message, "Each element of the 'pipeline' array must be an object")
    assert.equal((await command({})).code, 14)
  })

  it('ends a cursor with its collection', async () => {
    const items = test.db().collection('items')
    await items.insertMany([1, 2, 3].map(i => ({ i })))
    const cursor = items.find().batchSize(1)
    await cursor.next()
    await items.drop()
    await items.insertOne({})

    const refusal = await refusalOf(cursor.toArray())
    assert.deepEqual([refusal.code, refusal.codeName], [175, 'QueryPlanKilled'])
  })

  it('puts the time in the place of empty timestamps on the top level of a new document', async () => {
    const items = test.db().collection<Document>('items')
    const empty = new Timestamp({ t: 0, i: 0 })
    await items.insertOne({ _id: 1 as never, a: empty, b: empty, nested: { c: empty }, zero: 0 })
    await items.replaceOne({ _id: 3 as never }, { a: empty }, { upsert: true })
    await items.replaceOne({ _id: 3 as never }, { a: empty, again: true })
    await items.updateOne({ _id: 3 as never }, { $set: { set: empty } })
    const [first, third] = await items.find().sort({ _id: 1 }).toArray()

    assert.ok(first!.b.greaterThan(first!.a) && first!.a.t > 1_600_000_000)
    assert.ok(first!.nested.c.isZero() && third!.set.isZero())
    assert.ok(third!.a.t > 1_600_000_000)
    const command = { insert: 'items', documents: [{ _id: 4, a: empty }], bypassEmptyTsReplacement: true }
    await test.client.db(items.dbName).command(command)
    assert.ok((await items.findOne({ _id: 4 as never }))!.a.isZero())
  })
})
