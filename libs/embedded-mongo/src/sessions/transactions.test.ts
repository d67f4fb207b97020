import assert from 'node:assert/strict'
import type { ClientSession, Collection } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

type Account = { _id: number; balance: number }

/** For much work on a busy machine. */
const busyMs = 60_000

describe('transactions', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  async function withSession<T>(action: (session: ClientSession) => Promise<T>): Promise<T> {
    return test.client.withSession(action)
  }

  async function accounts(n: number): Promise<Collection<Account>> {
    const collection = test.db().collection<Account>('accounts')
    await collection.insertMany(Array.from({ length: n }, (_, _id) => ({ _id, balance: 100 })))
    return collection
  }

  it('shows its own writes to nobody else before the commit, and all of them after', async () => {
    const items = await accounts(2)
    await items.createIndex({ balance: 1 })
    await withSession(async session => {
      session.startTransaction()
      await items.updateOne({ _id: 0 }, { $inc: { balance: -30 } }, { session })
      await items.insertOne({ _id: 9, balance: 30 }, { session })
      await items.deleteOne({ _id: 1 }, { session })

      assert.deepEqual(
        await items
          .find({ balance: { $lt: 100 } }, { session })
          .sort({ balance: 1 })
          .toArray(),
        [
          { _id: 9, balance: 30 },
          { _id: 0, balance: 70 },
        ],
      )
      assert.equal(await items.countDocuments({}, { session }), 2)
      assert.deepEqual(await items.find().sort({ _id: 1 }).toArray(), [
        { _id: 0, balance: 100 },
        { _id: 1, balance: 100 },
      ])
      await session.commitTransaction()
      await session.commitTransaction()
    })

    assert.deepEqual(await items.find().sort({ _id: 1 }).toArray(), [
      { _id: 0, balance: 70 },
      { _id: 9, balance: 30 },
    ])
    assert.deepEqual((await test.client.db(items.dbName).command({ validate: 'accounts' })).errors, [])
  })

  it('leaves nothing when it is aborted, not even a new collection and its index', async () => {
    const db = test.db()
    await withSession(async session => {
      session.startTransaction()
      const fresh = await db.createCollection('fresh', { session })
      await fresh.createIndex({ a: 1 }, { session })
      await fresh.insertOne({ a: 1 }, { session })
      assert.deepEqual(await db.listCollections().toArray(), [])
      await session.abortTransaction()
    })

    assert.deepEqual(await db.listCollections().toArray(), [])
    await withSession(session => session.withTransaction(() => db.collection('fresh').insertOne({ a: 2 }, { session })))
    assert.equal(await db.collection('fresh').countDocuments(), 1)
  })

  it('reads the state in which it began', async () => {
    const items = await accounts(1)
    await withSession(async session => {
      session.startTransaction()
      await items.findOne({ _id: 0 }, { session })
      await items.updateOne({ _id: 0 }, { $set: { balance: 1 } })
      await items.insertOne({ _id: 5, balance: 5 })

      assert.deepEqual(await items.find({}, { session }).toArray(), [{ _id: 0, balance: 100 }])
      const refusal = await refusalOf(items.updateOne({ _id: 0 }, { $inc: { balance: 1 } }, { session }))
      assert.deepEqual([refusal.code, refusal.hasErrorLabel('TransientTransactionError')], [112, true])
      assert.equal((await refusalOf(session.commitTransaction())).code, 251)
    })
  })

  it('gives two transactions that write one document, one unique value or one new _id to the first of them', async () => {
    const items = await accounts(1)
    await items.createIndex({ name: 1 } as never, { unique: true, sparse: true })
    const writes: ((session: ClientSession) => Promise<unknown>)[] = [
      session => items.updateOne({ _id: 0 }, { $inc: { balance: 1 } }, { session }),
      session => items.insertOne({ _id: 7, balance: 0 }, { session }),
      session => items.updateOne({ _id: 100 + Math.random() }, { $set: { name: 'same' } } as never, { upsert: true, session }),
    ]
    for (const write of writes) {
      await withSession(first =>
        withSession(async second => {
          first.startTransaction()
          second.startTransaction()
          await write(first)
          const refusal = await refusalOf(write(second))
          assert.deepEqual([refusal.code, refusal.hasErrorLabel('TransientTransactionError')], [112, true])
          await first.abortTransaction()
        }),
      )
    }
  })

  it('makes a write outside transactions wait for the lock and then continue', async () => {
    const items = await accounts(1)
    await withSession(async session => {
      session.startTransaction()
      await items.updateOne({ _id: 0 }, { $inc: { balance: 1 } }, { session })
      let isDone = false
      const outside = items.updateMany({}, { $inc: { balance: 10 } }).then(() => {
        isDone = true
      })
      await items.findOne({})
      assert.equal(isDone, false)
      assert.equal((await refusalOf(items.updateOne({ _id: 0 }, { $set: { balance: 0 } }, { maxTimeMS: 20 }))).code, 50)
      await session.commitTransaction()
      await outside
    })

    assert.equal((await items.findOne({}))?.balance, 111)
  })

  it('reports a duplicate inside a transaction and ends it', async () => {
    const items = await accounts(1)
    await withSession(async session => {
      session.startTransaction()
      await items.insertOne({ _id: 1, balance: 1 }, { session })
      const refusal = await refusalOf(items.insertOne({ _id: 0, balance: 1 }, { session }))
      assert.deepEqual([refusal.code, refusal.hasErrorLabel('TransientTransactionError')], [11000, false])
      assert.equal((await refusalOf(items.insertOne({ _id: 2, balance: 1 }, { session }))).code, 251)
    })

    assert.equal(await items.countDocuments(), 1)
  })

  it('lets a unique value change hands inside one transaction', async () => {
    const items = test.db().collection<{ _id: number; name: string }>('items')
    await items.createIndex({ name: 1 }, { unique: true })
    await items.insertMany([
      { _id: 1, name: 'a' },
      { _id: 2, name: 'b' },
    ])
    await withSession(session =>
      session.withTransaction(async () => {
        await items.updateOne({ _id: 1 }, { $set: { name: 'c' } }, { session })
        await items.updateOne({ _id: 2 }, { $set: { name: 'a' } }, { session })
        await items.updateOne({ _id: 1 }, { $set: { name: 'b' } }, { session })
      }),
    )

    assert.deepEqual(await items.find().sort({ name: 1 }).toArray(), [
      { _id: 2, name: 'a' },
      { _id: 1, name: 'b' },
    ])
    assert.equal((await refusalOf(items.insertOne({ _id: 3, name: 'b' }))).code, 11000)
  })

  it('refuses in a transaction what cannot be part of one', async () => {
    const items = await accounts(1)
    const refused: ((session: ClientSession) => Promise<unknown>)[] = [
      session => test.client.db(items.dbName).command({ count: 'accounts' }, { session }),
      session => items.createIndex({ balance: 1 }, { session }),
      session => test.client.db(items.dbName).command({ dropDatabase: 1 }, { session }),
    ]
    for (const action of refused) {
      await withSession(async session => {
        session.startTransaction()
        assert.equal((await refusalOf(action(session))).code, 263)
      })
    }
  })

  it('preserves the sum of a bank under 32 clients, in every snapshot that is read meanwhile', async () => {
    const count = 12
    const items = await accounts(count)
    const total = async (session?: ClientSession) => (await items.find({}, { session }).toArray()).reduce((sum, { balance }) => sum + balance, 0)
    let transfers = 0
    const teller = async (w: number) => {
      for (let i = 0; i < 6; i++) {
        const [from, to] = [(w * 7 + i) % count, (w * 5 + i * 3 + 1) % count]
        if (from === to) continue
        await withSession(session =>
          session.withTransaction(async () => {
            await items.updateOne({ _id: from }, { $inc: { balance: -1 } }, { session })
            await items.updateOne({ _id: to }, { $inc: { balance: 1 } }, { session })
          }),
        )
        transfers += 1
      }
    }
    const sums: number[] = []
    const auditor = async () => {
      for (let i = 0; i < 20; i++) {
        await withSession(async session => {
          session.startTransaction()
          sums.push(await total(session))
          await session.abortTransaction()
        })
      }
    }
    await Promise.all([...Array.from({ length: 32 }, (_, w) => teller(w)), auditor()])

    assert.ok(transfers > 150)
    assert.deepEqual(new Set(sums), new Set([count * 100]))
    assert.equal(await total(), count * 100)
  }).timeout(busyMs)

  it('loses no update when transactions read and write back', async () => {
    const items = await accounts(1)
    const add = () =>
      withSession(session =>
        session.withTransaction(async () => {
          const { balance } = (await items.findOne({ _id: 0 }, { session }))!
          await items.updateOne({ _id: 0 }, { $set: { balance: balance + 1 } }, { session })
        }),
      )
    await Promise.all(Array.from({ length: 20 }, add))

    assert.equal((await items.findOne({}))?.balance, 120)
  }).timeout(busyMs)

  it('gives a snapshot session the same answer again and again', async () => {
    const items = await accounts(1)
    const session = test.client.startSession({ snapshot: true })
    const before = await items.find({}, { session }).toArray()
    await items.insertOne({ _id: 8, balance: 8 })

    assert.deepEqual(await items.find({}, { session }).toArray(), before)
    assert.deepEqual(await items.distinct('_id', {}, { session }), [0])
    assert.equal(await items.countDocuments({}, { session }), 1)
    assert.equal((await refusalOf(items.insertOne({ _id: 9, balance: 1 }, { session }))).code, 72)
    await session.endSession()
  })

  it('reports the operation time to sessions also when it fails', async () => {
    const session = test.client.startSession()
    await refusalOf(test.db().command({ nonsense: 1 }, { session }))

    assert.ok(session.operationTime)
    await session.endSession()
  })
})
