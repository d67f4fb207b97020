import type { OutMode, Target } from '../aggregate/sink.ts'
import { decode, encode, withIdFirst } from '../bson/raw.ts'
import { type Context, flag } from '../engine/context.ts'
import { requireCollection } from '../engine/views.ts'
import { docOf, type Found } from '../read/found.ts'
import { runQuery, withinDeadline } from '../read/read.ts'
import { refuseCapped } from '../storage/capped.ts'
import { type Collection, checkNamespace, compileValidator } from '../storage/catalog.ts'
import { indexFrom } from '../storage/index-spec.ts'
import { viewOf } from '../storage/txn.ts'
import { fail } from '../values/errors.ts'
import { equal } from '../values/order.ts'
import { type Doc, getOwn } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { deleteSlice } from '../write/garbage.ts'
import { Pause, sliceOf } from '../write/pause.ts'
import { ensureCollection, existing, noteRename, runWrite } from '../write/run.ts'
import { encodeVersion, insertDocument, replaceDocument, type Writer } from '../write/write.ts'

/** Writes what a pipeline ends with: `$out` puts it in the place of a collection, `$merge` into one. */
export async function writeOutput(context: Context, target: Target, docs: readonly Doc[], mode: OutMode): Promise<void> {
  const db = target.db ?? context.db
  checkNamespace(db, target.collection)
  if (context.txn) fail(263, `${mode.kind === 'replace' ? '$out' : '$merge'} cannot be used in a transaction`)
  const bypassValidation = flag(context.body, 'bypassDocumentValidation')
  const progress: Progress = { next: 0, fresh: undefined }
  await runWrite(context, engine => {
    const writer = { ...engine, bypassValidation }
    if (mode.kind === 'replace') replaceCollection(context, writer, db, target.collection, docs, progress)
    else {
      const collection = ensureCollection(writer, db, target.collection)
      checkJoinFields(collection, mode.on)
      inSlices(writer, docs, progress, doc => mergeOne(context, writer, collection, doc, mode))
    }
    return okReply()
  })
}

type Progress = { next: number; fresh: Collection | undefined }

/** Names of collections that become the output of `$out` when they are complete; what a crash leaves of them is dropped at the next start. */
export const unfinishedPrefix = 'tmp.agg_out.'

function inSlices(writer: Writer, docs: readonly Doc[], progress: Progress, write: (doc: Doc) => void): void {
  const isOver = sliceOf(writer)
  while (progress.next < docs.length) {
    write(docs[progress.next]!)
    progress.next += 1
    if (isOver() && progress.next < docs.length) throw new Pause()
  }
}

/** The new documents go into a new collection, which is then renamed: either all of it happens or nothing. */
function replaceCollection(context: Context, writer: Writer, db: string, name: string, docs: readonly Doc[], progress: Progress): void {
  try {
    progress.fresh ??= emptyLike(writer, db, existing(writer, db, name))
    const { fresh } = progress
    inSlices(writer, docs, progress, doc => insertDocument(writer, fresh, withIdFirst(encode(doc))))
    const old = existing(writer, db, name)
    if (old) discard(context, writer, old)
    const from = fresh.name
    writer.catalog.rename(fresh, db, name)
    noteRename(writer, fresh, db, from, old)
  } catch (error) {
    if (!(error instanceof Pause) && progress.fresh) discard(context, writer, progress.fresh)
    throw error
  }
}

/** A new collection with the options and indexes of the old one. */
function emptyLike(writer: Writer, db: string, old: Collection | undefined): Collection {
  if (old) requireCollection(old)
  if (old) refuseCapped(old, 'replacing by $out')
  const fresh = writer.catalog.create(db, `${unfinishedPrefix}${writer.catalog.nextId()}`, old?.options ?? {})
  compileValidator(fresh)
  fresh.indexes = (old?.indexes ?? []).map(index => ({ ...indexFrom(writer.catalog.nextId(), index.spec), isReady: true }))
  writer.catalog.save(fresh)
  return fresh
}

function discard(context: Context, writer: Writer, collection: Collection): void {
  writer.catalog.drop(collection)
  deleteSlice(context.engine, { kind: 'docs', id: collection.id })
  for (const { id } of collection.indexes) deleteSlice(context.engine, { kind: 'index', id })
}

function checkJoinFields(collection: Collection, on: readonly string[]): void {
  if (on.length === 1 && on[0] === '_id') return
  const isUnique = collection.indexes.some(
    ({ isUnique, fields, partial }) => isUnique && !partial && fields.length === on.length && fields.every(({ path }) => on.includes(path)),
  )
  if (!isUnique) fail(51183, 'Cannot find index to verify that join fields will be unique')
}

function mergeOne(context: Context, writer: Writer, collection: Collection, given: Doc, mode: Extract<OutMode, { kind: 'merge' }>): void {
  const raw = withIdFirst(encode(given))
  const doc = decode(raw)
  const filter = Object.fromEntries(
    mode.on.map(path => [
      path,
      { $eq: valueAt(doc, path) ?? fail(51132, `$merge write error: 'on' field '${path}' cannot be missing, null, undefined or an array`) },
    ]),
  )
  const [match] = withinDeadline(runQuery(viewOf(writer.storage, undefined), collection, { filter, limit: 1 }), context.deadline)
  if (!match) {
    if (mode.whenNotMatched === 'fail')
      fail(13113, '$merge could not find a matching document in the target collection for at least one document in the source collection')
    if (mode.whenNotMatched === 'insert') insertDocument(writer, collection, raw)
    return
  }
  if (mode.whenMatched === 'keepExisting') return
  if (mode.whenMatched === 'fail') insertDocument(writer, collection, raw)
  else replaceMatch(writer, collection, match, mode.whenMatched === 'replace' ? doc : mode.whenMatched(docOf(match), doc))
}

function replaceMatch(writer: Writer, collection: Collection, match: Found, doc: Doc): void {
  const before = docOf(match)
  if (Object.hasOwn(doc, '_id') && !equal(doc._id, before._id))
    fail(
      66,
      "$merge failed to update the matching document, did you attempt to modify the _id or the shard key? :: caused by :: Performing an update on the path '_id' would modify the immutable field '_id'",
    )
  const { _id: _given, ...rest } = doc
  replaceDocument(writer, collection, match.key, match, encodeVersion({ _id: before._id, ...rest }, true))
}

function valueAt(doc: Doc, path: string): unknown {
  let value: unknown = doc
  for (const part of path.split('.'))
    value = typeof value === 'object' && value !== null && !Array.isArray(value) ? getOwn(value as Doc, part) : undefined
  return Array.isArray(value) ? undefined : value
}
