import { createServer } from 'node:net'
import { Double, Int32, Long, serialize } from 'bson'

/** A server that does no work: it reads the command's name and answers with prepared bytes. It shows the driver's own limit. */
const ok = { ok: new Double(1) }
const sample = {
  _id: new Int32(1),
  email: 'user1@example.org',
  group: new Int32(1),
  n: new Int32(1),
  status: 'open',
  tags: ['alpha', 'beta', 'gamma'],
  note: 'x'.repeat(150),
}
const cursor = (documents: object[]) => ({ cursor: { firstBatch: documents, id: Long.ZERO, ns: 'bench.items' }, ...ok })

const hello = (address: string) => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  setName: 'rs0',
  setVersion: new Int32(1),
  hosts: [address],
  me: address,
  primary: address,
  secondary: false,
  maxBsonObjectSize: new Int32(16777216),
  maxMessageSizeBytes: new Int32(48000000),
  maxWriteBatchSize: new Int32(100000),
  localTime: new Date(),
  logicalSessionTimeoutMinutes: new Int32(30),
  connectionId: new Int32(1),
  minWireVersion: new Int32(0),
  maxWireVersion: new Int32(21),
  readOnly: false,
  ...ok,
})

function replies(address: string): Map<string, Uint8Array> {
  const twenty = Array.from({ length: 20 }, (_, i) => ({ ...sample, _id: new Int32(i) }))
  const documents: Record<string, object> = {
    hello: hello(address),
    ismaster: hello(address),
    insert: { n: new Int32(1), ...ok },
    update: { n: new Int32(1), nModified: new Int32(1), ...ok },
    findAndModify: { lastErrorObject: { n: new Int32(1), updatedExisting: true }, value: sample, ...ok },
    find: cursor([sample]),
    'find many': cursor(twenty),
    aggregate: cursor([{ _id: new Int32(1), total: new Int32(1000) }]),
  }
  return new Map(Object.entries({ ...documents, other: ok }).map(([name, document]) => [name, serialize(document)]))
}

const server = createServer({ noDelay: true }, socket => {
  const canned = replies(`127.0.0.1:${socket.localPort}`)
  let rest: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', chunk => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const message = rest.subarray(0, rest.readInt32LE(0))
      rest = rest.subarray(message.length)
      const reply = replyTo(message, canned)
      if (reply) socket.write(reply)
    }
  })
})

function replyTo(message: Buffer, canned: ReadonlyMap<string, Uint8Array>): Buffer | undefined {
  const isLegacy = message.readInt32LE(12) === 2004
  if (!isLegacy && (message.readUInt32LE(16) & 2) !== 0) return undefined
  const body = isLegacy ? message.indexOf(0, 20) + 9 : 21
  const name = message.toString('latin1', body + 5, message.indexOf(0, body + 5))
  const isMany = name === 'find' && message.includes('sort\0')
  const document = canned.get(isMany ? 'find many' : name) ?? canned.get('other')!
  const prefix = isLegacy ? 20 : 5
  const reply = Buffer.alloc(16 + prefix + document.length)
  reply.writeInt32LE(reply.length, 0)
  reply.writeInt32LE(message.readInt32LE(4), 8)
  reply.writeInt32LE(isLegacy ? 1 : 2013, 12)
  if (isLegacy) reply.writeInt32LE(1, 32)
  reply.set(document, 16 + prefix)
  return reply
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.stdout.write(`ready mongodb://127.0.0.1:${address.port}/\n`)
})
process.once('SIGTERM', () => process.exit(0))
