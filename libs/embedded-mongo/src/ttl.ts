import type { Collection } from './catalog.ts'
import type { Engine } from './engine.ts'
import type { Index } from './index-spec.ts'
import { encodeKey } from './key.ts'
import { behind, withPrefix } from './keyspace.ts'
import { Blocked } from './txn.ts'
import { deleteDocument } from './write.ts'

const sliceSize = 1_000

/** Deletes the documents whose time has passed by a TTL index; a document locked by a transaction waits for the next round. */
export async function deleteExpired(engine: Engine, now: number): Promise<void> {
  for (const db of engine.catalog.databases()) {
    for (const collection of engine.catalog.collections(db)) {
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds === undefined || !index.isKept) continue
        let isDone = false
        while (!isDone) isDone = await engine.storage.write(() => deleteSlice(engine, collection, index, now))
      }
    }
  }
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
  for (const { value } of storage.index.scan({ start: withPrefix(index.id, low), end: behind(withPrefix(index.id, high)) })) {
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
