import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { Code, deserialize, serialize } from 'bson'
import { type Document, ObjectId } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

function message(body: Uint8Array, flags = 0, extra: Buffer = Buffer.alloc(0)): Buffer {
  const buffer = Buffer.alloc(21)
  buffer.writeInt32LE(21 + body.length + extra.length, 0)
  buffer.writeInt32LE(7, 4)
  buffer.writeInt32LE(2013, 12)
  buffer.writeUInt32LE(flags, 16)
  return Buffer.concat([buffer, body, extra])
}

const ping = serialize({ ping: 1, $db: 'admin' })

/** A document nested so deep; the encoder of the driver would refuse to make it. */
function nested(depth: number): Buffer {
  const raw = Buffer.alloc(8 * depth + 5)
  for (let i = 0; i <= depth; i++) {
    raw.writeInt32LE(raw.length - 8 * i, 7 * i)
    if (i < depth) raw.set([3, 0x61, 0], 7 * i + 4)
  }
  return raw
}

describe('the wire protocol', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  function open(): Promise<Socket> {
    const { port, hostname } = new URL(test.server.uri)
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(socket))
      socket.once('error', reject)
    })
  }

  /** What the server sends back before it closes the connection or falls silent over a ping. */
  async function exchange(parts: readonly Buffer[]): Promise<Buffer | 'closed'> {
    const socket = await open()
    const reply = new Promise<Buffer | 'closed'>(resolve => {
      socket.once('data', resolve)
      socket.once('close', () => resolve('closed'))
      socket.on('error', () => {})
    })
    for (const part of parts) socket.write(part)
    const first = await reply
    socket.destroy()
    return first
  }

  it('closes the connection on a broken frame and continues to serve the others', async () => {
    const sequence = (size: number, name: string) => Buffer.concat([Buffer.from([1]), Buffer.from(new Int32Array([size]).buffer), Buffer.from(name)])
    const broken: Buffer[] = [
      Buffer.from([255, 255, 255, 127, 0, 0, 0, 0]),
      Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from(new Int32Array([-5, 0, 0, 2013]).buffer),
      message(ping, 0x8000),
      message(ping, 0, sequence(1_000_000, 'documents\0')),
      message(ping, 0, sequence(4, 'x')),
      message(ping, 0, Buffer.from([9, 1, 2, 3])),
      message(ping, 0, Buffer.concat([Buffer.from([0]), ping])),
      Buffer.concat([Buffer.from(new Int32Array([40, 1, 0, 2012]).buffer), Buffer.alloc(24)]),
      Buffer.concat([Buffer.from(new Int32Array([40, 1, 0, 2004]).buffer), Buffer.alloc(24, 0x61)]),
    ]
    for (const bytes of broken) assert.equal(await exchange([bytes]), 'closed')

    assert.equal((await test.client.db().command({ ping: 1 })).ok, 1)
  })

  it('answers bad BSON inside a sound frame with an error', async () => {
    const cut = Buffer.from(ping)
    cut.writeInt32LE(ping.length + 100, 0)
    const badString = Buffer.from(serialize({ ping: 'x', $db: 'admin' }))
    badString.writeInt32LE(1_000_000, badString.indexOf('x') - 4)
    const badType = Buffer.from(ping)
    badType[4] = 0x66
    const badScope = Buffer.from(serialize({ ping: new Code('f', { a: 1 }), $db: 'admin' }))
    badScope.writeInt32LE(3, badScope.indexOf('f\0') - 4)
    for (const body of [cut, badString, badType, badScope, nested(1_000), nested(100_000), Buffer.from([4, 0, 0, 0])]) {
      const reply = await exchange([message(body)])
      assert.ok(reply !== 'closed' && reply.includes('errmsg'), `closed over ${body.length} bytes`)
    }
    const noDatabase = await exchange([message(serialize({ ping: 1 }))])
    assert.ok(noDatabase !== 'closed' && noDatabase.includes('$db'))
  })

  it('answers messages that come in pieces or several at a time, in their order', async () => {
    const socket = await open()
    const whole = Buffer.concat([message(ping), message(serialize({ nonsense: 1, $db: 'admin' })), message(ping)])
    let received = Buffer.alloc(0)
    const done = new Promise<void>(resolve => {
      socket.on('data', chunk => {
        received = Buffer.concat([received, chunk])
        if (received.length > 100 && received.lastIndexOf('ok') > received.indexOf('CommandNotFound')) resolve()
      })
    })
    for (const byte of whole) socket.write(Buffer.from([byte]))
    await done
    socket.destroy()

    assert.ok(received.indexOf('ok') < received.indexOf('CommandNotFound'))
  })

  it('sends no reply to a write that wants none', async () => {
    const db = test.db()
    await db.collection('items').insertOne({ a: 1 }, { writeConcern: { w: 0 } })
    await db.collection('items').insertOne({ a: 2 })

    assert.equal(await db.collection('items').countDocuments(), 2)
  })

  it('reports no result to a client that wrote with w: 0 but waits for a reply', async () => {
    const write = { insert: 'items', documents: [{ _id: 1 }, { _id: 1 }], $db: test.db().databaseName }
    const replyTo = async (writeConcern: Document) => {
      const reply = await exchange([message(serialize({ ...write, writeConcern }))])
      assert.ok(reply !== 'closed')
      return deserialize(reply.subarray(21))
    }
    const { n, ok, writeErrors } = await replyTo({ w: 0 })

    assert.deepEqual([n, ok, writeErrors], [0, 1, undefined])
    assert.equal((await replyTo({ w: 1 })).writeErrors.length, 1)
  })

  it('stores names of prototype properties as plain fields', async () => {
    const items = test.db().collection('items')
    const raw = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as Document
    await items.insertOne({ _id: 0 as never, ...raw })
    for (const path of ['a.constructor.prototype.polluted', '__proto__.polluted', 'constructor.prototype.polluted', 'a.__proto__.polluted']) {
      await items.updateOne({}, { $set: { [path]: 1 } }).catch(() => {})
      await items.updateOne({ [path]: 2 }, { $setOnInsert: { [path]: 1 } }, { upsert: true }).catch(() => {})
      await items
        .find({ [path]: 1 }, { projection: { [path]: 1 } })
        .sort({ [path]: 1 })
        .toArray()
      await items
        .aggregate([{ $group: { _id: `$${path}` } }])
        .toArray()
        .catch(() => {})
      await items.createIndex({ [path]: 1 })
    }

    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    assert.equal(await items.countDocuments({ 'constructor.prototype.polluted': 1 }), 2)
  })

  it('refuses documents that are too large, and stores those that just fit', async () => {
    const items = test.db().collection('items')
    const large = 'x'.repeat(16 * 1024 * 1024 - 200)
    await items.insertOne({ _id: 1 as never, large })

    assert.equal((await refusalOf(items.updateOne({}, { $set: { more: 'x'.repeat(400) } }))).code, 10334)
    assert.equal((await items.findOne({}))?.large.length, large.length)
  })

  it('runs short commands while a long one reads', async () => {
    const items = test.db().collection('items')
    for (let i = 0; i < 8; i++) await items.insertMany(Array.from({ length: 5_000 }, (_, n) => ({ n, tags: ['a', 'b', 'c'] })))
    const slow = { $expr: { $eq: [{ $mod: [{ $add: ['$n', { $size: '$tags' }] }, 10_007] }, 10_006] } }
    const reads: ((options: { maxTimeMS?: number }) => Promise<unknown>)[] = [
      options => items.find(slow, options).toArray(),
      options => items.countDocuments(slow, options),
      options => items.distinct('n', slow, options),
    ]
    for (const read of reads) {
      // how many commands fit into one read depends on the machine
      for (let pings = 0; pings <= 2; ) {
        pings = 0
        let isReading = true
        const reading = read({}).finally(() => {
          isReading = false
        })
        while (isReading) {
          await test.client.db('admin').command({ ping: 1 })
          pings += 1
        }
        await reading
      }

      assert.equal((await refusalOf(read({ maxTimeMS: 1 }))).code, 50)
    }
  })

  it('ends commands at their time limit within a regular expression too', async () => {
    const items = test.db().collection('patterns')
    const heavy = new ObjectId()
    await items.insertMany(Array.from({ length: 300 }, (_, n) => ({ n, text: `${'a'.repeat(13)}b` })))
    await items.insertOne({ _id: heavy, n: -1, text: `${'a'.repeat(32)}b` })
    const text = /^(a+)+$/
    const started = process.cpuUsage()

    assert.equal((await refusalOf(items.find({ text }).maxTimeMS(20).toArray())).code, 50)
    assert.equal((await refusalOf(items.find({ _id: heavy, text }).maxTimeMS(5).toArray())).code, 50)
    assert.equal((await refusalOf(items.updateMany({ text }, { $set: { n: 0 } }, { maxTimeMS: 20 }))).code, 50)
    const isMatch = { $expr: { $regexMatch: { input: '$text', regex: text } } }
    assert.equal((await refusalOf(items.aggregate([{ $match: isMatch }], { maxTimeMS: 20 }).toArray())).code, 50)
    assert.ok(process.cpuUsage(started).user < 5_000_000)
    assert.equal((await refusalOf(items.find({ _id: heavy, text }).toArray())).code, 51156)
  })
})
