import assert from 'node:assert/strict'
import type { Collection, Document } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

const count = 20_000

describe('commands that change many documents', () => {
  let test: TestServer
  let items: Collection<Document>
  before(async () => {
    test = await startTestServer({ testCommands: true })
  })
  after(() => test.stop())
  const insertItems = () => items.insertMany(Array.from({ length: count }, (_, i) => ({ _id: i as never, n: i, text: 'x'.repeat(100) })))
  beforeEach(async () => {
    items = test.db().collection('items')
    await insertItems()
  })

  /** How many pings another connection had answered while the action ran. */
  async function pingsDuring(action: () => Promise<unknown>): Promise<number> {
    const other = await test.connect()
    let isOver = false
    let pings = 0
    const pinging = (async () => {
      while (!isOver) {
        await other.db('admin').command({ ping: 1 })
        pings += 1
      }
    })()
    await action().finally(() => (isOver = true))
    await pinging
    await other.close()
    return pings
  }

  /** How many pings fit into one action depends on the machine: it is repeated, after `reset`, until there were so many. */
  async function pingedDuring(least: number, action: () => Promise<unknown>, reset: () => Promise<unknown>): Promise<void> {
    while ((await pingsDuring(action)) < least) await reset()
  }

  it('let others work in between, and change each document once although it moves in the index of the search', async () => {
    await items.createIndex({ n: 1 })

    const move = (by: number) => () => items.updateMany({ n: { $gte: 0 } }, { $inc: { n: by } })
    await pingedDuring(5, move(count), move(-count))

    assert.equal(await items.countDocuments({ n: { $gte: count, $lt: 2 * count } }), count)
    assert.equal(await items.countDocuments({ n: { $gte: 2 * count } }), 0)
  })

  it('leave alone what others have changed before its slice', async () => {
    const other = await test.connect()
    const same = other.db(items.dbName).collection(items.collectionName)
    const updating = items.updateMany({ text: /^x/ }, { $set: { isSeen: true } })
    // The last document is treated last; whichever of the two writes is first, it is never both changed and seen.
    const { matchedCount } = await same.updateOne({ _id: (count - 1) as never, isSeen: { $exists: false } }, { $set: { text: 'changed' } })
    const { modifiedCount } = await updating

    assert.equal(await items.countDocuments({ isSeen: true }), modifiedCount)
    assert.equal(modifiedCount, count - matchedCount)
    await other.close()
  })

  it('delete in slices', async () => {
    await pingedDuring(
      3,
      () => items.deleteMany({ n: { $gte: 10 } }),
      () => items.deleteMany({}).then(insertItems),
    )

    assert.equal(await items.countDocuments(), 10)
  })

  it('make an index unique in slices, or name the documents that prevent it', async () => {
    await items.createIndex({ n: 1 })
    const makeUnique = (options = {}) =>
      items.db.command({ collMod: items.collectionName, index: { keyPattern: { n: 1 }, unique: true }, ...options })
    await items.updateMany({ _id: { $in: [7, 19_000] as never[] } }, { $set: { n: 5 } })
    const violations = [{ ids: [5, 7, 19_000] }]

    assert.deepEqual((await refusalOf(makeUnique())).errorResponse.violations, violations)
    assert.deepEqual((await refusalOf(makeUnique({ dryRun: true }))).errorResponse.violations, violations)
    assert.equal((await items.indexes()).at(-1)?.unique, undefined)
    await items.deleteMany({ _id: { $in: [7, 19_000] as never[] } })
    await makeUnique({ dryRun: true })
    await items.insertOne({ _id: 7 as never, n: 5 })
    await items.deleteOne({ _id: 7 as never })
    await pingedDuring(3, makeUnique, () => items.dropIndex('n_1').then(() => items.createIndex({ n: 1 })))

    assert.equal((await items.indexes()).length, 2)
    assert.equal((await refusalOf(items.insertOne({ n: 5 }))).code, 11000)
    assert.equal((await items.findOne({ n: 19_999 }))?._id, 19_999)
  })

  it('are one change in a transaction', async () => {
    const session = test.client.startSession()
    session.startTransaction()
    await items.updateMany({}, { $set: { isSeen: true } }, { session })

    assert.equal(await items.countDocuments({ isSeen: true }), 0)
    await session.commitTransaction()
    assert.equal(await items.countDocuments({ isSeen: true }), count)
    await session.endSession()
  })

  it('find one document without an index in slices too', async () => {
    const found = await items.findOneAndUpdate({ n: count - 1, text: /^(x+)$/ }, { $set: { isSeen: true } }, { returnDocument: 'after' })

    assert.equal(found?._id, count - 1)
    assert.equal((await items.updateOne({ n: -1, text: /^(x+)$/ }, { $set: { a: 1 } }, { upsert: true })).upsertedCount, 1)
  })

  it('write the output of a pipeline in slices', async () => {
    const write = () => items.aggregate([{ $out: 'copy' }]).toArray()
    await pingedDuring(3, write, write)
    const copy = test.client.db(items.dbName).collection('copy')
    await items.aggregate([{ $set: { n: -1 } }, { $merge: 'copy' }]).toArray()

    assert.equal(await copy.countDocuments({ n: -1 }), count)
    assert.deepEqual((await test.client.db(items.dbName).listCollections().toArray()).map(({ name }) => name as string).sort(), ['copy', 'items'])
  })

  it('build an index that nobody sees before it is whole, and that has what others wrote meanwhile', async () => {
    const other = await test.connect()
    const same = other.db(items.dbName).collection(items.collectionName)
    let changes = 0
    // How many writes get in between depends on the machine: a build that was over before the second of them shows nothing and is repeated.
    for (let rounds = 0; rounds < 2; ) {
      let isOver = false
      rounds = 0
      const building = items.createIndex({ n: 1 }).finally(() => (isOver = true))
      const lists: number[] = []
      while (!isOver) {
        lists.push((await same.listIndexes().toArray()).length)
        rounds += 1
        changes += 1
        await same.updateOne({ _id: (count - changes) as never }, { $set: { n: -changes } })
        await same.deleteOne({ _id: changes as never })
        await same.insertOne({ _id: (count + changes) as never, n: -changes })
      }
      await building

      assert.ok(lists.slice(0, -1).every(length => length === 1))
      const stages = JSON.stringify(await items.find({ n: { $lt: 0 } }).explain())
      assert.ok(stages.includes('IXSCAN'), stages)
      assert.equal(await items.countDocuments({ n: { $lt: 0 } }), 2 * changes)
      assert.equal(await items.countDocuments({}, { hint: { n: 1 } }), await items.countDocuments())
      if (rounds < 2) await items.dropIndex('n_1')
    }
    await other.close()
  })

  it('wait for the same index that somebody else builds', async () => {
    const [first, second] = await Promise.all([items.createIndex({ n: 1 }), items.createIndex({ n: 1 })])

    assert.equal(first, second)
    assert.equal((await items.listIndexes().toArray()).length, 2)
  })

  it('leave no index when two documents have the same value', async () => {
    await items.updateOne({ _id: (count - 1) as never }, { $set: { n: 0 } })

    assert.equal((await refusalOf(items.createIndex({ n: 1 }, { unique: true }))).code, 11000)

    assert.equal((await items.listIndexes().toArray()).length, 1)
    await items.insertOne({ _id: -1 as never, n: 0 })
    await items.deleteMany({ n: 0 })
    assert.equal(await items.createIndex({ n: 1 }, { unique: true }), 'n_1')
    assert.equal(await items.countDocuments({}, { hint: { n: 1 } }), count - 2)
  })

  it('leave no index when the server ends during the build', async () => {
    const client = await test.connect()
    const building = client.db(items.dbName).collection(items.collectionName).createIndex({ n: 1 })
    building.catch(() => undefined)
    const { dbName, collectionName } = items
    await test.client.db('admin').command({ ping: 1 })
    await test.restart()

    const again = test.client.db(dbName).collection(collectionName)
    await building.catch(() => undefined)
    assert.equal(await again.createIndex({ n: 1 }), 'n_1')
    assert.equal(await again.countDocuments({}, { hint: { n: 1 } }), count)
  })
})
