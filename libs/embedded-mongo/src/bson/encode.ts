import { Binary, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson'
import { fail } from '../values/errors.ts'
import { asDoc, type Doc, fieldNames } from '../values/values.ts'

/** The buffer under construction and its length: one document is encoded at a time. */
let out = Buffer.allocUnsafeSlow(64 * 1024)
let at = 0

/** A buffer that has grown larger than this is given back. */
const retainedSize = 1024 * 1024

/**
 * Encodes a document. A field named `_bsontype` or `toBSON` is a field like any other, and undefined becomes null.
 * @throws MongoError 2 for a name with a NUL in it
 */
export function encodeDocument(doc: Doc): Buffer {
  at = 0
  putDocument(doc)
  const raw = Buffer.from(out.subarray(0, at))
  if (out.length > retainedSize) out = Buffer.allocUnsafeSlow(64 * 1024)
  return raw
}

function room(size: number): void {
  if (at + size <= out.length) return
  const bigger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, at + size))
  out.copy(bigger, 0, 0, at)
  out = bigger
}

function putDocument(doc: Doc): void {
  const start = at
  room(5)
  at += 4
  for (const key of fieldNames(doc)) putElement(key, doc[key])
  finish(start)
}

function putArray(values: readonly unknown[]): void {
  const start = at
  room(5)
  at += 4
  for (let i = 0; i < values.length; i++) putElement(String(i), values[i])
  finish(start)
}

function finish(start: number): void {
  room(1)
  out[at++] = 0
  out.writeInt32LE(at - start, start)
}

function putElement(key: string, v: unknown): void {
  const start = at
  room(key.length * 3 + 2 + 16)
  at++
  putCString(key)
  // The value may have moved the buffer: `out` must be read after it.
  const type = putValue(v)
  out[start] = type
}

function putCString(s: string): void {
  room(s.length * 3 + 1)
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i)
    if (c === 0) fail(2, 'field names and patterns must not contain a null byte')
    if (c > 0x7f) {
      at += out.write(s.slice(i), at, 'utf8')
      break
    }
    out[at++] = c
  }
  out[at++] = 0
}

function putText(s: string): void {
  room(s.length * 3 + 5)
  const start = at
  at += 4
  let i = 0
  if (s.length < 32) {
    for (; i < s.length; i++) {
      const c = s.charCodeAt(i)
      if (c > 0x7f) break
      out[at++] = c
    }
  }
  if (i < s.length) at += out.write(i === 0 ? s : s.slice(i), at, 'utf8')
  out[at++] = 0
  out.writeInt32LE(at - start - 4, start)
}

function putBytes(bytes: Uint8Array): void {
  room(bytes.length)
  out.set(bytes, at)
  at += bytes.length
}

function putInt32(n: number): void {
  room(4)
  out[at++] = n
  out[at++] = n >> 8
  out[at++] = n >> 16
  out[at++] = n >> 24
}

function putDouble(d: number): void {
  room(8)
  at = out.writeDoubleLE(d, at)
}

/** Writes the payload and returns the type byte. */
function putValue(v: unknown): number {
  switch (typeof v) {
    case 'string':
      putText(v)
      return 0x02
    case 'boolean':
      room(1)
      out[at++] = v ? 1 : 0
      return 0x08
    case 'number':
      return putNumber(v)
    case 'bigint':
      return putLong(Number(BigInt.asIntN(32, v)), Number(BigInt.asIntN(32, v >> 32n)))
    case 'object':
      return v === null ? 0x0a : putObject(v)
    case 'undefined':
      return 0x0a
    default:
      return fail(2, `a ${typeof v} cannot be stored`)
  }
}

function putNumber(n: number): number {
  if (n === (n | 0) && !Object.is(n, -0)) {
    putInt32(n)
    return 0x10
  }
  putDouble(n)
  return 0x01
}

function putLong(low: number, high: number): number {
  putInt32(low)
  putInt32(high)
  return 0x12
}

function putObject(v: object): number {
  if (v instanceof Int32) {
    putInt32(v.value)
    return 0x10
  }
  if (v instanceof Double) {
    putDouble(v.value)
    return 0x01
  }
  if (v instanceof ObjectId) {
    putBytes(v.id)
    return 0x07
  }
  if (v instanceof Date) {
    const ms = v.getTime() || 0
    putInt32((ms % 0x1_0000_0000) | 0)
    putInt32(Math.floor(ms / 0x1_0000_0000))
    return 0x09
  }
  if (Array.isArray(v)) {
    putArray(v)
    return 0x04
  }
  const proto = Object.getPrototypeOf(v)
  if (proto === Object.prototype || proto === null) {
    putDocument(v as Doc)
    return 0x03
  }
  return putRare(v)
}

function putRare(v: object): number {
  if (v instanceof Timestamp) {
    putLong(v.low, v.high)
    return 0x11
  }
  if (v instanceof Long) return putLong(v.low, v.high)
  if (v instanceof Decimal128) {
    putBytes(v.bytes)
    return 0x13
  }
  if (v instanceof Binary) return putBinary(v.buffer.subarray(0, v.position), v.sub_type)
  if (v instanceof Uint8Array) return putBinary(v, 0)
  if (v instanceof BSONRegExp) return putRegex(v.pattern, v.options)
  if (v instanceof RegExp) return putRegex(v.source, v.flags.replace(/[^ims]/g, ''))
  if (v instanceof DBRef) {
    putDocument(asDoc(v)!)
    return 0x03
  }
  if (v instanceof BSONSymbol) {
    putText(v.value)
    return 0x0e
  }
  if (v instanceof Code) return putCode(v)
  if (v instanceof MinKey) return 0xff
  if (v instanceof MaxKey) return 0x7f
  return fail(2, 'a value of an unknown kind cannot be stored')
}

function putBinary(bytes: Uint8Array, subType: number): number {
  const inner = subType === 2 ? 4 : 0
  putInt32(bytes.length + inner)
  room(1)
  out[at++] = subType
  if (inner) putInt32(bytes.length)
  putBytes(bytes)
  return 0x05
}

function putRegex(pattern: string, options: string): number {
  putCString(pattern)
  putCString(options)
  return 0x0b
}

function putCode(v: Code): number {
  if (!v.scope) {
    putText(v.code)
    return 0x0d
  }
  const start = at
  room(4)
  at += 4
  putText(v.code)
  putDocument(v.scope)
  out.writeInt32LE(at - start, start)
  return 0x0f
}
