import { createHash } from 'node:crypto'
import { type Binary, type Code, Double, Int32, ObjectId, type Timestamp } from 'bson'
import { addExact, compareExact, type Exact, exactOf, exactOfDouble, isDouble, nearest } from './decimal.ts'
import { bytesOf, subType, time, typeOrder } from './order.ts'
import { regexParts } from './regex.ts'
import { asDoc, type Doc, fieldNames, type Numeric } from './values.ts'

/** The longest key that `encodeKey` returns: two of them and a prefix fit LMDB's 1,978 bytes. */
export const maxKeyLength = 960
/** An inexact key has this many bytes of order; a hash follows that only separates values. */
export const keyOrderLength = maxKeyLength - 16

const numberOrder = typeOrder(0)

/** The key under construction: one scratch buffer, grown when a value needs it, copied out at the end. */
let out = Buffer.allocUnsafeSlow(4096)
let at = 0
const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)

/**
 * A memcomparable key of one or more values: byte order is `compare` order, component by component, a direction of -1
 * reverses one, and the key of leading values is a prefix of the whole. Missing and null give the same bytes.
 * A key too long for LMDB is cut after `keyOrderLength` bytes and a hash put there: `exact` is then false.
 */
export function encodeKey(values: readonly unknown[], directions?: readonly (1 | -1)[]): { key: Buffer; exact: boolean } {
  at = 0
  for (let i = 0; i < values.length; i++) {
    const start = at
    putValue(values[i])
    if (directions?.[i] === -1) for (let p = start; p < at; p++) out[p] = ~out[p]! & 0xff
  }
  if (at <= maxKeyLength) {
    const key = Buffer.allocUnsafe(at)
    out.copy(key, 0, 0, at)
    return { key, exact: true }
  }
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
  if (typeOrder(v) === numberOrder) {
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
    case numberOrder:
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
      putString(regexParts(v)!.pattern)
      putString(regexParts(v)!.options)
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
  for (const key of fieldNames(doc)) {
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

/** Sign, decimal exponent, then 36 digits two to a byte: enough to separate any two decimals with the same nearest double. */
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
