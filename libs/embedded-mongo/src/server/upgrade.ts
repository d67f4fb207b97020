import { buildSlice, makeReady } from '../index/build.ts'
import type { Catalog, Collection } from '../storage/catalog.ts'
import { indexFrom } from '../storage/index-spec.ts'
import type { Storage } from '../storage/storage.ts'

const formatKey = Buffer.from('f')
/** 2: an array without elements has an index entry of its own, and documents have the order of their fields. */
const format = 2

/** Builds the indexes of an older data folder again, once: their entries would not be found. */
export async function upgradeIndexes(storage: Storage, catalog: Catalog): Promise<void> {
  if (storage.meta.get(formatKey)?.[0] === format) return
  for (const db of catalog.databases()) for (const collection of catalog.collections(db)) await rebuild(storage, catalog, collection)
  await storage.write(() => storage.meta.put(formatKey, Buffer.from([format])))
}

/** In slices, as any build: the keys of half a million documents need more memory than there may be. */
async function rebuild(storage: Storage, catalog: Catalog, collection: Collection): Promise<void> {
  const old = collection.indexes
  if (old.length === 0) return
  const build = { indexes: old.map(index => indexFrom(catalog.nextId(), index.spec)), after: undefined }
  await storage.write(() => catalog.startBuild(collection, build.indexes))
  let isDone = false
  while (!isDone) isDone = await storage.write(() => buildSlice(storage, collection, build, storage.isLong))
  await storage.write(() => {
    catalog.dropIndexes(collection, old)
    catalog.finishBuild(collection, build.indexes)
  })
  makeReady(storage, build.indexes)
}
