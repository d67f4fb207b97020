import { createHash } from 'node:crypto'
import { type Binary, type BSONRegExp, type Code, Decimal128, Double, Int32, Long, ObjectId, type Timestamp } from 'bson'
import { addExact, compareExact, type Exact, exactOfDecimal, exactOfDouble, nearestDouble } from './decimal.ts'
import { asDoc, type Doc, longToBigInt, type Numeric, typeCode, type as types } from './values.ts'

/** The longest key that `encodeKey` returns: two of them and a prefix fit LMDB's 1,978 bytes. */
export const maxKeyLength = 960
/** An inexact key keeps this many bytes of order; what follows is a hash that only tells values apart. */
export const keyOrderLength = maxKeyLength - 16

/** MongoDB's order of types, by BSON type code; missing counts as null. */
const orders = new Map<number, number>([
  [types.minKey, 1],
  [types.undefined, 5],
  [types.null, 5],
  [types.int, 10],
  [types.long, 10],
  [types.double, 10],
  [types.decimal, 10],
  [types.string, 15],
  [types.symbol, 15],
  [types.object, 20],
  [types.array, 25],
  [types.binData, 30],
  [types.objectId, 35],
  [types.bool, 40],
  [types.date, 45],
  [types.timestamp, 47],
  [types.regex, 50],
  [types.javascript, 60],
  [types.javascriptWithScope, 65],
  [types.maxKey, 255],
])

const number = 10

/** The place of the value's type in MongoDB's order; values of different places never compare equal. */
export function typeOrder(v: unknown): number {
  if (typeof v === 'string') return 15
  if (v instanceof Int32 || v instanceof Double) return number
  return orders.get(typeCode(v))!
}

/**
 * MongoDB's total order over BSON values: negative, 0 or positive. Numbers compare by exact value whatever their types;
 * NaN is the smallest number; a missing value equals null.
 * @example compare(Long.fromNumber(3), Decimal128.fromString('3.0')) === 0
 */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  const order = typeOrder(a)
  const difference = order - typeOrder(b)
  return difference !== 0 ? difference : compareSame(order, a, b)
}

/** Whether the two values are equal in MongoDB's sense. */
export function equal(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' ? a === b : compare(a, b) === 0
}

function compareSame(order: number, a: unknown, b: unknown): number {
  switch (order) {
    case number:
      return compareNumbers(a as Numeric, b as Numeric)
    case 15:
      return compareStrings(String(a), String(b))
    case 20:
      return compareDocs(asDoc(a)!, asDoc(b)!)
    case 25:
      return compareArrays(a as unknown[], b as unknown[])
    case 30:
      return compareBinary(a as Binary, b as Binary)
    case 35:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id)
    case 40:
      return Number(a) - Number(b)
    case 45:
      return time(a as Date) - time(b as Date)
    case 47:
      return (a as Timestamp).t - (b as Timestamp).t || (a as Timestamp).i - (b as Timestamp).i
    case 50:
      return compareRegexes(a, b)
    case 60:
    case 65:
      return compareStrings(String((a as Code).code), String((b as Code).code)) || compareDocs((a as Code).scope ?? {}, (b as Code).scope ?? {})
    default:
      return 0
  }
}

function compareNumbers(a: Numeric, b: Numeric): number {
  const x = nearest(a)
  const y = nearest(b)
  if (x < y) return -1
  if (x > y) return 1
  if (x !== y) return Number.isNaN(x) ? (Number.isNaN(y) ? 0 : -1) : 1
  if ((isDouble(a) && isDouble(b)) || !Number.isFinite(x)) return 0
  return compareExact(exactOf(a), exactOf(b))
}

function isDouble(v: Numeric): boolean {
  return v instanceof Int32 || v instanceof Double || typeof v === 'number'
}

/** The nearest double, but finite for every finite number, so that overflowing decimals stay below infinity. */
function nearest(v: Numeric): number {
  if (v instanceof Int32 || v instanceof Double) return v.value
  if (v instanceof Decimal128) {
    const exact = exactOfDecimal(v)
    return typeof exact === 'number' ? exact : Math.min(Math.max(nearestDouble(exact), -Number.MAX_VALUE), Number.MAX_VALUE)
  }
  return v instanceof Long ? v.toNumber() : Number(v)
}

