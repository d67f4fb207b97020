import { encodeKey } from '../values/key.ts'
import type { Collection } from './catalog.ts'
import type { Index } from './index-spec.ts'
import type { Range } from './table.ts'

/** Bytes of the number that a key begins with. */
const prefixBytes = 4

/** The key of a document: its collection's number and its _id in comparable form. */
export function docKeyOf(collection: Pick<Collection, 'id'>, id: unknown): { key: Buffer; isExact: boolean } {
  const encoded = encodeKey([id])
  return { key: withPrefix(collection.id, encoded.key), isExact: encoded.exact }
}

/** The key of an index entry; one that is not unique ends with the document's key, so that equal values are adjacent. */
export function entryKeyOf(index: Index, valueKey: Buffer, docKey: Buffer): Buffer {
  return index.isUnique ? withPrefix(index.id, valueKey) : Buffer.concat([prefixOf(index.id), valueKey, withoutPrefix(docKey)])
}

/** Everything that belongs to a collection (in the table of documents) or an index (in the table of entries). */
export function wholeRange(id: number): Range {
  return { start: prefixOf(id), end: prefixOf(id + 1) }
}

function prefixOf(id: number): Buffer {
  const prefix = Buffer.allocUnsafe(prefixBytes)
  prefix.writeUInt32BE(id)
  return prefix
}

export function withPrefix(id: number, key: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(prefixBytes + key.length)
  whole.writeUInt32BE(id)
  whole.set(key, prefixBytes)
  return whole
}

/** What `withPrefix` was given. */
export const withoutPrefix = (whole: Buffer): Buffer => whole.subarray(prefixBytes)

/** The first key after all keys that begin with `prefix`. */
export function afterPrefix(prefix: Buffer): Buffer {
  let end = prefix.length
  while (end > 0 && prefix[end - 1] === 0xff) end -= 1
  const next = Buffer.from(prefix.subarray(0, end))
  next[end - 1]! += 1
  return next
}
