import assert from 'node:assert/strict'
import { Binary, type Collection } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

interface Item {
  _id: number
  a: number
  b?: number
}

describe('options of find', () => {
  let test: TestServer
  let items: Collection<Item>
  before(async () => {
    test = await startTestServer()
    items = test.db().collection('items')
    await items.insertMany([1, 2, 3, 4, 5].map(n => ({ _id: n, a: n * 10, b: n % 2 })))
    await items.createIndex({ a: -1 })
  })
  after(() => test.stop())

  const ids = async (cursor: { toArray(): Promise<Item[]> }) => (await cursor.toArray()).map(({ _id }) => _id)

  it('min and max cut a part out of the hinted index, before anything else', async () => {
    assert.deepEqual(await ids(items.find({}, { min: { _id: 2 }, max: { _id: 5 }, hint: { _id: 1 }, skip: 1 })), [3, 4])
    assert.deepEqual(await ids(items.find({ b: 1 }, { min: { a: 40 }, hint: 'a_-1' })), [3, 1])
    assert.deepEqual(await ids(items.find({}, { min: { a: 20 }, hint: { a: -1 }, sort: { _id: 1 }, limit: 1 })), [1])
  })

  it('min and max are refused without a hint that goes with them', async () => {
    assert.equal((await refusalOf(items.find({}, { min: { a: 1 } }).toArray())).code, 51173)
    assert.equal((await refusalOf(items.find({}, { min: { a: 1 }, hint: { _id: 1 } }).toArray())).code, 51174)
  })

  it('returnKey gives the fields of the index that was used', async () => {
    assert.deepEqual(await items.find({ a: { $gt: 40 } }, { returnKey: true }).toArray(), [{ a: 50 }])
    assert.deepEqual(await items.find({}, { returnKey: true, sort: { _id: -1 }, limit: 1 }).toArray(), [{ _id: 5 }])
    assert.deepEqual(await items.find({ b: 1 }, { returnKey: true, limit: 1 }).toArray(), [{}])
  })

  it('showRecordId shows the key under which a document is stored', async () => {
    const [first, second] = (await items.find({}, { showRecordId: true, projection: { a: 1 } }).toArray()) as { $recordId?: Binary }[]

    assert.ok(first!.$recordId instanceof Binary)
    assert.notDeepEqual(first!.$recordId, second!.$recordId)
  })
})

describe('the versioned API', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  it('refuses to strict clients what is not part of it', async () => {
    const strict = await test.connect({ serverApi: { version: '1', strict: true } })
    const items = strict.db('api').collection('items')

    await items.insertOne({ a: 1 })
    assert.equal(await items.countDocuments(), 1)
    assert.equal((await refusalOf(items.distinct('a'))).code, 323)
    assert.equal((await refusalOf(items.aggregate([{ $indexStats: {} }]).toArray())).code, 323)
    assert.equal((await refusalOf(strict.db('api').command({ nonsense: 1 }))).code, 323)
  })
})
