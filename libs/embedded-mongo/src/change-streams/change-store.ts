import { Binary, Timestamp } from 'bson'
import { decode, encode } from '../bson/raw.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Storage } from '../storage/storage.ts'
import type { Doc } from '../values/values.ts'
import type { ChangeKind, LoggedChange } from './change-log.ts'

/** The changes on disk, by their number. Everything but `get` and `load` runs inside `Storage.write`. */
export interface ChangeStore {
  /** What is there; undefined when nobody has watched yet. */
  load(): Stored | undefined
  /** Remembers that somebody watches: `forgotten` is before all changes, `newest` is where a stream may begin. */
  begin(forgotten: Timestamp, newest: Timestamp): void
  put(number: number, change: LoggedChange): void
  get(number: number): LoggedChange | undefined
  /** Removes the oldest changes when there are more than are preserved; two for each `put`. Returns the oldest that stays. */
  trim(end: number): { first: number; forgotten: Timestamp | undefined }
}

export interface Stored {
  forgotten: Timestamp
  newest: Timestamp
  first: number
  end: number
}

export interface Limits {
  changes: number
  bytes: number
}

/** A resume token is good for so many changes, unless these have more bytes. */
export const storedLimits: Limits = { changes: 1_000_000, bytes: 256 * 1024 * 1024 }

const beginKey = Buffer.from('w')
const headerBytes = 8
const trimmedPerCommit = 2

export function changeStore({ changes: table, meta }: Storage, limits: Limits): ChangeStore {
  let first = 0
  /** Bytes of all changes that were ever stored, up to the newest and up to the oldest that is there. */
  let total = 0
  let removed = 0

  const load = (): Stored | undefined => {
    const begun = meta.get(beginKey)
    if (!begun) return undefined
    const range = { start: keyOf(0), end: keyOf(Number.MAX_SAFE_INTEGER) }
    const [oldest] = table.scan(range)
    const [newest] = table.scan({ ...range, reverse: true })
    if (!oldest || !newest) return { forgotten: timestampAt(begun, 0), newest: timestampAt(begun, 8), first: 0, end: 0 }
    first = numberOf(oldest.key)
    total = newest.value.readDoubleBE(0)
    removed = oldest.value.readDoubleBE(0) - oldest.value.length
    const { time, part } = changeOf(oldest.value)
    // Of a transaction that was cut, the rest is of no use.
    const before = part > 0 ? time : justBefore(time)
    return { forgotten: first === 0 ? timestampAt(begun, 0) : before, newest: changeOf(newest.value).time, first, end: numberOf(newest.key) + 1 }
  }
  return {
    load,
    begin: (forgotten, newest) => meta.put(beginKey, Buffer.concat([bytesOf(forgotten), bytesOf(newest)])),
    put: (number, change) => {
      const body = bodyOf(change)
      total += headerBytes + body.length
      const header = Buffer.alloc(headerBytes)
      header.writeDoubleBE(total)
      table.put(keyOf(number), Buffer.concat([header, body]))
    },
    get: number => {
      const value = table.get(keyOf(number))
      return value && changeOf(value)
    },
    trim: end => {
      let forgotten: Timestamp | undefined
      for (let count = 0; count < trimmedPerCommit; count++) {
        const isTooMuch = end - first > limits.changes || total - removed > limits.bytes
        const value = isTooMuch && end - first > 1 ? table.get(keyOf(first)) : undefined
        if (!value) break
        forgotten = changeOf(value).time
        table.remove(keyOf(first))
        removed += value.length
        first += 1
      }
      return { first, forgotten }
    },
  }
}

function bodyOf({ kind, db, collection, uuid, key, before, after, hasImages, details, transaction, time, part, at }: LoggedChange): Buffer {
  const doc: Doc = { kind, db, time, part, at }
  const optional = { collection, uuid, details, lsid: transaction?.lsid, number: transaction?.number, hasImages: hasImages || undefined }
  for (const [name, value] of Object.entries(optional)) if (value !== undefined) doc[name] = value
  for (const [name, bytes] of Object.entries({ key, before, after })) if (bytes) doc[name] = new Binary(bytes)
  return encode(doc)
}

function changeOf(value: Buffer): LoggedChange {
  const doc = decode(value.subarray(headerBytes))
  const bytes = (name: string) => (doc[name] instanceof Binary ? Buffer.from(doc[name].buffer) : undefined)
  const change: LoggedChange = {
    kind: doc.kind as ChangeKind,
    db: doc.db as string,
    time: doc.time as Timestamp,
    part: Number(doc.part),
    at: doc.at as Date,
  }
  const [key, before, after] = [bytes('key'), bytes('before'), bytes('after')]
  if (doc.collection !== undefined) change.collection = doc.collection as string
  if (doc.uuid !== undefined) change.uuid = doc.uuid as Collection['uuid']
  if (key) change.key = key
  if (before) change.before = before
  if (after) change.after = after
  if (doc.hasImages !== undefined) change.hasImages = true
  if (doc.details !== undefined) change.details = doc.details as Doc
  if (doc.lsid !== undefined) change.transaction = { lsid: doc.lsid as Doc, number: Number(doc.number) }
  return change
}

function keyOf(number: number): Buffer {
  const key = Buffer.alloc(8)
  key.writeBigUInt64BE(BigInt(number))
  return key
}

const numberOf = (key: Buffer): number => Number(key.readBigUInt64BE())

function bytesOf({ t, i }: Timestamp): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(t, 0)
  bytes.writeUInt32BE(i, 4)
  return bytes
}

function timestampAt(bytes: Buffer, at: number): Timestamp {
  return new Timestamp({ t: bytes.readUInt32BE(at), i: bytes.readUInt32BE(at + 4) })
}

function justBefore({ t, i }: Timestamp): Timestamp {
  return i > 0 ? new Timestamp({ t, i: i - 1 }) : new Timestamp({ t: t - 1, i: 0xffff_ffff })
}
