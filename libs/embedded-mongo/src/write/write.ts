import { selectionOf } from '../bson/decode.ts'
import { decodeFields, encode, findElement, maxDocumentBytes } from '../bson/raw.ts'
import { type ChangeLog, documentChange } from '../change-streams/change-log.ts'
import { type Entry, entriesOf, ownEntries, type Version } from '../index/changes.ts'
import { failDuplicate, keyValueOf } from '../index/duplicate-key.ts'
import { noteCapped, refuseCapped } from '../storage/capped.ts'
import { type Catalog, type Collection, namespaceOf } from '../storage/catalog.ts'
import { afterPrefix, docKeyOf } from '../storage/keyspace.ts'
import type { Storage } from '../storage/storage.ts'
import type { Change } from '../storage/store-view.ts'
import { measurementKey } from '../storage/time-series.ts'
import { Blocked, checkUnchanged, docLock, type Locks, lock, type Txn, uniqueLock } from '../storage/txn.ts'
import { fail } from '../values/errors.ts'
import { type Doc, isDoc } from '../values/values.ts'
import { checkVersion } from './validation.ts'

/** What a write needs: the store, and the transaction that it belongs to, if any. Without one it runs inside `Storage.write`. */
export interface Writer {
  storage: Storage
  catalog: Catalog
  locks: Locks
  log: ChangeLog
  txn?: Txn
  bypassValidation?: boolean
}

const idOnly = selectionOf(['_id'])
const dbRefKeys = new Set(['$ref', '$id', '$db'])

/** Stores a new document whose _id comes first. Throws 11000 if the _id or a unique value exists already. */
export function insertDocument(writer: Writer, collection: Collection, raw: Buffer): void {
  const id = idOf(raw)
  if (collection.series) {
    writeVersions(writer, collection, measurementKey(collection, collection.series, raw), undefined, { raw })
    return
  }
  const { key, isExact } = docKeyOf(collection, id)
  claim(writer, key)
  if (versionOf(writer, collection, key)) failDuplicate(collection, '_id_', { _id: 1 }, { _id: id })
  if (!isExact && !collection.hasInexactIds) {
    collection.hasInexactIds = true
    saveFlags(writer, collection)
  }
  writeVersions(writer, collection, key, undefined, { raw })
}

/** Puts a changed document in the place of the old one; the _id must be the same. */
export function replaceDocument(writer: Writer, collection: Collection, key: Buffer, before: Version, after: Version): void {
  if (collection.series) fail(115, 'an update of a time series is not supported by this server')
  claim(writer, key)
  writeVersions(writer, collection, key, before, after)
}

export function deleteDocument(writer: Writer, collection: Collection, key: Buffer, before: Version): void {
  claim(writer, key)
  writeVersions(writer, collection, key, before, undefined)
}

/** The _id of a raw document, decoded. */
function idOf(raw: Buffer): unknown {
  const element = findElement(raw, '_id')
  if (!element) return undefined
  if (element.type === 4) fail(53, "The '_id' value cannot be of type array")
  if (element.type === 11) fail(53, "The '_id' value cannot be of type regex")
  if (element.type === 6) fail(53, "The '_id' value cannot be of type undefined")
  const id = decodeFields(raw, idOnly)._id
  const dollar = isDoc(id) ? Object.keys(id).find(name => name.startsWith('$') && !dbRefKeys.has(name)) : undefined
  if (dollar) fail(52, `_id fields may not contain '$'-prefixed fields: ${dollar} is not valid for storage.`)
  return id
}

/** Waits for, or conflicts with, another transaction that has the document. */
function claim(writer: Writer, key: Buffer): void {
  if (writer.txn) {
    lock(writer.locks, writer.txn, docLock(key))
    checkUnchanged(writer.storage.docs.get(key), writer.storage.docs.get(key, writer.txn.snapshot))
    return
  }
  const holder = writer.locks.size > 0 ? writer.locks.get(docLock(key)) : undefined
  if (holder) throw new Blocked(holder)
}

/** Encodes a changed document and checks its size. */
export function encodeVersion(doc: Doc, isReplacement = false): Version {
  const raw = encode(doc)
  if (raw.length > maxDocumentBytes) fail(10334, `BSONObj size: ${raw.length} is invalid. Size must be between 0 and 16793600(16MB)`)
  return { raw, doc, isReplacement }
}

/** The document as the writer sees it now. */
export function versionOf(writer: Writer, collection: Collection, key: Buffer): Buffer | undefined {
  if (!writer.txn) return writer.storage.docs.get(key)
  const change = writer.txn.changes.get(collection.id)?.get(key.toString('latin1'))
  return change ? change.after : writer.storage.docs.get(key, writer.txn.snapshot)
}

