import assert from 'node:assert/strict'
import mongoose, { type Connection, Schema } from 'mongoose'
import { startTestServer, type TestServer } from '../testing/test-server.ts'

describe('mongoose', () => {
  let test: TestServer
  let connection: Connection
  before(async () => {
    test = await startTestServer()
    connection = await mongoose.createConnection(test.server.uri, { dbName: 'mongoose' }).asPromise()
  })
  after(async () => {
    await connection.close()
    await test.stop()
  })

  it('makes collections and indexes from its schemas and finds them as declared', async () => {
    const schema = new Schema({
      email: { type: String, unique: true },
      at: { type: Date, expires: 60 },
      owner: { type: String, sparse: true },
      a: Number,
      b: Number,
    })
    schema.index({ a: 1, b: -1 }, { partialFilterExpression: { a: { $gt: 0 } } })
    const User = connection.model('User', schema)
    await User.init()
    await User.syncIndexes()

    assert.deepEqual((await User.listIndexes()).map(({ name }) => name).sort(), ['_id_', 'a_1_b_-1', 'at_1', 'email_1', 'owner_1'])
    assert.deepEqual(await User.diffIndexes(), { toDrop: [], toCreate: [] })
    await User.create({ email: 'a@b.c' })
    await assert.rejects(User.create({ email: 'a@b.c' }), { code: 11000, keyValue: { email: 'a@b.c' } })
  })

  it('stores a document with its nested parts, maps, buffers and decimals', async () => {
    const Thing = connection.model(
      'Thing',
      new Schema({ price: Schema.Types.Decimal128, big: BigInt, bytes: Buffer, map: { type: Map, of: Number }, list: [{ name: String, n: Number }] }),
    )
    const thing = await Thing.create({
      price: '1.10',
      big: 9_007_199_254_740_993n,
      bytes: Buffer.from('ab'),
      map: { x: 1 },
      list: [{ name: 'one', n: 1 }],
    })
    thing.list.push({ name: 'two', n: 2 })
    thing.list[0]!.n = 5
    thing.map!.set('y', 2)
    await thing.save()

    const found = (await Thing.findById(thing._id))!
    assert.equal(found.price!.toString(), '1.10')
    assert.equal(found.big, 9_007_199_254_740_993n)
    assert.deepEqual(
      found.list.map(({ name, n }) => [name, n]),
      [
        ['one', 5],
        ['two', 2],
      ],
    )
    assert.deepEqual(
      [...found.map!.entries()],
      [
        ['x', 1],
        ['y', 2],
      ],
    )
    assert.equal(found.bytes!.toString(), 'ab')
  })

  it('clashes over versions, populates and runs transactions', async () => {
    const Author = connection.model('Author', new Schema({ name: String }))
    const Book = connection.model(
      'Book',
      new Schema({ title: String, author: { type: Schema.Types.ObjectId, ref: 'Author' } }, { optimisticConcurrency: true }),
    )
    const author = await Author.create({ name: 'Ada' })
    const book = await Book.create({ title: 'Notes', author: author._id })
    const stale = (await Book.findById(book._id))!
    book.title = 'New'
    await book.save()
    stale.title = 'Old'

    await assert.rejects(stale.save(), { name: 'VersionError' })
    assert.equal((await Book.findOne().populate<{ author: { name: string } }>('author'))?.author.name, 'Ada')
    await assert.rejects(
      connection.transaction(async session => {
        await Author.create([{ name: 'Grace' }], { session })
        throw new Error('changed my mind')
      }),
      /changed my mind/,
    )
    assert.equal(await Author.countDocuments(), 1)
  })

  it('streams, upserts and updates in bulk', async () => {
    const Item = connection.model('Item', new Schema({ n: Number, tags: [String] }, { timestamps: true }))
    await Item.insertMany(Array.from({ length: 300 }, (_, n) => ({ n, tags: ['a'] })))
    await Item.updateMany({ n: { $lt: 10 } }, { $push: { tags: { $each: ['b', 'c'], $position: 0 } } })
    await Item.bulkWrite([{ updateOne: { filter: { n: 1000 }, update: { $set: { tags: ['z'] } }, upsert: true } }])
    let sum = 0
    for await (const { n } of Item.find({ tags: 'b' }).cursor({ batchSize: 3 })) sum += n!

    assert.equal(sum, 45)
    assert.equal(await Item.estimatedDocumentCount(), 301)
    assert.deepEqual((await Item.findOne({ n: 3 }).lean())?.tags, ['b', 'c', 'a'])
  })
})
