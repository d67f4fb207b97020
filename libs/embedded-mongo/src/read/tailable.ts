import { type Context, findCollection, flag } from '../engine/context.ts'
import { compileFilter } from '../query/match.ts'
import { compileProjection } from '../query/project.ts'
import { fullBatchBytes, type LiveSource } from '../sessions/cursors.ts'
import { entryKey, numberOf } from '../storage/capped.ts'
import type { Collection } from '../storage/catalog.ts'
import { wholeRange } from '../storage/keyspace.ts'
import { fail } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { docOf } from './found.ts'
import type { Query } from './read.ts'

/** A cursor that stays open at the end of a capped collection and continues with later inserts; undefined while the collection is empty. */
export function openTail(
  context: Context,
  collection: Collection,
  { filter, vars, skip, limit, sort }: Query,
  projection: Doc | undefined,
): LiveSource | undefined {
  const { storage } = context.engine
  const capped =
    collection.capped ?? fail(2, `error processing query: tailable cursor requested on non capped collection ${collection.db}.${collection.name}`)
  if (context.txn) fail(263, 'a tailable cursor cannot be part of a transaction')
  if (sort && sort.length > 0) fail(2, 'cannot use tailable option with a sort other than {$natural: 1}')
  if (skip || limit) fail(115, 'skip and limit of a tailable cursor are not supported by this server')
  const matches = compileFilter(filter, { vars })
  const shape = projection && Object.keys(projection).length > 0 ? compileProjection(projection, filter) : undefined
  const whole = wholeRange(capped.natural.id)
  if (storage.index.count(whole) === 0) return undefined
  let next: number | undefined
  return {
    waits: flag(context.body, 'awaitData'),
    fetch: size => {
      if (findCollection(context, collection.name) !== collection) fail(175, 'collection dropped')
      const start = next === undefined ? whole.start : entryKey(capped, next)
      const fetched: Doc[] = []
      let bytes = 0
      for (const { key, value } of storage.index.scan({ start, end: whole.end })) {
        if (fetched.length >= size || bytes > fullBatchBytes) break
        // What the cursor has not read yet has had to make room.
        if (next !== undefined && numberOf(key) > next && fetched.length === 0 && isDeleted(next))
          fail(136, 'CollectionScan died due to position in capped collection being deleted')
        next = numberOf(key) + 1
        const raw = storage.docs.get(value)
        bytes += raw?.length ?? 0
        const found = raw && { key: value, raw, doc: undefined }
        if (found && matches(docOf(found))) fetched.push(shape ? shape(docOf(found)) : docOf(found))
      }
      return fetched
    },
    isOver: () => false,
    replyFields: () => ({}),
    isResumable: false,
  }

  /** A number that was given and that no document has any more; a document deleted by a client leaves such a gap too. */
  function isDeleted(number: number): boolean {
    for (const { key } of storage.index.scan(whole)) return numberOf(key) > number
    return true
  }
}
