import type { Engine } from '../engine/engine.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Index } from '../storage/index-spec.ts'
import { afterPrefix, wholeRange, withPrefix } from '../storage/keyspace.ts'
import type { Entry } from '../storage/table.ts'
import { timeOf } from '../storage/time-series.ts'
import { Blocked } from '../storage/txn.ts'
import { encodeKey } from '../values/key.ts'
import { deleteDocument } from './write.ts'

const sliceSize = 1_000

/** Deletes the documents whose time has passed by a TTL index; a document locked by a transaction waits for the next round. */
export async function deleteExpired(engine: Engine, now: number): Promise<void> {
  for (const db of engine.catalog.databases()) {
    for (const collection of engine.catalog.collections(db)) {
      if (collection.series?.expireAfterSeconds !== undefined) await engine.storage.write(() => deleteOldest(engine, collection, now))
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds === undefined || !index.hasEntries) continue
        let isDone = false
        while (!isDone) isDone = await engine.storage.write(() => deleteSlice(engine, collection, index, now))
      }
    }
  }
}

/**
 * Deletes what has expired of a time series, from the oldest document on. It stops where a thousand in a row have not expired: late
 * reports of old times go when those around them do, as in MongoDB they go with their bucket.
 */
function deleteOldest(engine: Engine, collection: Collection, now: number): void {
  const { storage } = engine
  const series = collection.series!
  const limit = now - series.expireAfterSeconds! * 1000
  const expired: Entry[] = []
  let unexpired = 0
  for (const entry of storage.docs.scan(wholeRange(collection.id))) {
    const isExpired = timeOf(series, entry.value)!.getTime() <= limit
    if (isExpired) expired.push(entry)
    unexpired = isExpired ? 0 : unexpired + 1
    if (unexpired > sliceSize) break
  }
  for (const { key, value } of expired) deleteDocument(engine, collection, key, { raw: value })
}

/** In an array the earliest date counts, as in MongoDB: any entry in the range expires the document. */
function deleteSlice(engine: Engine, collection: Collection, index: Index, now: number): boolean {
  const { storage } = engine
  const limit = new Date(now - index.expireAfterSeconds! * 1000)
  const first = encodeKey([new Date(-8.64e15)], index.directions).key
  const last = encodeKey([limit], index.directions).key
  const [low, high] = index.directions[0] === 1 ? [first, last] : [last, first]
  const expired = new Set<string>()
  let isDone = true
  for (const { value } of storage.index.scan({ start: withPrefix(index.id, low), end: afterPrefix(withPrefix(index.id, high)) })) {
    expired.add(value.toString('latin1'))
    if (expired.size < sliceSize) continue
    isDone = false
    break
  }
  for (const text of expired) {
    const key = Buffer.from(text, 'latin1')
    const raw = storage.docs.get(key)
    try {
      if (raw) deleteDocument(engine, collection, key, { raw })
    } catch (error) {
      if (!(error instanceof Blocked)) throw error
      isDone = true
    }
  }
  return isDone
}
