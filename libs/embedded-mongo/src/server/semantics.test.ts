import assert from 'node:assert/strict'
import { type Document, Timestamp } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('details of MongoDB’s semantics', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  const numbered = () => test.db().collection<{ _id: number; [field: string]: unknown }>('c')
  const ids = (docs: readonly { _id: number }[]) => docs.map(({ _id }) => _id)

  it('snapshot sessions read past the first batch, at their moment', async () => {
    const items = numbered()
    await items.insertMany(Array.from({ length: 20 }, (_, i) => ({ _id: i })))
    const session = test.client.startSession({ snapshot: true })
    const cursor = items.find({}, { session, batchSize: 3 })
    await cursor.next()
    await items.deleteMany({ _id: { $gte: 10 } })

    assert.equal((await cursor.toArray()).length, 19)
    assert.equal((await items.aggregate([{ $match: {} }], { session, batchSize: 3 }).toArray()).length, 20)
    await session.endSession()
  })

  it('an array without elements is less than null, and not null', async () => {
    const items = numbered()
    await items.insertMany([{ _id: 1, v: null }, { _id: 2, v: [] }, { _id: 3, v: 0 }, { _id: 4 }, { _id: 5, v: [[]] }])

    for (const index of [false, true]) {
      if (index) await items.createIndex({ v: 1 })
      const options = index ? { hint: { v: 1 } } : {}
      assert.deepEqual(ids(await items.find({}, options).sort({ v: 1, _id: 1 }).toArray()), [2, 1, 4, 3, 5])
      assert.deepEqual(ids(await items.find({}, options).sort({ v: -1, _id: 1 }).toArray()), [5, 3, 1, 4, 2])
      assert.deepEqual(ids(await items.find({ v: [] }, options).sort({ _id: 1 }).toArray()), [2, 5])
      assert.deepEqual(ids(await items.find({ v: null }, options).sort({ _id: 1 }).toArray()), [1, 4])
    }
  })

  it('null and an array without elements are different in a unique index', async () => {
    const items = numbered()
    await items.createIndex({ v: 1 }, { unique: true })
    await items.insertMany([{ _id: 1 }, { _id: 2, v: [] }])

    assert.equal((await refusalOf(items.insertOne({ _id: 3, v: [] }))).code, 11000)
    assert.equal((await refusalOf(items.insertOne({ _id: 4, v: null }))).code, 11000)
  })

  it('a sort by two fields of an array uses both of one element', async () => {
    const items = numbered()
    await items.insertMany([
      {
        _id: 1,
        a: [
          { x: 1, y: 9 },
          { x: 5, y: 1 },
        ],
      },
      { _id: 2, a: [{ x: 2, y: 5 }] },
      {
        _id: 3,
        a: [
          { x: 1, y: 3 },
          { x: 1, y: 2 },
        ],
      },
    ])

    for (const index of [false, true]) {
      if (index) await items.createIndex({ 'a.x': 1, 'a.y': 1 })
      assert.deepEqual(ids(await items.find().sort({ 'a.x': 1, 'a.y': 1 }).toArray()), [3, 1, 2])
    }
    assert.deepEqual(ids(await items.find().sort({ 'a.x': -1, 'a.y': 1 }).toArray()), [1, 2, 3])
  })

  it('a sort by two arrays is refused', async () => {
    const items = numbered()
    await items.insertOne({ _id: 1, a: [1, 2], b: [3, 4] })

    assert.equal((await refusalOf(items.find().sort({ a: 1, b: 1 }).toArray())).code, 2)
    assert.equal((await refusalOf(items.aggregate([{ $sort: { a: 1, b: 1 } }]).toArray())).code, 2)
  })

  it('values may have names that begin with a dollar', async () => {
    const items = numbered()
    await items.insertOne({ _id: 1, $a: 1, b: { $c: 2 } })
    await items.updateOne({ _id: 1 }, { $set: { d: { $e: 3 } }, $push: { list: { $f: 4 } } as never })

    assert.deepEqual(await items.findOne(), { _id: 1, $a: 1, b: { $c: 2 }, d: { $e: 3 }, list: [{ $f: 4 }] })
    assert.equal((await refusalOf(items.insertOne({ _id: { $a: 1 } as never }))).code, 52)
  })

  it('updates reach names that begin with a dollar below the top', async () => {
    const items = numbered()
    await items.insertOne({ _id: 1, x: { $y: 1 }, list: [{ n: 1 }, { n: 2 }] })
    await items.updateOne({ _id: 1, 'list.n': 2 }, { $set: { 'x.$z': 1, 'list.$.$m': 3 } as Document, $inc: { 'x.$y': 1 } as Document })
    await items.updateOne({ _id: 1 }, { $set: { 'list.$[e].$k': 4 } as Document }, { arrayFilters: [{ 'e.n': 1 }] })

    assert.deepEqual(await items.findOne({ 'x.$z': 1 }), {
      _id: 1,
      x: { $y: 2, $z: 1 },
      list: [
        { n: 1, $k: 4 },
        { n: 2, $m: 3 },
      ],
    })
    const refusals: [Document, number][] = [
      [{ $set: { $a: 1 } }, 52],
      [{ $unset: { '$[]': '' } }, 2],
      [{ $set: { '$.a': 1 } }, 2],
    ]
    for (const [update, code] of refusals) assert.equal((await refusalOf(items.updateOne({ _id: 1 }, update))).code, code, JSON.stringify(update))
    assert.equal((await refusalOf(items.createIndex({ 'x.$z': 1 }))).code, 67)
  })

  it('keys of sorts and indexes have the order in which they were given, also where their names are whole numbers', async () => {
    const items = numbered()
    const byB = new Map([
      ['b', 1],
      ['1', 1],
    ])
    await items.insertMany([
      { _id: 1, 1: 1, b: 2 },
      { _id: 2, 1: 2, b: 1 },
    ])
    assert.deepEqual(
      ids(
        await items
          .find()
          .sort(byB as never)
          .toArray(),
      ),
      [2, 1],
    )
    assert.deepEqual(ids((await items.aggregate([{ $sort: byB }]).toArray()) as never), [2, 1])

    await items.createIndex(byB as never)
    await items.createIndex({ 1: 1, b: 1 }, { name: 'other' })
    assert.equal((await items.indexes()).length, 3, 'two indexes')
    assert.deepEqual(
      ids(
        await items
          .find()
          .hint('b_1_1_1')
          .sort(byB as never)
          .toArray(),
      ),
      [2, 1],
    )
  })

  it('$near accepts a point without $geometry, in each form', async () => {
    const items = numbered()
    await items.createIndex({ at: '2dsphere' })
    await items.insertMany([
      { _id: 1, at: { type: 'Point', coordinates: [1, 1] } },
      { _id: 2, at: [5, 5] },
      { _id: 3, at: [4, 4] },
    ])

    for (const near of [[4, 4], { x: 4, y: 4 }, { type: 'Point', coordinates: [4, 4] }])
      assert.deepEqual(ids(await items.find({ at: { $near: near as never } }).toArray()), [3, 2, 1], JSON.stringify(near))
    const within = { $near: { type: 'Point', coordinates: [4, 4] } as never, $maxDistance: 1_000 }
    assert.deepEqual(ids(await items.find({ at: within as Document }).toArray()), [3])
  })

  it('fields whose names are whole numbers stay in their places', async () => {
    const items = test.db().collection('c')
    const raw = async (filter: Document = {}) => namesIn((await items.find(filter, { raw: true }).toArray())[0] as unknown as Buffer)
    await items.insertOne(
      new Map<string, unknown>([
        ['_id', 1],
        ['b', 1],
        ['10', 1],
        ['2', 1],
      ]) as never,
    )
    assert.deepEqual(await raw(), ['_id', 'b', '10', '2'])

    await items.updateOne({}, { $set: { z: 1, '5': 1 } })
    await items.updateOne({}, { $unset: { '10': 1 } })
    await items.updateOne({}, { $set: { '10': 2 } })
    assert.deepEqual(await raw(), ['_id', 'b', '2', '5', 'z', '10'])

    const [projected] = await items.aggregate([{ $project: { b: 1, '10': 1, '2': 1 } }, { $set: { '1': 1 } }], { raw: true }).toArray()
    assert.deepEqual(namesIn(projected as unknown as Buffer), ['_id', 'b', '2', '10', '1'])
    const [pairs] = await items.aggregate([{ $project: { names: { $map: { input: { $objectToArray: '$$ROOT' }, in: '$$this.k' } } } }]).toArray()
    assert.deepEqual(pairs?.names, ['_id', 'b', '2', '5', 'z', '10'])
    assert.equal(await items.countDocuments({ $expr: { $eq: ['$$ROOT', '$$ROOT'] } }), 1)
  })

  it('a causal read of a time to come waits for it, or for its deadline', async () => {
    const db = test.db()
    const inSeconds = (seconds: number) => ({ afterClusterTime: new Timestamp({ t: Math.floor(Date.now() / 1000) + seconds, i: 1 }) })
    const startedAt = Date.now()

    assert.equal((await db.command({ find: 'c', readConcern: inSeconds(3) })).ok, 1)
    assert.ok(Date.now() - startedAt >= 1_000)
    assert.equal((await refusalOf(db.command({ find: 'c', readConcern: inSeconds(3_600), maxTimeMS: 50 }))).code, 50)
  })
})

/** The names of a raw document's fields, all of which are int32 or the like. */
function namesIn(raw: Buffer): string[] {
  const names: string[] = []
  for (let at = 4; raw[at] !== 0; ) {
    const end = raw.indexOf(0, at + 1)
    names.push(raw.toString('utf8', at + 1, end))
    at = end + 1 + 4
  }
  return names
}