/** The exact value of a finite number. */
export function exactOf(v: Numeric): Exact {
  if (v instanceof Int32) return { coef: BigInt(v.value), exp: 0 }
  if (v instanceof Long) return { coef: longToBigInt(v), exp: 0 }
  if (v instanceof Decimal128) return exactOfDecimal(v) as Exact
  return typeof v === 'bigint' ? { coef: v, exp: 0 } : exactOfDouble(v instanceof Double ? v.value : v)
}

/** By UTF-8 bytes, as memcmp sees them; UTF-16 units order the astral plane differently. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const n = Math.min(a.length, b.length)
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? a.codePointAt(i)! - b.codePointAt(i)! || x - y : x - y
  }
  return a.length - b.length
}

function compareDocs(a: Doc, b: Doc): number {
  const x = Object.keys(a)
  const y = Object.keys(b)
  const n = Math.min(x.length, y.length)
  for (let i = 0; i < n; i++) {
    const va = a[x[i]!]
    const vb = b[y[i]!]
    const order = typeOrder(va)
    const difference = order - typeOrder(vb) || compareStrings(x[i]!, y[i]!) || compareSame(order, va, vb)
    if (difference !== 0) return difference
  }
  return x.length - y.length
}

function compareArrays(a: unknown[], b: unknown[]): number {
  const n = Math.min(a.length, b.length)
  for (let i = 0; i < n; i++) {
    const difference = compare(a[i], b[i])
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function bytesOf(v: Binary | Uint8Array): Uint8Array {
  return v instanceof Uint8Array ? v : v.buffer.subarray(0, v.position)
}

function compareBinary(a: Binary | Uint8Array, b: Binary | Uint8Array): number {
  const x = bytesOf(a)
  const y = bytesOf(b)
  return x.length - y.length || subType(a) - subType(b) || Buffer.compare(x, y)
}

function subType(v: Binary | Uint8Array): number {
  return v instanceof Uint8Array ? 0 : v.sub_type
}

function time(d: Date): number {
  return d.getTime() || 0
}

function regexParts(v: unknown): [string, string] {
  return v instanceof RegExp ? [v.source, v.flags] : [(v as BSONRegExp).pattern, (v as BSONRegExp).options]
}

function compareRegexes(a: unknown, b: unknown): number {
  const [x, xFlags] = regexParts(a)
  const [y, yFlags] = regexParts(b)
  return compareStrings(x, y) || compareStrings(xFlags, yFlags)
}

// ---- keys: one scratch buffer, grown when a value needs it, copied out at the end

let out = Buffer.allocUnsafeSlow(4096)
let at = 0
const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)

/**
 * A memcomparable key of one or more values: byte order is `compare` order, component by component, a direction of -1 turns
 * one around, and the key of leading values is a prefix of the whole. Missing and null give the same bytes.
 * A key too long for LMDB is cut after `keyOrderLength` bytes and a hash put there: `exact` is then false.
 */
export function encodeKey(values: readonly unknown[], directions?: readonly (1 | -1)[]): { key: Buffer; exact: boolean } {
  at = 0
  for (let i = 0; i < values.length; i++) {
    const start = at
    putValue(values[i])
    if (directions?.[i] === -1) for (let p = start; p < at; p++) out[p] = ~out[p]! & 0xff
  }
  if (at <= maxKeyLength) return { key: Buffer.from(out.subarray(0, at)), exact: true }
  const key = Buffer.from(out.subarray(0, maxKeyLength))
  createHash('sha256').update(out.subarray(0, at)).digest().copy(key, keyOrderLength, 0, 16)
  return { key, exact: false }
}

/**
 * A Map or Set key that is the same for exactly the values that compare equal.
 * @example new Set(values.map(identity)).has(identity(v))
 */
export function identity(v: unknown): string | number | boolean | null {
  if (typeof v === 'string') return v.charCodeAt(0) === 0 ? `\0s${v}` : v
  if (v instanceof Int32 || v instanceof Double) return v.value + 0 // -0 becomes 0
  if (v === undefined || v === null || typeof v === 'boolean') return v ?? null
  if (v instanceof ObjectId) return `\0o${v.toHexString()}`
  if (typeOrder(v) === number) {
    const n = nearest(v as Numeric)
    if (Number.isNaN(n) || !Number.isFinite(n) || compareExact(exactOf(v as Numeric), exactOfDouble(n)) === 0) return n + 0
  }
  at = 0
  putValue(v)
  return `\0k${out.toString('latin1', 0, at)}`
}

function room(n: number): void {
  if (at + n <= out.length) return
  const bigger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, at + n))
  out.copy(bigger, 0, 0, at)
  out = bigger
}

