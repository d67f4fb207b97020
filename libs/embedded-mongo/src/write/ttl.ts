import type { Engine } from '../engine/engine.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Index } from '../storage/index-spec.ts'
import { afterPrefix, wholeRange, withPrefix } from '../storage/keyspace.ts'
import { timeOf } from '../storage/time-series.ts'
import { Blocked } from '../storage/txn.ts'
import { encodeKey } from '../values/key.ts'
import { deleteDocument } from './write.ts'

const mostUnexpired = 1_000

/** Deletes the documents whose time has passed by a TTL index; a document locked by a transaction waits for the next round. */
export async function deleteExpired(engine: Engine, now: number): Promise<void> {
  for (const db of engine.catalog.databases()) {
    for (const collection of engine.catalog.collections(db)) {
      if (collection.series?.expireAfterSeconds !== undefined) await inSlices(engine, () => deleteOldest(engine, collection, now))
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds === undefined || !index.hasEntries) continue
        const progress: Progress = { after: undefined }
        await inSlices(engine, () => deleteSlice(engine, collection, index, now, progress))
      }
    }
  }
}

async function inSlices({ storage }: Engine, slice: () => boolean): Promise<void> {
  let isDone = false
  while (!isDone) isDone = await storage.write(slice)
}

/**
 * Deletes what has expired of a time series, from the oldest document on. It stops where a thousand in a row have not expired: late
 * reports of old times go when those around them do, as in MongoDB they go with their bucket.
 */
function deleteOldest(engine: Engine, collection: Collection, now: number): boolean {
  const { storage } = engine
  const series = collection.series!
  const limit = now - series.expireAfterSeconds! * 1000
  let unexpired = 0
  for (const { key, value } of storage.docs.scan(wholeRange(collection.id))) {
    const isExpired = timeOf(series, value)!.getTime() <= limit
    unexpired = isExpired ? 0 : unexpired + 1
    if (unexpired > mostUnexpired) break
    if (!isExpired) continue
    deleteDocument(engine, collection, key, { raw: value })
    if (storage.isLong()) return false
  }
  return true
}

/** The last index entry that was read. */
interface Progress {
  after: Buffer | undefined
}

/** In an array the earliest date counts, as in MongoDB: any entry in the range expires the document. */
function deleteSlice(engine: Engine, collection: Collection, index: Index, now: number, progress: Progress): boolean {
  const { storage } = engine
  const limit = new Date(now - index.expireAfterSeconds! * 1000)
  const first = encodeKey([new Date(-8.64e15)], index.directions).key
  const last = encodeKey([limit], index.directions).key
  const [low, high] = index.directions[0] === 1 ? [first, last] : [last, first]
  const start = progress.after ? Buffer.concat([progress.after, Buffer.of(0)]) : withPrefix(index.id, low)
  for (const { key: entry, value: key } of storage.index.scan({ start, end: afterPrefix(withPrefix(index.id, high)) })) {
    progress.after = entry
    const raw = storage.docs.get(key)
    try {
      if (raw) deleteDocument(engine, collection, key, { raw })
    } catch (error) {
      if (!(error instanceof Blocked)) throw error
    }
    if (storage.isLong()) return false
  }
  return true
}
