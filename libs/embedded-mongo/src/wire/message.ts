import { Binary, Long, serialize, Timestamp } from 'bson'
import { checkDocument } from '../bson/raw.ts'
import { fail } from '../values/errors.ts'

/** A command as received: the body and the document sequences, all still raw but checked. */
export interface Message {
  requestId: number
  body: Buffer
  sequences: ReadonlyMap<string, Buffer[]>
  /** OP_QUERY, which only the first hello of a connection uses, wants an OP_REPLY. */
  isLegacy: boolean
  /** The client reads no reply (flag `moreToCome`). */
  isUnacknowledged: boolean
}

export const maxMessageBytes = 48_000_000
const headerBytes = 16
const opReply = 1
const opQuery = 2004
const opMsg = 2013
const timeField = fieldsOf({ operationTime: new Timestamp({ t: 0, i: 0 }) })
/** Without keys there is no signature; drivers forward it and do not read it. */
const clusterTimeField = fieldsOf({
  $clusterTime: { clusterTime: new Timestamp({ t: 0, i: 0 }), signature: { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO } },
})
const clusterTimeAt = clusterTimeField.indexOf('\x11clusterTime\0') + 13
const noSequences: ReadonlyMap<string, Buffer[]> = new Map()
const flags = { checksum: 1, moreToCome: 2, requiredMask: 0xfffc }

/** The length of the message that starts here, or undefined while fewer than four bytes have come. Throws on an impossible length. */
export function messageLength(buffer: Buffer): number | undefined {
  if (buffer.length < 4) return undefined
  const length = buffer.readInt32LE(0)
  if (length < headerBytes + 5 || length > maxMessageBytes + headerBytes) fail(17, `message length ${length} is outside the limits`)
  return length
}

/** Parses a whole message. Throws 17 ProtocolError or 22 InvalidBSON; the requestId can be read in both cases. */
export function parseMessage(buffer: Buffer): Message {
  const opCode = buffer.readInt32LE(12)
  if (opCode === opMsg) return parseMsg(buffer)
  if (opCode === opQuery) return parseQuery(buffer)
  return fail(17, `unsupported operation code ${opCode}`)
}

/** A time of the store: seconds, and a counter that never runs backwards. */
export interface OperationTime {
  seconds: number
  counter: number
}

/** The time of the operation in its reply. */
export interface ReplyTime extends OperationTime {
  /** The client does not know this time yet, so the reply has `$clusterTime` too. */
  isNews: boolean
}

/**
 * A whole reply message around an encoded document. With a time the document gets `operationTime` and maybe `$clusterTime` after its
 * other fields, which the driver sends back as `afterClusterTime`. Every reply has it, hence it is written here and not encoded.
 */
export function buildReply(message: Pick<Message, 'requestId' | 'isLegacy'>, document: Uint8Array, time?: ReplyTime): Buffer {
  const start = headerBytes + (message.isLegacy ? 20 : 5)
  const timeBytes = time ? timeField.length + (time.isNews ? clusterTimeField.length : 0) : 0
  const reply = Buffer.allocUnsafe(start + document.length + timeBytes)
  putInt32(reply, reply.length, 0)
  putInt32(reply, 0, 4)
  putInt32(reply, message.requestId, 8)
  putInt32(reply, message.isLegacy ? opReply : opMsg, 12)
  for (let i = headerBytes; i < start; i++) reply[i] = 0
  if (message.isLegacy) reply[headerBytes + 16] = 1
  reply.set(document, start)
  if (!time) return reply
  let at = start + document.length - 1
  if (time.isNews) {
    reply.set(clusterTimeField, at)
    putTime(reply, time, at + clusterTimeAt)
    at += clusterTimeField.length
  }
  reply.set(timeField, at)
  putTime(reply, time, at + timeField.length - 8)
  reply[reply.length - 1] = 0
  putInt32(reply, reply.length - start, start)
  return reply
}

function putTime(buffer: Buffer, { seconds, counter }: OperationTime, at: number): void {
  putInt32(buffer, counter, at)
  putInt32(buffer, seconds, at + 4)
}

function putInt32(buffer: Buffer, n: number, at: number): void {
  buffer[at] = n
  buffer[at + 1] = n >> 8
  buffer[at + 2] = n >> 16
  buffer[at + 3] = n >> 24
}

function fieldsOf(document: object): Buffer {
  return Buffer.from(serialize(document).subarray(4, -1))
}

function parseQuery(buffer: Buffer): Message {
  const nameEnd = buffer.indexOf(0, 20)
  if (nameEnd < 0 || nameEnd + 9 > buffer.length) fail(17, 'a legacy query is cut off')
  const name = buffer.toString('utf8', 20, nameEnd)
  if (!name.endsWith('.$cmd')) fail(352, 'Unsupported OP_QUERY command: queries by OP_QUERY are not supported')
  const start = nameEnd + 9
  const end = checkDocument(buffer, start, buffer.length)
  return { requestId: buffer.readInt32LE(4), body: buffer.subarray(start, end), sequences: noSequences, isLegacy: true, isUnacknowledged: false }
}

function parseMsg(buffer: Buffer): Message {
  const bits = buffer.readUInt32LE(headerBytes)
  if ((bits & flags.requiredMask) !== 0) fail(17, `unknown message flags ${bits}`)
  const end = buffer.length - (bits & flags.checksum ? 4 : 0)
  let sequences: Map<string, Buffer[]> | undefined
  let body: Buffer | undefined
  let offset = headerBytes + 4
  while (offset < end) {
    const kind = buffer[offset]
    offset += 1
    if (kind === 0) {
      if (body) fail(17, 'a message has two bodies')
      const bodyEnd = checkDocument(buffer, offset, end)
      body = buffer.subarray(offset, bodyEnd)
      offset = bodyEnd
    } else if (kind === 1) {
      sequences ??= new Map()
      offset = parseSequence(buffer, offset, end, sequences)
    } else fail(17, `unknown section kind ${kind}`)
  }
  if (!body) return fail(17, 'a message has no body')
  return {
    requestId: buffer.readInt32LE(4),
    body,
    sequences: sequences ?? noSequences,
    isLegacy: false,
    isUnacknowledged: (bits & flags.moreToCome) !== 0,
  }
}

function parseSequence(buffer: Buffer, start: number, limit: number, sequences: Map<string, Buffer[]>): number {
  if (start + 5 > limit) fail(17, 'a document sequence is cut off')
  const size = buffer.readInt32LE(start)
  const end = start + size
  const nameEnd = buffer.indexOf(0, start + 4)
  if (size < 5 || end > limit || nameEnd < 0 || nameEnd >= end) fail(17, 'a document sequence is cut off')
  const documents: Buffer[] = []
  let offset = nameEnd + 1
  while (offset < end) {
    const next = checkDocument(buffer, offset, end)
    documents.push(buffer.subarray(offset, next))
    offset = next
  }
  const name = buffer.toString('utf8', start + 4, nameEnd)
  if (sequences.has(name)) fail(17, `a message has two sequences called ${name}`)
  sequences.set(name, documents)
  return end
}
