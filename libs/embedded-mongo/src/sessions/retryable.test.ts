import assert from 'node:assert/strict'
import { Long, type MongoClient, UUID } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('retryable writes', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer({ testCommands: true })
  })
  after(() => test.stop())

  const failPoint = (client: MongoClient, mode: unknown, data: object, name = 'failCommand') =>
    client.db('admin').command({ configureFailPoint: name, mode, data })

  /** Sends a write with a session and number of its own choice, as a driver does that sends it twice, even after a restart. */
  function numbered(database: string) {
    const id = { id: new UUID().toBinary() }
    return (command: object, number: number) =>
      test.client.withSession(session => {
        Object.assign(session.serverSession, { id })
        return test.client.db(database).command({ ...command, txnNumber: Long.fromNumber(number) }, { session })
      })
  }

  it('answers a repeated write with the first answer and does it once', async () => {
    const db = test.db()
    const send = numbered(db.databaseName)
    const increment = { update: 'items', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }] }
    const first = await send(increment, 1)
    const second = await send(increment, 1)
    await send(increment, 2)

    assert.deepEqual(second.upserted, first.upserted)
    assert.equal((await db.collection('items').findOne({}))?.n, 2)
    assert.equal((await refusalOf(send(increment, 1))).code, 225)
  })

  it('remembers the answer over a restart', async () => {
    const { databaseName } = test.db()
    const send = numbered(databaseName)
    const increase = { findAndModify: 'items', query: { _id: 1 }, update: { $inc: { n: 1 } }, upsert: true, new: true }
    const insert = { insert: 'items', documents: [{ _id: 5 }, { _id: 6 }] }
    await send(increase, 7)
    const before = await send(insert, 8)
    await test.restart()

    assert.equal((await send(insert, 8)).n, before.n)
    assert.equal(await test.client.db(databaseName).collection('items').countDocuments(), 3)
    assert.equal((await refusalOf(send(increase, 7))).code, 225)
  })

  it('answers a repeated commit after a restart with success', async () => {
    const { databaseName } = test.db()
    await test.client.db(databaseName).createCollection('items')
    const id = { id: new UUID().toBinary() }
    const send = (database: string, command: object) =>
      test.client.withSession(session => {
        Object.assign(session.serverSession, { id, txnNumber: 1 })
        return test.client.db(database).command({ ...command, txnNumber: Long.fromNumber(1), autocommit: false }, { session })
      })
    await send(databaseName, { insert: 'items', documents: [{ _id: 2 }], startTransaction: true })
    await send('admin', { commitTransaction: 1 })
    await test.restart()

    assert.equal((await send('admin', { commitTransaction: 1 })).ok, 1)
    assert.equal((await refusalOf(send('admin', { abortTransaction: 1 }))).code, 256)
    assert.equal(await test.client.db(databaseName).collection('items').countDocuments(), 1)
  })

  it('is done once when the connection is cut before or after it', async () => {
    const client = await test.connect()
    const items = client.db(test.db().databaseName).collection<{ _id: number; n: number }>('items')
    await failPoint(test.client, { times: 1 }, { failCommands: ['insert'], closeConnection: true })
    await items.insertOne({ _id: 1, n: 0 })
    await failPoint(test.client, { times: 1 }, {}, 'onPrimaryTransactionalWrite')
    await items.updateOne({ _id: 1 }, { $inc: { n: 1 } })
    await failPoint(test.client, { times: 1 }, { failBeforeCommitExceptionCode: 1 }, 'onPrimaryTransactionalWrite')
    await items.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })

    assert.deepEqual(await items.find().toArray(), [{ _id: 1, n: 2 }])
  })

  it('labels errors as the fail point says, or as the server would', async () => {
    const client = await test.connect({ retryWrites: false })
    const items = client.db(test.db().databaseName).collection('items')
    await failPoint(test.client, { times: 1 }, { failCommands: ['insert'], errorCode: 91, errorLabels: ['Custom'] })
    assert.ok((await refusalOf(items.insertOne({}))).hasErrorLabel('Custom'))

    const send = numbered(items.dbName)
    await failPoint(test.client, { times: 1 }, { failCommands: ['insert'], errorCode: 10107 })
    assert.ok((await refusalOf(send({ insert: 'items', documents: [{}] }, 1))).hasErrorLabel('RetryableWriteError'))
    await failPoint(test.client, { times: 1 }, { failCommands: ['insert'], writeConcernError: { code: 91, errmsg: 'shutting down' } })
    assert.equal((await refusalOf(items.insertOne({}))).code, 91)
    assert.equal(await items.countDocuments(), 1)
  })

  it('knows no fail points unless it was started for tests', async () => {
    const plain = await startTestServer()
    const refusal = await refusalOf(failPoint(plain.client, 'alwaysOn', { failCommands: ['find'], errorCode: 1 }))
    await plain.stop()

    assert.equal(refusal.code, 59)
  })

  it('can be made to fail from the first message of a connection on, for one application', async () => {
    await failPoint(test.client, 'alwaysOn', { failCommands: ['isMaster', 'hello'], appName: 'unlucky', closeConnection: true })

    await assert.rejects(test.connect({ appName: 'unlucky', serverSelectionTimeoutMS: 200 }), { name: 'MongoServerSelectionError' })
    await test.connect({ appName: 'lucky', serverSelectionTimeoutMS: 5_000 })

    await failPoint(test.client, 'off', {})
  })

  it('can be made to exceed its time', async () => {
    const items = test.db().collection('items')
    const admin = test.client.db('admin')
    await items.insertMany([{}, {}, {}])
    const cursor = items.find({}, { maxTimeMS: 60_000, batchSize: 1 })
    await cursor.next()
    await admin.command({ configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'alwaysOn' })
    const limited = await refusalOf(items.findOne({}, { maxTimeMS: 60_000 }))
    await items.findOne({})
    assert.equal((await refusalOf(cursor.toArray())).code, 50)
    await admin.command({ configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'off' })

    assert.equal(limited.code, 50)
    await items.findOne({}, { maxTimeMS: 60_000 })
  })

  it('says which errors a change stream cannot get over', async () => {
    await failPoint(test.client, { times: 1 }, { failCommands: ['ping'], errorCode: 280 })

    assert.ok((await refusalOf(test.client.db('admin').command({ ping: 1 }))).hasErrorLabel('NonResumableChangeStreamError'))
  })
})
