import { Int32 } from 'bson'
import type { Context } from '../engine/context.ts'
import type { Collection } from '../storage/catalog.ts'
import { wholeRange } from '../storage/keyspace.ts'
import type { Doc } from '../values/values.ts'

/** The approximate size of an index entry. */
const entryBytes = 48

/** Count and bytes of a collection's documents, by reading them all. */
export function measure({ engine }: Pick<Context, 'engine'>, collection: Collection): { count: number; size: number } {
  let count = 0
  let size = 0
  for (const { value } of engine.storage.docs.scan(wholeRange(collection.id))) {
    count += 1
    size += value.length
  }
  return { count, size }
}

/** The statistics of `collStats` and `$collStats`, also for a missing collection; sizes are in units of `scale` bytes. */
export function storageStatistics(context: Pick<Context, 'engine'>, collection: Collection | undefined, scale: number): Doc {
  const { count, size } = collection ? measure(context, collection) : { count: 0, size: 0 }
  const indexSizes = Object.fromEntries(
    (collection?.indexes ?? []).map(index => [index.name, context.engine.storage.index.count(wholeRange(index.id)) * entryBytes]),
  )
  return {
    size: Math.floor(size / scale),
    count,
    avgObjSize: count > 0 ? Math.floor(size / count) : 0,
    storageSize: Math.floor(size / scale),
    capped: collection?.capped !== undefined,
    ...(collection?.capped ? { max: collection.options.max ?? new Int32(0), maxSize: collection.options.size } : {}),
    nindexes: collection ? collection.indexes.length + 1 : 0,
    totalIndexSize: Math.floor(Object.values(indexSizes).reduce((sum, bytes) => sum + bytes, 0) / scale),
    indexSizes: { _id_: 0, ...indexSizes },
    scaleFactor: scale,
  }
}
