import assert from 'node:assert/strict'
import type { ClientSession, Collection } from 'mongodb'
import { sweep } from '../server/open-engine.ts'
import { startTestEngine, type TestEngine } from '../testing/test-engine.ts'
import { refusalOf } from '../testing/test-server.ts'
import { momentMs } from './history.ts'

const count = 3_000

interface Item {
  _id: number
  n: number
  text: string
}

describe('a snapshot session', () => {
  let test: TestEngine
  let items: Collection<Item>
  let session: ClientSession
  before(async () => {
    test = await startTestEngine()
    items = test.client.db('test').collection('items')
    await items.insertMany(Array.from({ length: count }, (_, i) => ({ _id: i, n: i, text: `${'a'.repeat(12)}b` })))
  })
  after(() => test.stop())
  beforeEach(() => {
    session = test.client.startSession({ snapshot: true })
  })
  afterEach(() => session.endSession())

  it('reads on with its cursor for as long as that is read', async () => {
    const cursor = items.find({}, { session, batchSize: 10 })
    await cursor.next()
    for (const moment of test.engine.history.values()) moment.usedAt -= 4_000
    for (let i = 0; i < 10; i++) await cursor.next()
    await items.updateMany({}, { $inc: { n: count } })
    // An idle one would be in the way of so many writes after 5 s.
    sweep(test.engine, Date.now() + 3_000)

    const rest = await cursor.toArray()
    await items.updateMany({}, { $inc: { n: -count } })
    assert.deepEqual([rest.length, rest.at(-1)?.n], [count - 11, count - 1])
  })

  it('reads to the end of a command, however long it runs', async () => {
    let isOver = false
    const reading = items.find({ text: /^(a+)+b$/, n: { $gte: 0 } }, { session, batchSize: count }).toArray()
    const finished = reading.finally(() => (isOver = true))
    while (!isOver) {
      sweep(test.engine, Date.now() + 2 * momentMs)
      await new Promise(setImmediate)
    }

    assert.equal((await finished).length, count)
  })

  const filters = { 'a range': { _id: { $gte: 0 } }, 'single documents': { _id: { $in: Array.from({ length: 100 }, (_, i) => i) } } }
  for (const [what, filter] of Object.entries(filters))
    it(`is refused with 239 when its moment is over: ${what}`, async () => {
      const cursor = items.find(filter, { session, batchSize: 20 })
      await cursor.next()
      sweep(test.engine, Date.now() + 2 * momentMs)

      assert.equal((await refusalOf(cursor.toArray())).code, 239)
    })

  it('and a transaction read what they see without an index that is younger, and refuse its hint', async () => {
    const transaction = test.client.startSession()
    transaction.startTransaction()
    await items.findOne({}, { session: transaction })
    const first = await items.findOne({ n: 5 }, { session })
    assert.equal(first?._id, 5)
    await items.createIndex({ n: 1 })

    for (const reader of [session, transaction]) {
      assert.deepEqual(await items.findOne({ n: 5 }, { session: reader }), first)
      assert.equal(await items.countDocuments({ n: { $lt: 10 } }, { session: reader }), 10)
      assert.equal((await refusalOf(items.findOne({ n: 5 }, { session: reader, hint: { n: 1 } }))).code, 246)
    }
    assert.deepEqual(await items.findOne({ n: 5 }, { hint: { n: 1 } }), first)
    await items.dropIndex('n_1')
    await transaction.endSession()
  })
})

describe('a transaction that ends while it reads', () => {
  it('is refused with 251, so that the driver begins it again', async () => {
    const test = await startTestEngine()
    const items = test.client.db('test').collection<Item>('items')
    await items.insertMany(Array.from({ length: count }, (_, i) => ({ _id: i, n: i, text: `${'a'.repeat(12)}b` })))
    const session = test.client.startSession()
    session.startTransaction()
    let isOver = false
    const reading = items.find({ text: /^(a+)+$/ }, { session }).toArray()
    const refusal = refusalOf(reading).finally(() => (isOver = true))
    while (!isOver) {
      sweep(test.engine, Date.now() + 120_000)
      await new Promise(setImmediate)
    }

    assert.equal((await refusal).code, 251)
    assert.ok((await refusal).hasErrorLabel('TransientTransactionError'))
    await session.endSession()
    await test.stop()
  })
})