function writeVersions(writer: Writer, collection: Collection, key: Buffer, before: Version | undefined, after: Version | undefined): void {
  if (after) checkVersion(collection, before, after, writer.bypassValidation === true)
  const { removed: former, added } = entriesOf(collection, key, before, after, () => saveFlags(writer, collection))
  const removed = ownEntries(collection, writer.storage.index, key, former)
  const freed = new Set(removed.length > 0 ? removed.map(({ entryKey }) => entryKey.toString('latin1')) : [])
  for (const entry of added) {
    if (entry.index.isUnique) checkUnique(writer, collection, entry, key, freed)
    else if (entry.index.isPreparedUnique) checkPrepared(writer, collection, entry, key)
  }
  if (writer.txn) {
    refuseCapped(collection, 'a write in a transaction')
    if (collection.series) fail(263, `Cannot write to the time series ${namespaceOf(collection)} in a transaction`)
    recordChange(writer.txn, collection, key, before, after, removed, added, writer)
    return
  }
  const { docs, index } = writer.storage
  for (const { entryKey } of removed) index.remove(entryKey)
  for (const { entryKey } of added) index.put(entryKey, key)
  if (after) docs.put(key, after.raw)
  else docs.remove(key)
  if (collection.capped) makeRoom(writer, collection, noteCapped(writer.storage, collection.capped, key, before?.raw, after?.raw))
  if (writer.log.isWatched()) writer.log.note(documentChange(collection, key, before?.raw, after?.raw, after?.isReplacement))
}

/** The oldest documents of a capped collection go. */
function makeRoom(writer: Writer, collection: Collection, keys: readonly Buffer[]): void {
  for (const key of keys) {
    const raw = writer.storage.docs.get(key)
    if (raw) writeVersions(writer, collection, key, { raw }, undefined)
  }
}

function checkUnique(writer: Writer, collection: Collection, entry: Entry, key: Buffer, freed: ReadonlySet<string>): void {
  const text = entry.entryKey.toString('latin1')
  const refuse = () => failDuplicate(collection, entry.index.name, entry.index.spec.key, keyValueOf(entry.index, entry.values))
  const { storage, locks, txn } = writer
  if (!txn) {
    const owner = storage.index.get(entry.entryKey)
    const holder = locks.size > 0 ? locks.get(uniqueLock(entry.entryKey)) : undefined
    if (holder) throw new Blocked(holder)
    if (owner && !owner.equals(key) && !freed.has(text)) refuse()
    return
  }
  lock(locks, txn, uniqueLock(entry.entryKey))
  const seen = storage.index.get(entry.entryKey, txn.snapshot)
  const owner = txn.uniques.has(text) ? txn.uniques.get(text) : seen
  if (owner && !owner.equals(key)) refuse()
  checkUnchanged(storage.index.get(entry.entryKey), seen)
}

/** Like `checkUnique` for an index whose entries are not unique yet: equal values are adjacent in it. */
function checkPrepared({ storage, locks, txn }: Writer, collection: Collection, entry: Entry, key: Buffer): void {
  const value = entry.entryKey.subarray(0, entry.entryKey.length - key.length + 4)
  const text = value.toString('latin1')
  if (txn) lock(locks, txn, uniqueLock(value))
  const holder = txn ? undefined : locks.get(uniqueLock(value))
  if (holder) throw new Blocked(holder)
  const owners = [...storage.index.scan({ start: value, end: afterPrefix(value) })].map(stored => stored.value)
  const own = txn?.uniques.get(text)
  if ([...owners, ...(own ? [own] : [])].some(owner => !owner.equals(key)))
    failDuplicate(collection, entry.index.name, entry.index.spec.key, keyValueOf(entry.index, entry.values))
  txn?.uniques.set(text, key)
}

/** In a transaction nothing is stored before the commit: the change is recorded, with the locks of the unique values that it frees. */
function recordChange(
  txn: Txn,
  collection: Collection,
  key: Buffer,
  before: Version | undefined,
  after: Version | undefined,
  removed: readonly Entry[],
  added: readonly Entry[],
  { locks }: Writer,
): void {
  const changes = txn.changes.get(collection.id) ?? new Map<string, Change>()
  txn.changes.set(collection.id, changes)
  const text = key.toString('latin1')
  const change = changes.get(text)
  const isReplacement = after?.isReplacement
  if (change) Object.assign(change, { after: after?.raw, isReplacement })
  else changes.set(text, { collection, key, before: before?.raw, after: after?.raw, isReplacement })
  for (const { index, entryKey } of removed) {
    if (!index.isUnique) continue
    lock(locks, txn, uniqueLock(entryKey))
    txn.uniques.set(entryKey.toString('latin1'), undefined)
  }
  for (const { index, entryKey } of added) if (index.isUnique) txn.uniques.set(entryKey.toString('latin1'), key)
}

/** What a transaction has changed about a collection is saved by its commit. */
function saveFlags(writer: Writer, collection: Collection): void {
  if (!writer.txn) writer.catalog.save(collection)
  else writer.txn.flagged.add(collection)
}
