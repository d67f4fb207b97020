import { type Binary, type Code, Double, Int32, type ObjectId, type Timestamp } from 'bson'
import { compareExact, exactOf, isDouble, nearest } from './decimal.ts'
import { regexParts } from './regex.ts'
import { asDoc, type Doc, emptyArrayCode, fieldNames, type Numeric, typeCode, type as types } from './values.ts'

/** MongoDB's order of types, by BSON type code; missing counts as null. */
const orders = new Map<number, number>([
  [types.minKey, 1],
  [emptyArrayCode, 3],
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
 * MongoDB's total order over BSON values: negative, 0 or positive. Numbers compare by exact value, regardless of their types;
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
  const x = fieldNames(a)
  const y = fieldNames(b)
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

/** The bytes of binary data. */
export function bytesOf(v: Binary | Uint8Array): Uint8Array {
  return v instanceof Uint8Array ? v : v.buffer.subarray(0, v.position)
}

function compareBinary(a: Binary | Uint8Array, b: Binary | Uint8Array): number {
  const x = bytesOf(a)
  const y = bytesOf(b)
  return x.length - y.length || subType(a) - subType(b) || Buffer.compare(x, y)
}

/** The subtype of binary data. */
export function subType(v: Binary | Uint8Array): number {
  return v instanceof Uint8Array ? 0 : v.sub_type
}

/** Milliseconds of a date; an invalid one counts as 0. */
export function time(d: Date): number {
  return d.getTime() || 0
}

function compareRegexes(a: unknown, b: unknown): number {
  const x = regexParts(a)!
  const y = regexParts(b)!
  return compareStrings(x.pattern, y.pattern) || compareStrings(x.options, y.options)
}
