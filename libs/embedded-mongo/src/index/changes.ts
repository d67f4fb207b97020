import { decode, decodeFields } from '../bson/raw.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Index } from '../storage/index-spec.ts'
import { entryKeyOf } from '../storage/keyspace.ts'
import type { Table } from '../storage/table.ts'
import { type Doc, getOwn } from '../values/values.ts'
import { type IndexKey, keysOf } from './keys.ts'

/** A document before or after a write. */
export interface Version {
  raw: Buffer
  doc?: Doc
  /** The fields that decide the index entries, when nothing needs the rest decoded. */
  indexed?: Doc
  /** It replaced the whole document; otherwise it changed fields. */
  isReplacement?: boolean | undefined
}

/** One entry of one index. */
export interface Entry extends IndexKey {
  index: Index
  entryKey: Buffer
}

/** The entries by which the two versions of a document differ. Notes in the index what new kinds of keys it now has. */
export function entriesOf(
  collection: Collection,
  key: Buffer,
  before: Version | undefined,
  after: Version | undefined,
  whenFlagged: () => void = () => {},
): { removed: Entry[]; added: Entry[] } {
  const removed: Entry[] = []
  const added: Entry[] = []
  const indexes = maintained(collection)
  if (indexes.length === 0) return { removed, added }
  for (const index of indexes) {
    if (before?.doc && after?.doc && isUntouched(index, before.doc, after.doc)) continue
    const old = before ? keysOf(index, fieldsFor(collection, before)) : undefined
    const next = after ? keysOf(index, fieldsFor(collection, after)) : undefined
    collectNew(index, next?.keys ?? [], old?.keys ?? [], key, added)
    collectNew(index, old?.keys ?? [], next?.keys ?? [], key, removed)
    if (next && noteKinds(index, next.multikey, next.isExact)) whenFlagged()
  }
  return { removed, added }
}

/**
 * Without the entries that are another document's. While a unique index is filled, two documents may have one value: the one whose entry is not
 * there yet must not remove that of the other.
 */
export function ownEntries({ building }: Collection, index: Table, key: Buffer, entries: Entry[]): Entry[] {
  if (building.length === 0) return entries
  const isOthers = ({ index: { isUnique, isReady }, entryKey }: Entry) => isUnique && !isReady && index.get(entryKey)?.equals(key) === false
  return entries.filter(entry => !isOthers(entry))
}

function maintained({ indexes, building }: Collection): readonly Index[] {
  return building.length > 0 ? [...indexes, ...building] : indexes
}

/** An update shares the values that it does not touch. If all values of the index are shared, its entries stay. */
function isUntouched(index: Index, before: Doc, after: Doc): boolean {
  return index.topFields?.names.every(field => getOwn(before, field) === getOwn(after, field)) ?? false
}

/** Entries for the keys that are in `keys` and not in `others`. */
function collectNew(index: Index, keys: readonly IndexKey[], others: readonly IndexKey[], docKey: Buffer, into: Entry[]): void {
  const existing = others.length > 8 ? new Set(others.map(({ key }) => key.toString('latin1'))) : undefined
  for (const { key, values } of keys) {
    const isKnown = existing ? existing.has(key.toString('latin1')) : others.some(other => other.key.equals(key))
    if (!isKnown) into.push({ key, values, index, entryKey: entryKeyOf(index, key, docKey) })
  }
}

function noteKinds(index: Index, multikey: readonly boolean[], isExact: boolean): boolean {
  let isNew = false
  multikey.forEach((is, i) => {
    if (!is || index.multikey[i]) return
    index.multikey[i] = true
    isNew = true
  })
  if (!isExact && !index.isInexact) {
    index.isInexact = true
    isNew = true
  }
  return isNew
}

/** Only the indexed fields are decoded, unless the document is decoded already or an index needs all of it. */
function fieldsFor(collection: Collection, version: Version): Doc {
  const indexed = version.doc ?? version.indexed
  if (indexed) return indexed
  const names: string[] = []
  const bytes: Uint8Array[] = []
  for (const { topFields } of maintained(collection)) {
    if (!topFields) {
      version.doc = decode(version.raw)
      return version.doc
    }
    topFields.names.forEach((name, i) => {
      if (names.includes(name)) return
      names.push(name)
      bytes.push(topFields.bytes[i]!)
    })
  }
  version.indexed = decodeFields(version.raw, { names, bytes })
  return version.indexed
}
