import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson'
import { fail, MongoError } from '../values/errors.ts'
import { type Doc, isNumberName, orderFields, setOwn } from '../values/values.ts'

/** The position of the decoder. It decodes one document at a time, without a pause in which another could begin. */
let raw: Buffer = Buffer.alloc(0)
let at = 0

/** Top-level fields that are read from many documents: their names as text and as bytes. */
export interface Selection {
  readonly names: readonly string[]
  readonly bytes: readonly Uint8Array[]
}

export function selectionOf(names: Iterable<string>): Selection {
  const texts = [...names]
  return { names: texts, bytes: texts.map(text => Uint8Array.from(Buffer.from(text, 'utf8'))) }
}

/**
 * Decodes a BSON document and preserves every type. Strings that are no UTF-8 get replacement characters.
 * With `fields` only these fields of the top level are decoded.
 * @throws MongoError 22 for bytes that are no document
 */
export function decodeDocument(bytes: Buffer, fields?: Selection): Doc {
  raw = bytes
  at = 0
  try {
    return fields ? selectedFields(fields) : document()
  } catch (error) {
    if (error instanceof MongoError) throw error
    return fail(22, `Invalid BSON: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
}

/** Reads the length of a document or array and returns the position of its closing zero. */
function open(): number {
  const end = at + raw.readInt32LE(at) - 1
  at += 4
  if (end < at || end >= raw.length) throw new RangeError('bad document length')
  return end
}

/** The content must end where the length says, so the decoder only moves forward. */
function close(end: number): void {
  if (at !== end || raw[at] !== 0) throw new RangeError('a document does not end where it should')
  at++
}

function document(): Doc {
  const end = open()
  const doc: Doc = {}
  let order: string[] | undefined
  while (at < end) {
    const type = raw[at++]!
    const key = name()
    if (isNumberName(key)) order ??= Object.keys(doc)
    order?.push(key)
    if (key === '__proto__') setOwn(doc, key, value(type))
    else doc[key] = value(type)
  }
  close(end)
  if (order) orderFields(doc, order)
  return doc
}

function selectedFields({ names, bytes }: Selection): Doc {
  const end = open()
  const doc: Doc = {}
  let left = names.length
  while (at < end && left > 0) {
    const type = raw[at++]!
    const start = at
    while (raw[at] !== 0) if (++at >= end) throw new RangeError('a field name does not end')
    const found = wanted(bytes, start, at - start)
    at++
    if (found < 0) skip(type)
    else {
      setOwn(doc, names[found]!, value(type))
      left--
    }
  }
  return doc
}

/** Which of the names is at `start`; -1 for none. */
function wanted(names: readonly Uint8Array[], start: number, length: number): number {
  for (let i = 0; i < names.length; i++) if (names[i]!.length === length && isAt(names[i]!, start)) return i
  return -1
}

function array(): unknown[] {
  const end = open()
  const values: unknown[] = []
  while (at < end) {
    const type = raw[at++]!
    while (raw[at] !== 0) if (++at >= end) throw new RangeError('a field name does not end')
    at++
    values.push(value(type))
  }
  close(end)
  return values
}

function int32(): number {
  const n = raw[at]! | (raw[at + 1]! << 8) | (raw[at + 2]! << 16) | (raw[at + 3]! << 24)
  at += 4
  return n
}

/** Small views are costly to make, so short payloads are copied byte by byte. */
const idBytes = new Uint8Array(12)

function value(type: number): unknown {
  switch (type) {
    case 0x01:
      at += 8
      return new Double(raw.readDoubleLE(at - 8))
    case 0x02:
      return text()
    case 0x03:
      return document()
    case 0x04:
      return array()
    case 0x07:
      for (let i = 0; i < 12; i++) idBytes[i] = raw[at + i]!
      at += 12
      if (at > raw.length) throw new RangeError('an id is cut off')
      return new ObjectId(idBytes) // copies the bytes into numbers, so that the buffer can be reused
    case 0x08:
      return raw[at++] === 1
    case 0x09: {
      const low = int32()
      return new Date(int32() * 0x1_0000_0000 + (low >>> 0))
    }
    case 0x0a:
      return null
    case 0x10:
      return new Int32(int32())
    case 0x12: {
      const low = int32()
      return new Long(low, int32())
    }
    default:
      return rareValue(type)
  }
}

function rareValue(type: number): unknown {
  switch (type) {
    case 0x05:
      return binary()
    case 0x06:
      return undefined
    case 0x0b:
      return new BSONRegExp(cstring(), cstring())
    case 0x0c:
      return { $ref: text(), $id: value(0x07) }
    case 0x0d:
      return new Code(text())
    case 0x0e:
      return new BSONSymbol(text())
    case 0x0f:
      at += 4
      return new Code(text(), document())
    case 0x11: {
      const i = int32() >>> 0
      return new Timestamp({ t: int32() >>> 0, i })
    }
    case 0x13: {
      const bytes = new Uint8Array(16)
      for (let i = 0; i < 16; i++) bytes[i] = raw[at + i]!
      at += 16
      if (at > raw.length) throw new RangeError('a decimal is cut off')
      return new Decimal128(bytes)
    }
    case 0x7f:
      return new MaxKey()
    case 0xff:
      return new MinKey()
    default:
      return fail(22, `Invalid BSON: unknown type ${type}`)
  }
}

/** The bytes are copied, as the buffer may be the store's own. */
function binary(): Binary {
  let length = int32()
  const subType = raw[at++]!
  const end = at + length
  if (subType === 2) length = int32()
  if (length < 0 || end < at + length || end > raw.length) throw new RangeError('bad binary length')
  const bytes = Buffer.allocUnsafe(length)
  raw.copy(bytes, 0, at, at + length)
  at = end
  return new Binary(bytes, subType)
}

function text(): string {
  const length = int32()
  const start = at
  at += length
  if (length < 1 || at > raw.length) throw new RangeError('bad string length')
  return length <= shortText ? shortString(start) : raw.toString('utf8', start, at - 1)
}

/** A call into the native decoder costs more than putting some characters together. */
const shortText = 16

function shortString(start: number): string {
  let hash = 0
  for (let i = start; i < at - 1; i++) {
    const c = raw[i]!
    if (c > 0x7f) return raw.toString('utf8', start, at - 1)
    hash = (hash * 31 + c) | 0
  }
  const slot = (hash ^ (hash >>> 12)) & 1023
  const text = texts[slot]
  if (text !== undefined && isText(text, start, at - 1)) return text
  let s = ''
  for (let i = start; i < at - 1; i++) s += String.fromCharCode(raw[i]!)
  texts[slot] = s
  return s
}

/** Short texts met lately, by a hash of their bytes: values of which there are few, such as states, are not put together again. */
const texts: string[] = new Array(1024).fill('')

function isText(text: string, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== raw[start + i]) return false
  return true
}

function cstring(): string {
  const end = raw.indexOf(0, at)
  if (end < 0) throw new RangeError('a text does not end')
  const s = raw.toString('utf8', at, end)
  at = end + 1
  return s
}

interface CachedName {
  readonly bytes: Buffer
  readonly text: string
}

/** Names met lately, by a hash of their bytes: decoding one again makes no new string. */
const names: (CachedName | undefined)[] = new Array(4096).fill(undefined)
const longestCachedName = 40

function name(): string {
  const start = at
  let hash = 0
  for (;;) {
    const byte = raw[at++]
    if (byte === 0) break
    if (byte === undefined) throw new RangeError('a field name does not end')
    hash = (hash * 31 + byte) | 0
  }
  const length = at - 1 - start
  const slot = (hash ^ (hash >>> 12)) & 4095
  const cached = names[slot]
  if (cached && cached.bytes.length === length && isAt(cached.bytes, start)) return cached.text
  const made = raw.toString('utf8', start, at - 1)
  if (length <= longestCachedName) names[slot] = { bytes: Buffer.from(raw.subarray(start, at - 1)), text: made }
  return made
}

function isAt(bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== raw[start + i]) return false
  return true
}

const sizes: Readonly<Record<number, number>> = { 1: 8, 6: 0, 7: 12, 8: 1, 9: 8, 10: 0, 16: 4, 17: 8, 18: 8, 19: 16, 127: 0, 255: 0 }

function skip(type: number): void {
  const start = at
  const size = sizes[type]
  if (size !== undefined) at += size
  else if (type === 0x03 || type === 0x04 || type === 0x0f) at += raw.readInt32LE(at)
  else if (type === 0x05) at += raw.readInt32LE(at) + 5
  else if (type === 0x0b) {
    cstring()
    cstring()
  } else if (type === 0x0c) at += raw.readInt32LE(at) + 16
  else at += raw.readInt32LE(at) + 4
  if (at < start) throw new RangeError('bad length')
}
