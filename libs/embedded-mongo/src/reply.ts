import { Double, Long } from 'bson'
import { assemble, encode } from './bson-raw.ts'
import type { MongoError } from './errors.ts'
import type { Doc } from './values.ts'

const okElement = Buffer.from([1, 0x6f, 0x6b, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
const timeElement = Buffer.from('\x11operationTime\0????????', 'latin1')
const one = new Double(1)
const arrayKeys: Buffer[] = []

/**
 * The reply with `operationTime` behind its other fields: seconds and a counter that never run backwards, which the driver hands on
 * as `afterClusterTime`. Every reply gets it, hence by hand.
 */
export function withOperationTime(document: Buffer, version: number): Buffer {
  const at = document.length - 1
  const raw = Buffer.allocUnsafe(at + timeElement.length + 1)
  raw.set(document)
  raw.set(timeElement, at)
  const value = at + timeElement.length - 8
  raw.writeUInt32LE((version % 0x7fff_ffff) + 1, value)
  raw.writeUInt32LE(Math.floor(Date.now() / 1000), value + 4)
  raw[raw.length - 1] = 0
  raw.writeInt32LE(raw.length, 0)
  return raw
}

/** A successful reply: `ok: 1` comes last, as clients print it. */
export function okReply(fields: Doc = {}): Buffer {
  return encode({ ...fields, ok: one })
}

export function errorReply(error: MongoError, labels: readonly string[]): Buffer {
  const reply: Doc = { ok: new Double(0), errmsg: error.message, code: error.code, codeName: error.codeName, ...error.extra }
  if (labels.length > 0) reply.errorLabels = labels
  return encode(reply)
}

/** The reply of `find`, `aggregate`, `getMore`…: the documents go in as the bytes that they are. `id` 0 means that no more will come. */
export function cursorReply(
  batchName: 'firstBatch' | 'nextBatch',
  documents: readonly Buffer[],
  id: number,
  namespace: string,
  extra: Doc = {},
): Buffer {
  const tail = encode({ id: Long.fromNumber(id), ns: namespace })
  const cursor = assemble([rawArray(batchName, documents), tail.subarray(4, -1)])
  const rest = encode(extra)
  return assemble([Buffer.from([3]), cString('cursor'), cursor, okElement, rest.subarray(4, -1)])
}

/** An encoded document with one more field behind the others. */
export function withField(document: Buffer, field: Doc): Buffer {
  return assemble([document.subarray(4, -1), encode(field).subarray(4, -1)])
}

function rawArray(name: string, documents: readonly Buffer[]): Buffer {
  let size = 5
  for (let i = 0; i < documents.length; i++) size += 1 + arrayKey(i).length + documents[i]!.length
  const head = cString(name)
  const raw = Buffer.allocUnsafe(1 + head.length + size)
  raw[0] = 4
  raw.set(head, 1)
  let offset = raw.writeInt32LE(size, 1 + head.length)
  for (let i = 0; i < documents.length; i++) {
    raw[offset] = 3
    raw.set(arrayKey(i), offset + 1)
    offset += 1 + arrayKey(i).length
    raw.set(documents[i]!, offset)
    offset += documents[i]!.length
  }
  raw[offset] = 0
  return raw
}

function arrayKey(i: number): Buffer {
  if (i >= 10_000) return cString(String(i))
  arrayKeys[i] ??= cString(String(i))
  return arrayKeys[i]!
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf8')
}
