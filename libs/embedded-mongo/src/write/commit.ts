import type { NewChange } from '../change-streams/change-log.ts'
import { documentChange } from '../change-streams/change-log.ts'
import { type Entry, entriesOf, ownEntries } from '../index/changes.ts'
import type { Change } from '../storage/store-view.ts'
import { checkUnchanged } from '../storage/txn.ts'
import { failConflict } from '../values/errors.ts'
import type { Writer } from './write.ts'

/** Applies a committed transaction's changes inside `Storage.write`: everything is checked again against the newest state first. */
export function applyChanges(writer: Writer, changes: readonly Change[], transaction: NewChange['transaction']): void {
  const removed: Entry[] = []
  const added: (Entry & { owner: Buffer })[] = []
  for (const { collection, key, before, after } of changes) {
    if (writer.catalog.find(collection.db, collection.name, writer.txn) !== collection) failConflict('the collection was dropped or renamed')
    checkUnchanged(writer.storage.docs.get(key), before)
    const difference = entriesOf(collection, key, before && { raw: before }, after && { raw: after })
    removed.push(...ownEntries(collection, writer.storage.index, key, difference.removed))
    for (const entry of difference.added) added.push({ ...entry, owner: key })
  }
  const freed = new Set(removed.map(({ entryKey }) => entryKey.toString('latin1')))
  for (const { index, entryKey, owner } of added) {
    if (!index.isUnique || freed.has(entryKey.toString('latin1'))) continue
    const holder = writer.storage.index.get(entryKey)
    if (holder && !holder.equals(owner)) failConflict()
  }
  for (const { entryKey } of removed) writer.storage.index.remove(entryKey)
  for (const { entryKey, owner } of added) writer.storage.index.put(entryKey, owner)
  for (const { key, after } of changes) {
    if (after) writer.storage.docs.put(key, after)
    else writer.storage.docs.remove(key)
  }
  if (!writer.log.isWatched()) return
  const visible = changes.filter(({ before, after }) => before ?? after)
  visible.forEach(({ collection, key, before, after, isReplacement }, i) => {
    writer.log.note({ ...documentChange(collection, key, before, after, isReplacement), transaction }, i > 0)
  })
}
