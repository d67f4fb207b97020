import { Int32, Long } from 'bson'
import { fail } from '../values/errors.ts'
import { asInteger, asNumber, type Doc, isNumeric, isTruthy } from '../values/values.ts'
import type { Collection } from './catalog.ts'
import { type Index, indexFrom } from './index-spec.ts'
import { wholeRange, withoutPrefix, withPrefix } from './keyspace.ts'
import type { Storage } from './storage.ts'

/** The additional state of a capped collection: its limits, and the insertion order of its documents. */
export interface Capped {
  maxBytes: number
  maxCount: number
  /** Entries by number, the oldest first. */
  natural: Index
  /** Names the range of entries that give a document's number back. */
  placesId: number
  /** How full it is; counted when it is first written to. */
  fill: Fill | undefined
}

interface Fill {
  count: number
  bytes: number
  next: number
}

const sizeStep = 256
const maxSize = 2 ** 50

/** The options `capped`, `size` and `max` of `create`, checked and as `listCollections` shows them; empty for a collection that is not capped. */
export function cappedOptions({ capped, size, max }: Doc): Doc {
  if (!isTruthy(capped)) {
    if (size !== undefined && size !== 0) fail(72, "the 'capped' field needs to be true when either the 'size' or 'max' fields are present")
    return {}
  }
  const bytes = isNumeric(size) ? asInteger(size) : undefined
  if (bytes === undefined) return fail(72, "the 'size' field is required when 'capped' is true")
  if (bytes < 1 || bytes > maxSize) return fail(2, `BSON field 'size' value must be between 1 and 1PB, actual value '${bytes}'`)
  const options: Doc = { capped: true, size: number(Math.ceil(bytes / sizeStep) * sizeStep) }
  const count = isNumeric(max) ? asInteger(max) : undefined
  if (count !== undefined && count > 0) options.max = number(count)
  return options
}

function number(value: number): Int32 | Long {
  return value > 0x7fff_ffff ? Long.fromNumber(value) : new Int32(value)
}

export function cappedFrom(options: Doc, naturalId: number, placesId: number): Capped {
  const { size, max } = options
  return {
    maxBytes: isNumeric(size) ? asNumber(size) : maxSize,
    maxCount: isNumeric(max) ? asNumber(max) : Number.POSITIVE_INFINITY,
    natural: { ...indexFrom(naturalId, { key: { $natural: new Int32(1) }, name: '$natural' }), isReady: true },
    placesId,
    fill: undefined,
  }
}

/** Notes a write's part in the order and the fill; only inside `Storage.write`. Returns the keys of the documents that must make room. */
export function noteCapped(storage: Storage, capped: Capped, key: Buffer, before: Buffer | undefined, after: Buffer | undefined): Buffer[] {
  capped.fill ??= measure(storage, capped)
  const { fill } = capped
  const place = withPrefix(capped.placesId, key)
  if (!before) {
    const entry = entryKey(capped, fill.next)
    storage.index.put(entry, key)
    storage.index.put(place, entry)
    fill.next += 1
    fill.count += 1
  }
  if (before && !after) {
    const entry = storage.index.get(place)
    if (entry) storage.index.remove(entry)
    storage.index.remove(place)
    fill.count -= 1
  }
  fill.bytes += (after?.length ?? 0) - (before?.length ?? 0)
  return after ? oldest(storage, capped, fill) : []
}

/** The documents that are to go until the collection is within its limits again; the newest one stays. */
function oldest(storage: Storage, { natural, maxBytes, maxCount }: Capped, { count, bytes }: Fill): Buffer[] {
  const surplus: Buffer[] = []
  if (count <= maxCount && bytes <= maxBytes) return surplus
  let left = { count, bytes }
  for (const { value } of storage.index.scan(wholeRange(natural.id))) {
    if ((left.count <= maxCount && left.bytes <= maxBytes) || left.count <= 1) break
    surplus.push(value)
    left = { count: left.count - 1, bytes: left.bytes - (storage.docs.get(value)?.length ?? 0) }
  }
  return surplus
}

function measure(storage: Storage, { natural }: Capped): Fill {
  const fill = { count: 0, bytes: 0, next: 0 }
  for (const { key, value } of storage.index.scan(wholeRange(natural.id))) {
    fill.count += 1
    fill.bytes += storage.docs.get(value)?.length ?? 0
    fill.next = numberOf(key) + 1
  }
  return fill
}

export function entryKey({ natural }: Capped, number: number): Buffer {
  const key = Buffer.allocUnsafe(8)
  key.writeBigUInt64BE(BigInt(number))
  return withPrefix(natural.id, key)
}

/** The number of an entry: how many documents have come before. */
export function numberOf(entryKey: Buffer): number {
  return Number(withoutPrefix(entryKey).readBigUInt64BE())
}

/** Refuses what a capped collection cannot be part of. */
export function refuseCapped({ capped, db, name }: Collection, what: string): void {
  if (capped) fail(263, `${what} of the capped collection ${db}.${name} is not possible`)
}
