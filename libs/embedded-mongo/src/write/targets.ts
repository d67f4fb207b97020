import type { Context } from '../engine/context.ts'
import type { Found } from '../read/found.ts'
import { matcherOf, type Query, runQuery } from '../read/read.ts'
import { checkDeadline, tick } from '../sessions/deadline.ts'
import type { Collection } from '../storage/catalog.ts'
import { viewOf } from '../storage/txn.ts'
import { KeyList } from './key-list.ts'
import { eachInSlices, Pause, sliceOf } from './pause.ts'
import { versionOf, type Writer } from './write.ts'

/** The progress of a statement whose search needs more than one slice. */
export interface Search {
  /** What a finished search has found, and how much of it was treated. */
  found?: { keys: KeyList; next: number } | undefined
  error?: unknown
}

const maxInOneStep = 500

/**
 * Calls `apply` for each document that the query finds; false when there is none. All are found before the first is changed, so that no
 * change makes a document be met twice. Short work is one step. Longer work throws `Pause`: a long search is then made outside of the
 * commit, and each of the documents is tested again before it is changed, as in MongoDB, where others may write meanwhile too.
 */
export function eachTarget(
  context: Context,
  writer: Writer,
  collection: Collection,
  query: Query,
  search: Search,
  apply: (target: Found) => void,
): boolean {
  if (search.error !== undefined) throw search.error as Error
  const matches = matcherOf(query)
  const isOver = sliceOf(writer)
  if (!search.found) {
    const targets = findInOneStep(context, writer, collection, query, matches !== undefined)
    if (!targets) throw new Pause(() => findInSlices(context, writer, collection, query, search))
    for (const [i, target] of targets.entries()) {
      if (i > 0 && matches && isOver()) {
        search.found = { keys: keysOf(targets), next: i }
        throw new Pause()
      }
      apply(target)
    }
    return targets.length > 0
  }
  const { found } = search
  for (let count = 0; found.next < found.keys.length; count++) {
    if (count > 0 && isOver()) throw new Pause()
    checkDeadline(context.deadline)
    const key = Buffer.from(found.keys.at(found.next))
    const raw = versionOf(writer, collection, key)
    const target = raw && { key, raw, doc: undefined }
    const isMatch = target !== undefined && matches!(target)
    if (isMatch) apply(target)
    found.next += 1
    if (!isMatch && query.limit === 1) return eachTarget(context, writer, collection, query, Object.assign(search, { found: undefined }), apply)
  }
  return found.keys.length > 0
}

function keysOf(targets: readonly Found[]): KeyList {
  const keys = new KeyList()
  for (const { key } of targets) keys.add(key)
  return keys
}

/** The documents of a search that is over within a slice. */
function findInOneStep(context: Context, writer: Writer, collection: Collection, query: Query, canPause: boolean): Found[] | undefined {
  const targets: Found[] = []
  const isOver = sliceOf(writer)
  for (const found of runQuery(viewOf(writer.storage, writer.txn), collection, query)) {
    if (found === tick) {
      checkDeadline(context.deadline)
      if (canPause && isOver()) return undefined
    } else if (canPause && targets.length === maxInOneStep) return undefined
    else targets.push(found)
  }
  return targets
}

async function findInSlices(context: Context, { storage, txn }: Writer, collection: Collection, query: Query, search: Search): Promise<void> {
  const keys = new KeyList()
  // One state for the whole search: what moves in an index meanwhile would be found twice.
  const snapshot = txn ? undefined : storage.snapshot()
  try {
    const view = snapshot ? { storage, snapshot } : viewOf(storage, txn)
    await eachInSlices(runQuery(view, collection, query), context.deadline, found => keys.add(found.key))
    search.found = { keys, next: 0 }
  } catch (error) {
    search.error = error
  } finally {
    snapshot?.release()
  }
}
