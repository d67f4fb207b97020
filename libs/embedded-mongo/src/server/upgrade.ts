import { buildIndexes } from '../index/build.ts'
import type { Catalog } from '../storage/catalog.ts'
import { indexFrom } from '../storage/index-spec.ts'
import type { Storage } from '../storage/storage.ts'

const formatKey = Buffer.from('f')
/** 2: an array without elements has an index entry of its own, and documents have the order of their fields. */
const format = 2

/** Builds the indexes of an older data folder again, once: their entries would not be found. */
export async function upgradeIndexes(storage: Storage, catalog: Catalog): Promise<void> {
  if (storage.meta.get(formatKey)?.[0] === format) return
  for (const db of catalog.databases())
    for (const collection of catalog.collections(db)) await storage.write(() => rebuild(storage, catalog, collection))
  await storage.write(() => storage.meta.put(formatKey, Buffer.from([format])))
}

function rebuild(storage: Storage, catalog: Catalog, collection: ReturnType<Catalog['collections']>[number]): void {
  const old = collection.indexes
  if (old.length === 0) return
  const next = old.map(index => ({ ...indexFrom(catalog.nextId(), index.spec), isReady: true }))
  buildIndexes(storage, collection, next)
  catalog.dropIndexes(collection, old)
  collection.indexes.push(...next)
  catalog.save(collection)
}
