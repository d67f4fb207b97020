import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { type ChangeStream, type ChangeStreamDocument, type Document, Timestamp } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('change streams', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer({ testCommands: true })
  })
  after(() => test.stop())

  /** Opens the stream on the server, which the driver leaves to the first read. */
  async function opened<T extends ChangeStream>(stream: T): Promise<T> {
    assert.equal(await stream.tryNext(), null)
    return stream
  }

  async function nextEvents(stream: ChangeStream, count: number): Promise<ChangeStreamDocument[]> {
    const events: ChangeStreamDocument[] = []
    while (events.length < count) events.push(await stream.next())
    return events
  }

  it('report inserts, updates, replacements and deletions of a collection in their order', async () => {
    const coll = test.db().collection<Document>('c')
    const stream = await opened(coll.watch([], { maxAwaitTimeMS: 50 }))

    await coll.insertOne({ _id: 1 as never, a: 1, list: [1, 2, 3], old: true })
    await coll.updateOne({}, { $set: { a: 2, 'list.0': 5 }, $unset: { old: 1 } })
    await coll.replaceOne({}, { b: 1 })
    await coll.deleteOne({})
    const events: Document[] = await nextEvents(stream, 4)

    assert.deepEqual(
      events.map(event => event.operationType),
      ['insert', 'update', 'replace', 'delete'],
    )
    assert.deepEqual(events[1]!.updateDescription, { updatedFields: { a: 2, 'list.0': 5 }, removedFields: ['old'], truncatedArrays: [] })
    assert.deepEqual(events[2]!.fullDocument, { _id: 1, b: 1 })
    assert.deepEqual(events[3]!.documentKey, { _id: 1 })
    assert.equal(events[3]!.ns.coll, 'c')
    await stream.close()
  })

  it('of a database and of the whole server see what their collections do', async () => {
    const db = test.db()
    const ofDb = await opened(db.watch([], { maxAwaitTimeMS: 50 }))
    const ofAll = await opened(test.client.watch([{ $match: { 'ns.db': db.databaseName } }], { maxAwaitTimeMS: 50 }))

    await db.collection('a').insertOne({})
    await test.db().collection('elsewhere').insertOne({})
    await db.collection('b').insertOne({})

    for (const stream of [ofDb, ofAll])
      assert.deepEqual(
        (await nextEvents(stream, 2)).map(event => (event as { ns: { coll: string } }).ns.coll),
        ['a', 'b'],
      )
    await ofDb.close()
    await ofAll.close()
  })

  it('continue after a token, and from the time of a write', async () => {
    const coll = test.db().collection<{ _id: number }>('c')
    const first = await opened(coll.watch([], { maxAwaitTimeMS: 50 }))
    const session = test.client.startSession()
    await coll.insertOne({ _id: 1 })
    await coll.insertOne({ _id: 2 }, { session })
    await coll.insertOne({ _id: 3 })
    const [one] = await nextEvents(first, 1)
    await first.close()

    const resumed = coll.watch([], { resumeAfter: one!._id })
    const timed = coll.watch([], { startAtOperationTime: session.operationTime! })

    const keys = async (stream: ChangeStream) => (await nextEvents(stream, 2)).map(event => (event as { documentKey: Document }).documentKey._id)
    assert.deepEqual(await keys(resumed), [2, 3])
    assert.deepEqual(await keys(timed), [2, 3])
    await resumed.close()
    await timed.close()
    await session.endSession()
  })

  it('cannot begin before the log', async () => {
    const coll = test.db().collection('c')
    await coll.insertOne({})

    const stream = coll.watch([], { startAtOperationTime: new Timestamp({ t: 1, i: 1 }) })

    assert.equal((await refusalOf(stream.next())).code, 286)
  })

  it('continue after a token when the server was started again', async () => {
    const coll = test.db().collection<{ _id: number }>('c')
    const stream = await opened(coll.watch([], { maxAwaitTimeMS: 50 }))
    const ofNothing = stream.resumeToken
    await coll.insertOne({ _id: 1 })
    const [event] = await nextEvents(stream, 1)
    await stream.close()
    await coll.insertOne({ _id: 2 })
    const { dbName } = coll

    await test.restart()

    const again = test.client.db(dbName).collection<{ _id: number }>('c')
    await again.insertOne({ _id: 3 })
    for (const [resumeAfter, ids] of [
      [event!._id, [2, 3]],
      [ofNothing, [1, 2, 3]],
    ] as const) {
      const resumed = again.watch([], { maxAwaitTimeMS: 50, resumeAfter })
      assert.deepEqual(
        (await nextEvents(resumed, ids.length)).map(found => (found as { documentKey: { _id: unknown } }).documentKey._id),
        ids,
      )
      await resumed.close()
    }
  })

  it('report nothing of a transaction before it is committed, and then all of it', async () => {
    const coll = test.db().collection<{ _id: number }>('c')
    await coll.createIndex({ a: 1 })
    const stream = await opened(coll.watch([], { maxAwaitTimeMS: 50 }))
    const session = test.client.startSession()
    session.startTransaction()
    await coll.insertOne({ _id: 1 }, { session })
    await coll.insertOne({ _id: 2 }, { session })
    assert.equal(await stream.tryNext(), null)

    await session.commitTransaction()

    const events: Document[] = await nextEvents(stream, 2)
    assert.deepEqual(
      events.map(event => event.documentKey._id),
      [1, 2],
    )
    assert.equal(String(events[0]!.clusterTime), String(events[1]!.clusterTime))
    assert.notEqual(events[0]!._id._data, events[1]!._id._data)
    assert.equal(events[0]!.txnNumber, 1)
    await stream.close()
    await session.endSession()
  })

  it('end with an invalidate event when the collection is dropped', async () => {
    const coll = test.db().collection('c')
    await coll.insertOne({})
    const stream = await opened(coll.watch([], { maxAwaitTimeMS: 50 }))

    await coll.drop()

    assert.deepEqual(
      (await nextEvents(stream, 2)).map(event => event.operationType),
      ['drop', 'invalidate'],
    )
    await stream.close()
  })

  it('give images of documents from before and after a change where the collection stores them', async () => {
    const db = test.db()
    const coll = await db.createCollection<{ _id: number; a: number }>('c', { changeStreamPreAndPostImages: { enabled: true } })
    await coll.insertOne({ _id: 1, a: 1 })
    const options = { fullDocument: 'required', fullDocumentBeforeChange: 'required', maxAwaitTimeMS: 50 }
    const stream = await opened(coll.watch([], options))
    const plain = await opened(db.collection('d').watch([], options))

    await coll.updateOne({}, { $inc: { a: 1 } })
    await db.collection('d').insertOne({})
    await db.collection('d').updateOne({}, { $set: { a: 1 } })

    const [event]: Document[] = await nextEvents(stream, 1)
    assert.deepEqual(event!.fullDocument, { _id: 1, a: 2 })
    assert.deepEqual(event!.fullDocumentBeforeChange, { _id: 1, a: 1 })
    assert.equal((await nextEvents(plain, 1))[0]!.operationType, 'insert')
    assert.equal((await refusalOf(plain.next())).code, 280)
    await stream.close()
  })

  it('refuse stages that have no place in them, and events without their token', async () => {
    const coll = test.db().collection('c')
    assert.equal((await refusalOf(coll.watch([{ $group: { _id: 1 } }]).next())).code, 20)
    assert.equal((await refusalOf(coll.watch([{ $nonsense: 1 }]).next())).code, 40324)
    const stream = await opened(coll.watch([{ $project: { _id: 0 } }], { maxAwaitTimeMS: 50 }))
    await coll.insertOne({})
    assert.equal((await refusalOf(stream.next())).code, 280)
  })

  it('survive an error that the driver may resume after', async () => {
    const coll = test.db().collection('c')
    const stream = await opened(coll.watch([], { maxAwaitTimeMS: 50 }))
    await test.client.db('admin').command({ configureFailPoint: 'failGetMoreAfterCursorCheckout', mode: { times: 1 }, data: { errorCode: 6 } })

    await coll.insertOne({})

    assert.equal((await nextEvents(stream, 1))[0]!.operationType, 'insert')
    await stream.close()
  })

  it('report collections and indexes with showExpandedEvents, also those made in transactions', async () => {
    const db = test.db()
    const stream = await opened(db.watch([], { showExpandedEvents: true, maxAwaitTimeMS: 50 }))
    await db.createCollection('a')
    await db.collection('a').createIndex({ n: 1 })
    await db.collection('a').rename('b')
    await test.client.withSession(session => session.withTransaction(() => db.collection('c').insertOne({}, { session })))

    const events: Document[] = await nextEvents(stream, 5)

    assert.deepEqual(
      events.map(event => event.operationType),
      ['create', 'createIndexes', 'rename', 'create', 'insert'],
    )
    assert.deepEqual(events[2]!.to, { db: db.databaseName, coll: 'b' })
    await stream.close()
  })

  it('do not prevent a server from closing while a client waits', async () => {
    const own = await startTestServer()
    const stream = own.db().watch([], { maxAwaitTimeMS: 60_000 })
    const waiting = assert.rejects(stream.next())
    const admin = own.client.db('admin')
    while ((await admin.command({ serverStatus: 1 })).opcounters.getMore === 0);

    const started = Date.now()
    await own.server.close()

    assert.ok(Date.now() - started < 10_000)
    await own.client.close()
    await waiting
    await rm(own.path, { recursive: true })
  })

  it('begin at a time in the future, and report nothing from before it', async () => {
    const coll = test.db().collection<{ _id: number }>('c')
    const session = test.client.startSession()
    await coll.insertOne({ _id: 1 }, { session })
    const soon = new Timestamp({ t: session.operationTime!.t + 2, i: 0 })
    const stream = await opened(coll.watch([], { startAtOperationTime: soon, maxAwaitTimeMS: 20 }))
    await coll.insertOne({ _id: 2 }, { session })
    assert.equal(await stream.tryNext(), null)
    for (let _id = 3; session.operationTime!.lessThan(soon); _id++) await coll.insertOne({ _id }, { session })
    await coll.insertOne({ _id: 0 }, { session })

    const first = (await stream.next()) as { clusterTime?: Timestamp }
    assert.ok(first.clusterTime!.greaterThanOrEqual(soon))
    await stream.close()
    await session.endSession()
  })

  it('preserve the token of the newest event while nothing else happens', async () => {
    const own = await startTestServer()
    const coll = own.db().collection('c')
    const stream = await opened(coll.watch([], { maxAwaitTimeMS: 20 }))
    await coll.insertOne({})
    const event = await stream.next()
    assert.equal(await stream.tryNext(), null)

    assert.deepEqual(stream.resumeToken, event._id)
    await stream.close()
    await own.stop()
  })

  it('end for somebody who waits when their cursor is killed', async () => {
    const db = test.db()
    const { cursor } = await db.command({ aggregate: 1, pipeline: [{ $changeStream: {} }], cursor: {} })
    const getMores = async () => (await test.client.db('admin').command({ serverStatus: 1 })).opcounters.getMore
    const before = await getMores()
    const waiting = refusalOf(db.command({ getMore: cursor.id, collection: '$cmd.aggregate', maxTimeMS: 60_000 }))
    while ((await getMores()) === before);
    await db.command({ killCursors: '$cmd.aggregate', cursors: [cursor.id] })

    assert.equal((await waiting).codeName, 'CursorKilled')
  })
})
