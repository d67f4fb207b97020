import { ObjectId } from 'bson'
import { fail } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { decodeDocument, type Selection } from './decode.ts'
import { encodeDocument } from './encode.ts'

export const maxDocumentBytes = 16 * 1024 * 1024
const maxDepth = 180

/** Sizes of the BSON types whose payload has a fixed length, by type byte. */
const fixedSizes: Record<number, number> = { 1: 8, 6: 0, 7: 12, 8: 1, 9: 8, 10: 0, 16: 4, 17: 8, 18: 8, 19: 16, 127: 0, 255: 0 }

export interface Element {
  type: number
  name: string
  /** Offset of the type byte. */
  start: number
  /** Offset of the payload. */
  value: number
  /** Offset after the payload. */
  end: number
}

/** Decodes raw BSON and preserves every type. Throws 22 InvalidBSON when the bytes are no document. */
export function decode(raw: Uint8Array): Doc {
  return decodeDocument(Buffer.isBuffer(raw) ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.length))
}

/** Encodes a document; fails with 10334 when it is larger than 16 MiB. */
export function encode(doc: Doc): Buffer {
  const raw = encodeDocument(doc)
  if (raw.length > maxDocumentBytes + 16_384) fail(10334, `BSONObj size: ${raw.length} is invalid. Size must be between 0 and 16793600(16MB)`)
  return raw
}

/** Walks the elements of one level of a document. */
export function* elements(raw: Buffer, at = 0): Generator<Element> {
  const end = at + raw.readInt32LE(at) - 1
  let offset = at + 4
  while (offset < end) {
    const element = elementAt(raw, offset)
    yield element
    offset = element.end
  }
}

/** The name of the first field; undefined of an empty document. */
export function firstName(raw: Buffer): string | undefined {
  return raw[4] === 0 ? undefined : raw.toString('utf8', 5, raw.indexOf(0, 5))
}

/** Finds a field of the top level without decoding the rest. */
export function findElement(raw: Buffer, name: string): Element | undefined {
  const end = raw.readInt32LE(0) - 1
  let offset = 4
  while (offset < end) {
    const type = raw[offset]!
    const value = raw.indexOf(0, offset + 1) + 1
    const next = endOfValue(raw, type, value)
    if (value - offset - 2 === name.length && raw.toString('latin1', offset + 1, value - 1) === name)
      return { type, name, start: offset, value, end: next }
    offset = next
  }
  return undefined
}

/** Decodes only the named top-level fields, in the document's order. */
export function decodeFields(raw: Buffer, fields: Selection): Doc {
  return decodeDocument(raw, fields)
}

/** Decodes a document except for one field, whose array of documents is returned raw. */
export function splitArray(raw: Buffer, name: string): { rest: Doc; documents: Buffer[] | undefined } {
  const array = findElement(raw, name)
  if (array?.type !== 4) return { rest: decode(raw), documents: undefined }
  const documents: Buffer[] = []
  for (const element of elements(raw, array.value)) {
    if (element.type !== 3) fail(14, `BSON field '${name}.${element.name}' is the wrong type, expected type 'object'`)
    documents.push(raw.subarray(element.value, element.end))
  }
  return { rest: decode(assemble([raw.subarray(4, array.start), raw.subarray(array.end, raw.readInt32LE(0) - 1)])), documents }
}

/** The document with `_id` as its first field, made up when there is none; the other bytes stay as they are. */
export function withIdFirst(raw: Buffer): Buffer {
  const id = findElement(raw, '_id')
  if (id?.start === 4) return raw
  const end = raw.readInt32LE(0) - 1
  if (!id) return assemble([Buffer.from([7, 0x5f, 0x69, 0x64, 0]), new ObjectId().id as Buffer, raw.subarray(4, end)])
  return assemble([raw.subarray(id.start, id.end), raw.subarray(4, id.start), raw.subarray(id.end, end)])
}

/** A document out of raw elements. */
export function assemble(parts: readonly Uint8Array[]): Buffer {
  let size = 5
  for (const part of parts) size += part.length
  const raw = Buffer.allocUnsafe(size)
  raw.writeInt32LE(size, 0)
  let offset = 4
  for (const part of parts) {
    raw.set(part, offset)
    offset += part.length
  }
  raw[offset] = 0
  return raw
}

