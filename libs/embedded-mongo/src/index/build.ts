import { decode } from '../bson/raw.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Index } from '../storage/index-spec.ts'
import { entryKeyOf, wholeRange } from '../storage/keyspace.ts'
import type { Storage } from '../storage/storage.ts'
import { failDuplicate } from './duplicate-key.ts'
import { type IndexKeys, keysOf } from './keys.ts'

/**
 * Fills new indexes from the documents, inside `Storage.write`. It computes and checks all keys before the first put,
 * so that a duplicate leaves no entries.
 */
export function buildIndexes(storage: Storage, collection: Collection, indexes: readonly Index[]): void {
  const entries: { key: Buffer; value: Buffer }[] = []
  for (const index of indexes) {
    const owners = index.isUnique ? new Set<string>() : undefined
    for (const { key, value } of storage.docs.scan(wholeRange(collection.id))) {
      const found = keysOf(index, decode(value))
      note(index, found)
      for (const { key: valueKey, values } of found.keys) {
        const entryKey = entryKeyOf(index, valueKey, key)
        const text = owners && entryKey.toString('latin1')
        if (owners && text !== undefined) {
          if (owners.has(text))
            failDuplicate(collection, index.name, index.spec.key, Object.fromEntries(index.fields.map((field, i) => [field.path, values[i] ?? null])))
          owners.add(text)
        }
        entries.push({ key: entryKey, value: key })
      }
    }
  }
  for (const { key, value } of entries) storage.index.put(key, value)
}

function note(index: Index, found: IndexKeys): void {
  found.multikey.forEach((is, i) => {
    if (is) index.multikey[i] = true
  })
  if (!found.isExact) index.isInexact = true
}

/** The documents that prevent an index from being unique, by value. */
export function duplicatesOf(storage: Storage, collection: Collection, index: Index): { ids: unknown[] }[] {
  const owners = new Map<string, unknown[]>()
  for (const { value } of storage.docs.scan(wholeRange(collection.id))) {
    const doc = decode(value)
    for (const { key } of keysOf(index, doc).keys) {
      const text = key.toString('latin1')
      owners.set(text, [...(owners.get(text) ?? []), doc._id])
    }
  }
  return [...owners.values()].filter(ids => ids.length > 1).map(ids => ({ ids }))
}