function putByte(b: number): void {
  if (at === out.length) room(1)
  out[at++] = b
}

function putUint32(n: number): void {
  room(4)
  at = out.writeUInt32BE(n >>> 0, at)
}

function putValue(v: unknown): void {
  const order = typeOrder(v)
  putByte(order)
  putPayload(order, v)
}

function putPayload(order: number, v: unknown): void {
  switch (order) {
    case number:
      putNumber(v as Numeric)
      break
    case 15:
      putString(String(v))
      break
    case 20:
      putDoc(asDoc(v)!)
      break
    case 25:
      for (const element of v as unknown[]) putValue(element)
      putByte(0)
      break
    case 30:
      putBinary(v as Binary)
      break
    case 35:
      putBytes((v as ObjectId).id)
      break
    case 40:
      putByte(v ? 1 : 0)
      break
    case 45:
      putDate(time(v as Date))
      break
    case 47:
      putUint32((v as Timestamp).t)
      putUint32((v as Timestamp).i)
      break
    case 50:
      regexParts(v).forEach(putString)
      break
    case 60:
    case 65:
      putString(String((v as Code).code))
      putDoc((v as Code).scope ?? {})
  }
}

function putBinary(v: Binary): void {
  const bytes = bytesOf(v)
  putUint32(bytes.length)
  putByte(subType(v))
  putBytes(bytes)
}

/** Milliseconds as an int64 that is offset so that negative ones sort first. */
function putDate(ms: number): void {
  putUint32(Math.floor(ms / 0x1_0000_0000) + 0x8000_0000)
  putUint32(ms)
}

function putBytes(bytes: Uint8Array): void {
  room(bytes.length)
  out.set(bytes, at)
  at += bytes.length
}

/** UTF-8 with 00 written as 00 FF, ended by 00 01, so that a prefix sorts first and the end is found. */
function putString(s: string): void {
  room(s.length + 2)
  let i = 0
  for (; i < s.length; i++) {
    const c = s.charCodeAt(i)
    if (c === 0 || c > 0x7f) break
    out[at++] = c
  }
  if (i < s.length) putRareText(s.slice(i))
  out[at++] = 0
  out[at++] = 1
}

function putRareText(s: string): void {
  const bytes = Buffer.from(s, 'utf8')
  room(bytes.length * 2 + 2)
  for (const b of bytes) {
    out[at++] = b
    if (b === 0) out[at++] = 0xff
  }
}

function putDoc(doc: Doc): void {
  for (const key of Object.keys(doc)) {
    const order = typeOrder(doc[key])
    putByte(order)
    putString(key)
    putPayload(order, doc[key])
  }
  putByte(0)
}

/** The nearest double, sign-flipped and big-endian, then 0x80; if that is not the number itself, what it lacks of it (0x7f below, 0x81 above). */
function putNumber(v: Numeric): void {
  const d = nearest(v)
  putDouble(d)
  const rest = isDouble(v) || !Number.isFinite(d) ? undefined : difference(exactOf(v), exactOfDouble(d))
  if (rest === undefined || rest.coef === 0n) putByte(0x80)
  else putRest(rest)
}

function difference(a: Exact, b: Exact): Exact {
  return addExact(a, { coef: -b.coef, exp: b.exp })
}

function putDouble(d: number): void {
  if (Number.isNaN(d)) {
    putUint32(0)
    putUint32(0)
    return
  }
  float[0] = d + 0 // -0 becomes 0
  const high = words[1]!
  const negative = (high & 0x8000_0000) !== 0
  putUint32(negative ? ~high : high ^ 0x8000_0000)
  putUint32(negative ? ~words[0]! : words[0]!)
}

/** Sign, decimal exponent, then 36 digits two to a byte: enough to tell any two decimals with the same nearest double apart. */
function putRest(rest: Exact): void {
  const flip = rest.coef < 0n ? 0xff : 0
  const text = (rest.coef < 0n ? -rest.coef : rest.coef).toString()
  const digits = text.slice(0, 36).replace(/0+$/, '')
  const exponent = rest.exp + text.length + 0x8000
  putByte(flip ? 0x7f : 0x81)
  putByte((exponent >> 8) ^ flip)
  putByte((exponent & 0xff) ^ flip)
  for (let i = 0; i < digits.length; i += 2) putByte((1 + Number(digits.slice(i, i + 2).padEnd(2, '0'))) ^ flip)
  putByte(0 ^ flip)
}