/**
 * Checks lengths, types and nesting of a document that came from outside, before anything else reads it.
 * Throws 22 InvalidBSON (or 15 Overflow for more than 180 levels).
 */
export function checkDocument(raw: Buffer, at: number, limit: number): number {
  const ends: number[] = []
  let offset = at
  let end = openDocument(raw, offset, limit)
  offset += 4
  for (;;) {
    if (offset === end) {
      if (raw[offset] !== 0) invalid('a document does not end with a zero byte')
      offset += 1
      const outer = ends.pop()
      if (outer === undefined) return offset
      end = outer
      continue
    }
    const type = raw[offset]!
    const value = raw.indexOf(0, offset + 1) + 1
    if (value === 0 || value > end) invalid('a field name does not end')
    if (type === 3 || type === 4 || type === 15) {
      if (ends.length >= maxDepth) fail(15, `BSONObj exceeded maximum nested object depth: ${maxDepth}`)
      ends.push(end)
      const inner = type === 15 ? scopeOf(raw, value, end) : value
      end = openDocument(raw, inner, end)
      offset = inner + 4
      continue
    }
    offset = checkedEnd(raw, type, value, end)
  }
}

function openDocument(raw: Buffer, at: number, limit: number): number {
  if (at + 5 > limit) invalid('a document is cut off')
  const size = raw.readInt32LE(at)
  if (size < 5 || at + size > limit) invalid(`a document has the length ${size}`)
  return at + size - 1
}

/** Where the scope of code with scope begins: its document must end where the whole value does. */
function scopeOf(raw: Buffer, value: number, limit: number): number {
  if (value + 8 > limit) invalid('code is cut off')
  const end = value + raw.readInt32LE(value)
  const scope = value + 8 + raw.readInt32LE(value + 4)
  if (scope < value + 9 || scope + 5 > limit || raw[scope - 1] !== 0) invalid('the text of code does not end')
  if (scope + raw.readInt32LE(scope) !== end) invalid('code has a length other than that of its parts')
  return scope
}

function checkedEnd(raw: Buffer, type: number, value: number, limit: number): number {
  const fixed = fixedSizes[type]
  if (fixed === undefined) {
    if (type === 11) {
      const pattern = raw.indexOf(0, value)
      if (pattern < 0 || pattern >= limit || raw.indexOf(0, pattern + 1) < 0) invalid('a regular expression is cut off')
    } else if (type === 2 || type === 5 || type === 12 || type === 13 || type === 14) {
      if (value + 4 > limit) invalid('a field is cut off')
      const length = raw.readInt32LE(value)
      if (length < (type === 5 ? 0 : 1)) invalid(`a field has the length ${length}`)
    } else invalid(`unknown type ${type}`)
  }
  const end = endOfValue(raw, type, value)
  if (end > limit) invalid('a field is cut off')
  if ((type === 2 || type === 13 || type === 14) && raw[end - 1] !== 0) invalid('a string does not end with a zero byte')
  return end
}

function invalid(reason: string): never {
  fail(22, `Invalid BSON: ${reason}`)
}

function elementAt(raw: Buffer, offset: number): Element {
  const type = raw[offset]!
  const value = raw.indexOf(0, offset + 1) + 1
  return { type, name: raw.toString('utf8', offset + 1, value - 1), start: offset, value, end: endOfValue(raw, type, value) }
}

function endOfValue(raw: Buffer, type: number, value: number): number {
  const fixed = fixedSizes[type]
  if (fixed !== undefined) return value + fixed
  switch (type) {
    case 2:
    case 13:
    case 14:
      return value + 4 + raw.readInt32LE(value)
    case 3:
    case 4:
    case 15:
      return value + raw.readInt32LE(value)
    case 5:
      return value + 5 + raw.readInt32LE(value)
    case 11:
      return raw.indexOf(0, raw.indexOf(0, value) + 1) + 1
    case 12:
      return value + 4 + raw.readInt32LE(value) + 12
    default:
      return fail(22, `Invalid BSON: unknown type ${type}`)
  }
}
