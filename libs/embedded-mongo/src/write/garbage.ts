import type { Engine } from '../engine/engine.ts'
import type { Garbage } from '../storage/catalog.ts'
import { wholeRange } from '../storage/keyspace.ts'

/** Deletes what dropped collections and indexes have left, in slices, so that other writes get in between. */
export async function collectGarbage(engine: Engine): Promise<void> {
  for (const garbage of engine.catalog.garbage()) {
    let isDone = false
    while (!isDone) isDone = await engine.storage.write(() => deleteSlice(engine, garbage))
  }
}

/** Deletes one slice inside `Storage.write`, one entry at least; true when nothing is left. */
export function deleteSlice({ storage, catalog }: Engine, garbage: Garbage): boolean {
  const table = storage[garbage.kind]
  for (const { key } of table.scan(wholeRange(garbage.id))) {
    table.remove(key)
    if (storage.isLong()) return false
  }
  catalog.forgetGarbage(garbage)
  return true
}
