import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { GridFSBucket } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('commands about the server', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  it('report which operations are running, and which transactions are open', async () => {
    const client = await test.connect({ appName: 'curious' })
    const admin = client.db('admin')
    const session = client.startSession()
    session.startTransaction()
    await test.client.db('test').createCollection('items')
    await client.db('test').collection('items').insertOne({}, { session })

    const [own] = (await admin.command({ currentOp: 1, appName: 'curious' })).inprog
    assert.equal(own.command.currentOp, 1)
    const listed = await admin.aggregate([{ $currentOp: {} }]).toArray()
    assert.equal(listed[0]!.command.aggregate, 1)
    assert.deepEqual(
      listed.filter(({ type }) => type === 'idleSession').map(({ transaction }) => transaction.parameters.autocommit),
      [false],
    )
    await session.abortTransaction()
    assert.equal(
      (
        await refusalOf(
          test
            .db()
            .aggregate([{ $currentOp: {} }])
            .toArray(),
        )
      ).code,
      73,
    )
    await session.endSession()
  })

  it('know of no users, and let none be made', async () => {
    const db = test.db()

    assert.deepEqual((await db.command({ usersInfo: 1 })).users, [])
    assert.equal((await db.command({ dropAllUsersFromDatabase: 1 })).n, 0)
    assert.equal((await refusalOf(db.removeUser('nobody'))).message, `User 'nobody@${db.databaseName}' not found`)
    assert.equal((await refusalOf(db.command({ createUser: 'somebody', pwd: 'x', roles: [] }))).code, 115)
  })

  it('have nothing to put on disk, and lock nothing', async () => {
    const admin = test.client.db('admin')

    assert.equal((await admin.command({ fsync: 1 })).numFiles, 1)
    assert.equal((await refusalOf(admin.command({ fsync: 1, lock: true }))).code, 115)
    assert.equal((await refusalOf(admin.command({ compact: 'items' }))).code, 115)
  })

  it('report the address of the client to itself', async () => {
    const { you } = await test.client.db('admin').command({ whatsmyuri: 1 })

    assert.match(you, /^127\.0\.0\.1:\d+$/)
    assert.ok(!test.server.uri.includes(you))
  })

  it('give the MD5 of a file in GridFS', async () => {
    const db = test.db()
    const data = Buffer.alloc(700_000, 'abc')
    const upload = new GridFSBucket(db).openUploadStream('file')
    await new Promise(resolve => upload.end(data, () => resolve(undefined)))

    const { md5, numChunks } = await db.command({ filemd5: upload.id, root: 'fs' })
    assert.deepEqual([md5, numChunks], [createHash('md5').update(data).digest('hex'), 3])
  })

  it('report the cluster time to clients that do not know it yet', async () => {
    const session = test.client.startSession()
    const items = test.db().collection('items')
    await items.insertOne({}, { session })
    const first = session.clusterTime!.clusterTime
    await items.insertOne({}, { session })

    assert.ok(session.clusterTime!.clusterTime.greaterThan(first))
    assert.ok(session.operationTime!.equals(session.clusterTime!.clusterTime))
    await session.endSession()
  })
})
