import assert from 'node:assert/strict'
import type { Collection } from 'mongodb'
import { wholeRange } from '../storage/keyspace.ts'
import { startTestEngine, type TestEngine } from '../testing/test-engine.ts'
import { refusalOf } from '../testing/test-server.ts'

const count = 150

interface Item {
  _id: number
  n: number
}

describe('writes that come between the slices of a longer one', () => {
  let test: TestEngine
  let items: Collection<Item>
  let collections = 0
  before(async () => {
    test = await startTestEngine()
  })
  after(() => test.stop())
  beforeEach(async () => {
    collections += 1
    items = test.client.db('test').collection<Item>(`items${collections}`)
    await items.insertMany(Array.from({ length: count }, (_, i) => ({ _id: i, n: i })))
  })

  /** Runs the action while the index of `n` has the entries of some documents, of _id 0 at least, and not of the last ones. */
  async function whileBuilding(action: () => Promise<unknown>): Promise<void> {
    const { catalog, storage } = test.engine
    const entries = () => catalog.find('test', items.collectionName)!.building.map(({ id }) => storage.index.count(wholeRange(id)))
    const between = test.before(() => Number(entries()[0]) > 0, action)
    await Promise.all([between, test.inSmallSteps(() => items.createIndex({ n: 1 }, { unique: true }))])
  }
  const foundByIndex = async (n: number) => (await items.find({ n }, { hint: { n: 1 } }).toArray()).map(({ _id }) => _id)

  it('leave the entry of an equal value in an index that is being built, when they delete the other document', async () => {
    await items.updateOne({ _id: count - 1 }, { $set: { n: 0 } })

    await whileBuilding(() => items.deleteOne({ _id: count - 1 }))

    assert.deepEqual(await foundByIndex(0), [0])
    assert.equal((await refusalOf(items.insertOne({ _id: -1, n: 0 }))).code, 11000)
  })

  it('leave it when they change the other document in a transaction', async () => {
    await items.updateOne({ _id: count - 1 }, { $set: { n: 0 } })
    const session = test.client.startSession()

    await whileBuilding(() => session.withTransaction(() => items.updateOne({ _id: count - 1 }, { $set: { n: -5 } }, { session })))

    assert.deepEqual([await foundByIndex(0), await foundByIndex(-5)], [[0], [count - 1]])
    await session.endSession()
  })

  it('of a transaction that began before the index cannot give the value to a third document', async () => {
    await items.updateOne({ _id: count - 1 }, { $set: { n: 0 } })
    const session = test.client.startSession()
    session.startTransaction()
    await items.deleteOne({ _id: count - 1 }, { session })
    await items.insertOne({ _id: -1, n: 0 }, { session })

    const build = whileBuilding(async () => assert.equal((await refusalOf(session.commitTransaction())).code, 112))
    assert.equal((await refusalOf(build)).code, 11000)

    await session.endSession()
  })

  it('do not make an update of many meet a document again that it changed before it waited for a lock', async () => {
    await items.createIndex({ n: 1 })
    const session = test.client.startSession()
    session.startTransaction()
    await items.updateOne({ _id: 100 }, { $set: { n: 101 } }, { session })

    const blocked = test.blocked()
    const updating = items.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1000 } })
    await blocked
    const { modifiedCount } = await test.inSmallSteps(async () => {
      await session.abortTransaction()
      return updating
    })

    assert.equal(modifiedCount, count)
    assert.equal(await items.countDocuments({ n: { $gte: 1000, $lt: 1000 + count } }), count)
    await session.endSession()
  })

  for (const isSorted of [false, true])
    it(`do not hide from findOneAndUpdate what it found and had to wait for${isSorted ? ', by a sort too' : ''}`, async () => {
      const session = test.client.startSession()
      session.startTransaction()
      await items.updateOne({ _id: 149 }, { $set: { n: -1 } }, { session })

      const found = await test.inSmallSteps(async () => {
        const blocked = test.blocked()
        const finding = items.findOneAndUpdate({ n: 149 }, { $set: { n: 150 } }, { ...(isSorted ? { sort: { n: 1 } } : {}), upsert: true })
        await blocked
        await session.abortTransaction()
        return finding
      })

      assert.deepEqual(found, { _id: 149, n: 149 })
      assert.equal(await items.countDocuments(), count)
      await session.endSession()
    })

  it('find nothing changed by a findOneAndUpdate with a bad projection', async () => {
    const projection = { n: 1, other: 0 }
    await refusalOf(items.findOneAndUpdate({ _id: 1 }, { $set: { n: -1 } }, { projection }))

    assert.equal((await items.findOne({ _id: 1 }))?.n, 1)
  })
})
