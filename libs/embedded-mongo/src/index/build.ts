import { decode } from '../bson/raw.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Index } from '../storage/index-spec.ts'
import { entryKeyOf, wholeRange, withoutPrefix } from '../storage/keyspace.ts'
import type { Storage } from '../storage/storage.ts'
import type { Doc } from '../values/values.ts'
import { failDuplicate, keyValueOf } from './duplicate-key.ts'
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
          if (owners.has(text)) failDuplicate(collection, index.name, index.spec.key, keyValueOf(index, values))
          owners.add(text)
        }
        entries.push({ key: entryKey, value: key })
      }
    }
  }
  for (const { key, value } of entries) storage.index.put(key, value)
}

/** Queries may use the indexes, because their entries are on disk; not in snapshots that are older than that. */
export function makeReady(storage: Storage, indexes: readonly Index[]): void {
  for (const index of indexes) Object.assign(index, { isReady: true, notIn: storage.snapshots() })
}

/** How far a build has come: the key of the last document whose entries are there. */
export type Build = { indexes: readonly Index[]; after: Buffer | undefined }

/** Whether the documents are so few that their entries are put in one step. */
export function isSmall(storage: Storage, collection: Collection): boolean {
  let count = 0
  for (const _ of storage.docs.valueChunks(wholeRange(collection.id), undefined, chunkSize)) if (++count > 1) return false
  return true
}

/**
 * Puts the entries of the next documents, of one at least, inside `Storage.write`, until `isOver`; true when all are there. Writes of others update the entries of documents that they change; those that it meets again are the same. Throws 11000.
 */
export function buildSlice(storage: Storage, collection: Collection, build: Build, isOver: () => boolean): boolean {
  const { start, end } = wholeRange(collection.id)
  for (;;) {
    const [chunk] = storage.docs.chunks({ start: build.after ? Buffer.concat([build.after, Buffer.of(0)]) : start, end }, undefined, chunkSize)
    if (!chunk) return true
    for (const { key, value } of chunk) {
      const doc = decode(value)
      for (const index of build.indexes) putEntries(storage, collection, index, key, doc)
      build.after = key
      if (isOver()) return false
    }
  }
}

/** Entries in one read: documents may have 16 MB. */
const chunkSize = 16

function putEntries(storage: Storage, collection: Collection, index: Index, key: Buffer, doc: Doc): void {
  const found = keysOf(index, doc)
  note(index, found)
  for (const { key: valueKey, values } of found.keys) {
    const entryKey = entryKeyOf(index, valueKey, key)
    const owner = index.isUnique ? storage.index.get(entryKey) : undefined
    if (owner && !owner.equals(key)) failDuplicate(collection, index.name, index.spec.key, keyValueOf(index, values))
    storage.index.put(entryKey, key)
  }
}

function note(index: Index, found: IndexKeys): void {
  found.multikey.forEach((is, i) => {
    if (is) index.multikey[i] = true
  })
  if (!found.isExact) index.isInexact = true
}

/** Documents that one refusal names at most. */
const maxViolating = 100_000

/** A search for the documents that prevent an index from being unique, by value, and how far it has come. */
export interface DuplicateSearch {
  readonly index: Index
  readonly violations: { ids: unknown[] }[]
  /** how many ids were found */
  found: number
  last: { entry: Buffer; value: Buffer; owner: Buffer; isViolation: boolean } | undefined
}

export const newSearch = (index: Index): DuplicateSearch => ({ index, violations: [], found: 0, last: undefined })

/** Whether there were more than it names. */
export const isCutShort = ({ found }: DuplicateSearch): boolean => found > maxViolating

/**
 * Reads the next entries of an index that is not unique, one at least, until `isOver`; true when all are read. Entries with one value are adjacent, so it
 * holds no more than what it has found.
 */
export function searchSlice(storage: Storage, search: DuplicateSearch, isOver: () => boolean): boolean {
  const { start, end } = wholeRange(search.index.id)
  for (;;) {
    const [chunk] = storage.index.chunks({ start: search.last ? Buffer.concat([search.last.entry, Buffer.of(0)]) : start, end }, undefined, chunkSize)
    if (!chunk || isCutShort(search)) return true
    for (const { key, value } of chunk) {
      noteEntry(storage, search, key, value)
      if (isOver()) return false
    }
  }
}

function noteEntry(storage: Storage, search: DuplicateSearch, entry: Buffer, owner: Buffer): void {
  const value = entry.subarray(0, entry.length - withoutPrefix(owner).length)
  const before = search.last
  const isViolation = before?.value.equals(value) === true
  if (isViolation) {
    const owners = before.isViolation ? [owner] : [before.owner, owner]
    const ids = owners.map(key => decode(storage.docs.get(key)!)._id)
    if (before.isViolation) search.violations.at(-1)!.ids.push(...ids)
    else search.violations.push({ ids })
    search.found += ids.length
  }
  search.last = { entry, value, owner, isViolation }
}
