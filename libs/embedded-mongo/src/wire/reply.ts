import { Double } from 'bson'
import { assemble, encode } from '../bson/raw.ts'
import type { MongoError } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'

const okElement = Buffer.from([1, 0x6f, 0x6b, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
const cursorHead = element(3, 'cursor')
const idHead = element(0x12, 'id')
const nsHead = element(2, 'ns')
const batchHeads = { firstBatch: element(4, 'firstBatch'), nextBatch: element(4, 'nextBatch') }
const one = new Double(1)
const arrayKeys: Buffer[] = []

/** A successful reply: `ok: 1` comes last, as clients print it. */
export function okReply(fields: Doc = {}): Buffer {
  return encode({ ...fields, ok: one })
}

export function errorReply(error: MongoError, labels: readonly string[]): Buffer {
  const reply: Doc = { ok: new Double(0), errmsg: error.message, code: error.code, codeName: error.codeName, ...error.extra }
  if (labels.length > 0) reply.errorLabels = labels
  return encode(reply)
}

/**
 * The reply of `find`, `aggregate`, `getMore`…: the documents go in as the bytes that they are. `id` 0 means that no more will come.
 * Written straight into one buffer, since this is most of what a server sends.
 */
export function cursorReply(batchName: 'firstBatch' | 'nextBatch', documents: readonly Buffer[], id: number, namespace: string): Buffer {
  const batchHead = batchHeads[batchName]
  let arraySize = 5
  for (let i = 0; i < documents.length; i++) arraySize += 1 + arrayKey(i).length + documents[i]!.length
  const nameLength = Buffer.byteLength(namespace)
  const cursorSize = 5 + batchHead.length + arraySize + idHead.length + 8 + nsHead.length + 4 + nameLength + 1
  const size = 5 + cursorHead.length + cursorSize + okElement.length
  const raw = Buffer.allocUnsafe(size)
  let at = raw.writeInt32LE(size, 0)
  at = put(raw, cursorHead, at)
  at = raw.writeInt32LE(cursorSize, at)
  at = put(raw, batchHead, at)
  at = putArray(raw, documents, arraySize, at)
  at = put(raw, idHead, at)
  at = raw.writeInt32LE((id % 0x1_0000_0000) | 0, at)
  at = raw.writeInt32LE(Math.floor(id / 0x1_0000_0000), at)
  at = put(raw, nsHead, at)
  at = raw.writeInt32LE(nameLength + 1, at)
  at += raw.write(namespace, at)
  raw[at] = 0
  raw[at + 1] = 0
  at = put(raw, okElement, at + 2)
  raw[at] = 0
  return raw
}

/** An encoded document with one more field after the others. */
export function withField(document: Buffer, field: Doc): Buffer {
  return assemble([document.subarray(4, -1), encode(field).subarray(4, -1)])
}

function putArray(raw: Buffer, documents: readonly Buffer[], size: number, start: number): number {
  let at = raw.writeInt32LE(size, start)
  for (let i = 0; i < documents.length; i++) {
    raw[at] = 3
    at = put(raw, arrayKey(i), at + 1)
    at = put(raw, documents[i]!, at)
  }
  raw[at] = 0
  return at + 1
}

function put(raw: Buffer, bytes: Uint8Array, at: number): number {
  raw.set(bytes, at)
  return at + bytes.length
}

function arrayKey(i: number): Buffer {
  if (i >= 10_000) return cString(String(i))
  arrayKeys[i] ??= cString(String(i))
  return arrayKeys[i]!
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf8')
}

function element(type: number, name: string): Buffer {
  return Buffer.from(`${String.fromCharCode(type)}${name}\0`, 'latin1')
}
