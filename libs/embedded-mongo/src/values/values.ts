import { Binary, BSONRegExp, BSONSymbol, Code, DBRef, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson'

/** A decoded BSON document: numbers stay `Int32`, `Double`, `Long` or `Decimal128`, so that untouched values are written back unchanged. */
export type Doc = { [key: string]: unknown }

export type Numeric = Int32 | Double | Long | Decimal128 | number | bigint

/** BSON type codes as `$type` and `$jsonSchema` number them. */
export const type = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const

/** What an index has of an array without elements, and what it is sorted by: less than null. It is no value of a document. */
export const emptyArray = Symbol('an array without elements')
/** A code that no BSON type has. */
export const emptyArrayCode = -2

const typeNames = new Map<number, string>(Object.entries(type).map(([name, code]) => [code, name]))

/** The BSON type code of a decoded value; a missing value counts as `undefined` (6). */
export function typeCode(v: unknown): number {
  switch (typeof v) {
    case 'string':
      return type.string
    case 'boolean':
      return type.bool
    case 'undefined':
      return type.undefined
    case 'number':
      return Number.isInteger(v) && !Object.is(v, -0) && v === (v | 0) ? type.int : type.double
    case 'bigint':
      return type.long
    case 'symbol':
      return emptyArrayCode
  }
  if (v === null) return type.null
  if (v instanceof Int32) return type.int
  if (v instanceof Double) return type.double
  if (v instanceof ObjectId) return type.objectId
  if (v instanceof Date) return type.date
  if (Array.isArray(v)) return type.array
  if (isPlain(v)) return type.object
  return rareTypeCode(v)
}

function rareTypeCode(v: unknown): number {
  if (v instanceof Decimal128) return type.decimal
  if (v instanceof Timestamp) return type.timestamp
  if (v instanceof Long) return type.long
  if (v instanceof Binary || v instanceof Uint8Array) return type.binData
  if (v instanceof BSONRegExp || v instanceof RegExp) return type.regex
  if (v instanceof Code) return v.scope ? type.javascriptWithScope : type.javascript
  if (v instanceof BSONSymbol) return type.symbol
  if (v instanceof MinKey) return type.minKey
  if (v instanceof MaxKey) return type.maxKey
  return type.object
}

/** The type's name as `$type` spells it; `missing` for an absent value. */
export function typeName(v: unknown): string {
  return v === undefined ? 'missing' : (typeNames.get(typeCode(v)) ?? 'object')
}

/** MongoDB's code for a `$type` alias; undefined for an unknown one. */
export function typeCodeOf(alias: string): number | undefined {
  return Object.hasOwn(type, alias) ? type[alias as keyof typeof type] : undefined
}

export function isTypeCode(code: number): boolean {
  return typeNames.has(code)
}

function isPlain(v: unknown): v is Doc {
  const proto = Object.getPrototypeOf(v)
  return proto === Object.prototype || proto === null
}

/** Whether the value is an embedded document; a DBRef, which the decoder makes of `{$ref, $id}`, is not: see `asDoc`. */
export function isDoc(v: unknown): v is Doc {
  return typeof v === 'object' && v !== null && isPlain(v)
}

/** The value as a document, a DBRef as the document that it was on the wire; undefined for anything else. */
export function asDoc(v: unknown): Doc | undefined {
  if (typeof v !== 'object' || v === null) return undefined
  if (isPlain(v)) return v
  return v instanceof DBRef ? dbRefDoc(v) : undefined
}

function dbRefDoc(ref: DBRef): Doc {
  const doc: Doc = { $ref: ref.collection, $id: ref.oid }
  if (ref.db !== undefined) doc.$db = ref.db
  for (const key of Object.keys(ref.fields)) setOwn(doc, key, ref.fields[key])
  return doc
}

export function isNumeric(v: unknown): v is Numeric {
  if (typeof v !== 'object') return typeof v === 'number' || typeof v === 'bigint'
  return v instanceof Int32 || v instanceof Double || v instanceof Decimal128 || (v instanceof Long && !(v instanceof Timestamp))
}

/** Own property or undefined; never reads a prototype. */
export function getOwn(doc: Doc, key: string): unknown {
  return Object.hasOwn(doc, key) ? doc[key] : undefined
}

/** A reader of one own property of documents: direct where no prototype has the name, which is much faster. */
export function fieldReader(key: string): (doc: Doc) => unknown {
  return key in Object.prototype ? doc => getOwn(doc, key) : doc => doc[key]
}

/**
 * The order of a document's fields, where JavaScript's own may be different: it puts names that are whole numbers first. It is enumerable, so
 * that `{ ...doc }` has it too; only its owner may add to it.
 */
const fieldOrder = Symbol('order of fields')
type Ordered = { [fieldOrder]?: { readonly owner: Doc; readonly names: Set<string> } }

/** The names of the fields in the document's order. */
export function fieldNames(doc: Doc): readonly string[] {
  const order = (doc as Ordered)[fieldOrder]
  const keys = Object.keys(doc)
  if (order === undefined) return keys
  const names: string[] = []
  for (const name of order.names) if (Object.hasOwn(doc, name)) names.push(name)
  if (names.length < keys.length) for (const name of keys) if (!order.names.has(name)) names.push(name)
  return names
}

/** Remembers the order in which fields came, if JavaScript's own order is different. */
export function orderFields(doc: Doc, names: readonly string[]): void {
  if (Object.keys(doc).some((name, i) => name !== names[i])) (doc as Ordered)[fieldOrder] = { owner: doc, names: new Set(names) }
}

/** Whether JavaScript puts a name before all others that are not numbers. */
export function isNumberName(name: string): boolean {
  const first = name.charCodeAt(0)
  return first >= 0x30 && first <= 0x39
}

/** Sets an own property, `__proto__` included; a new one is the last. */
export function setOwn(doc: Doc, key: string, value: unknown): void {
  const order = (doc as Ordered)[fieldOrder]
  if ((order !== undefined || isNumberName(key)) && !Object.hasOwn(doc, key)) {
    const names = order?.owner === doc ? order.names : new Set(fieldNames(doc))
    if (names !== order?.names) (doc as Ordered)[fieldOrder] = { owner: doc, names }
    names.delete(key) // a field that was deleted and comes again is the last
    names.add(key)
  }
  if (key === '__proto__') Object.defineProperty(doc, key, { value, enumerable: true, configurable: true, writable: true })
  else doc[key] = value
}

/** A shallow copy with the same own keys in the same order. */
export function copyDoc(doc: Doc): Doc {
  const copy: Doc = {}
  for (const key of fieldNames(doc)) setOwn(copy, key, doc[key])
  return copy
}

/** A JavaScript number as the BSON number that the driver would have sent: int32 if it fits, else double. */
export function boxNumber(n: number): Int32 | Double {
  return n === (n | 0) && !Object.is(n, -0) ? new Int32(n) : new Double(n)
}

/** What MongoDB counts as true: all but false, null, missing and zero. */
export function isTruthy(v: unknown): boolean {
  if (typeof v === 'boolean') return v
  if (v === undefined || v === null) return false
  if (!isNumeric(v)) return true
  return v instanceof Decimal128 ? !/^-?0(\.0*)?(E.*)?$/.test(v.toString()) : asNumber(v) !== 0
}

/** The nearest double of a numeric value. */
export function asNumber(v: Numeric): number {
  if (typeof v === 'number') return v
  if (v instanceof Int32 || v instanceof Double) return v.value
  if (v instanceof Long) return v.toNumber()
  return Number(v.toString())
}

/** The value of an int64 (the library's own conversion goes through text). */
export function longToBigInt(v: Long): bigint {
  return (BigInt(v.high) << 32n) | BigInt(v.low >>> 0)
}

/** The value as a JavaScript integer if it is numeric, whole and exactly held by a double; else undefined. */
export function asInteger(v: unknown): number | undefined {
  if (!isNumeric(v)) return undefined
  const n = asNumber(v)
  return Number.isSafeInteger(n) ? n + 0 : undefined
}

/** Whether two values are the same to the byte: equal and of one type all the way down, keys in the same order. */
export function identical(a: unknown, b: unknown): boolean {
  if (a === b) return true
  const code = typeCode(a)
  if (code !== typeCode(b)) return false
  if (code === type.array)
    return (a as unknown[]).length === (b as unknown[]).length && (a as unknown[]).every((v, i) => identical(v, (b as unknown[])[i]))
  if (code === type.object) return identicalDocs(asDoc(a)!, asDoc(b)!)
  if (a instanceof Int32 || a instanceof Double) return Object.is(a.value, (b as Int32).value)
  if (a instanceof Date) return a.getTime() === (b as Date).getTime()
  if (a instanceof ObjectId) return a.equals(b as ObjectId)
  if (a instanceof Decimal128) return Buffer.compare(a.bytes, (b as Decimal128).bytes) === 0
  if (a instanceof Binary) return a.sub_type === (b as Binary).sub_type && Buffer.compare(a.value(), (b as Binary).value()) === 0
  if (a instanceof Long) return a.equals(b as Long)
  if (a instanceof BSONRegExp) return a.pattern === (b as BSONRegExp).pattern && a.options === (b as BSONRegExp).options
  if (a instanceof Code) return a.code === (b as Code).code && identical(a.scope, (b as Code).scope)
  return code === type.minKey || code === type.maxKey || String(a) === String(b)
}

function identicalDocs(a: Doc, b: Doc): boolean {
  const x = fieldNames(a)
  const y = fieldNames(b)
  return x.length === y.length && x.every((key, i) => key === y[i] && identical(a[key], b[key]))
}
