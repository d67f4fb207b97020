import type { Context } from '../engine/context.ts'
import { type Build, buildIndexes, type DuplicateSearch, isCutShort, isSmall, newSearch, searchSlice } from '../index/build.ts'
import { sameKey } from '../index/plan.ts'
import { checkDeadline } from '../sessions/deadline.ts'
import { type Collection, namespaceOf } from '../storage/catalog.ts'
import { type Index, indexFrom, normalizeSpec } from '../storage/index-spec.ts'
import { fail, MongoError } from '../values/errors.ts'
import { type Doc, isDoc, isNumeric, isTruthy } from '../values/values.ts'
import { Pause, sliceOf } from '../write/pause.ts'
import type { Writer } from '../write/write.ts'
import { continueBuild } from './indexes.ts'

/** How far the change of one index has come: it becomes unique in slices. */
export interface IndexChange {
  /** whether it only says if the index could become unique */
  readonly isTrial: boolean
  /** the index that is changed */
  index?: Index
  /** the unique index that replaces it; queries do not see it before the commit */
  made?: Index
  build?: Build & { collection: Collection }
  search?: DuplicateSearch
}

/**
 * `collMod` of one index: its expiry, whether the planner sees it, whether it is unique. Returns the fields of the reply.
 * @throws Pause between the slices of a build, MongoError 27 for no such index, 359 for documents that the unique index cannot have
 */
export function modifyIndex(context: Context, writer: Writer, collection: Collection, change: Doc, progress: IndexChange): Doc {
  progress.index ??= chosenIndex(collection, change)
  const { index } = progress
  const { keyPattern: _pattern, name: _name, ...changes } = change
  for (const option of Object.keys(changes))
    if (!['expireAfterSeconds', 'hidden', 'unique', 'prepareUnique'].includes(option))
      fail(40415, `BSON field 'collMod.index.${option}' is an unknown field.`)
  const reply: Doc = {}
  if (progress.isTrial && index.isUnique) return reply
  const spec = normalizeSpec({ ...index.spec, ...changes })
  if (isTruthy(changes.unique) && !index.isUnique) {
    makeUnique(context, writer, collection, spec, progress)
    reply.unique_new = true
  } else
    collection.indexes.splice(collection.indexes.indexOf(index), 1, {
      ...indexFrom(index.id, spec),
      isReady: true,
      notIn: index.notIn,
      multikey: index.multikey,
      isInexact: index.isInexact,
    })
  if (isNumeric(changes.expireAfterSeconds))
    Object.assign(reply, index.expireAfterSeconds === undefined ? {} : { expireAfterSeconds_old: index.spec.expireAfterSeconds }, {
      expireAfterSeconds_new: changes.expireAfterSeconds,
    })
  if (changes.hidden !== undefined) Object.assign(reply, { hidden_old: index.isHidden, hidden_new: isTruthy(changes.hidden) })
  return reply
}

function chosenIndex(collection: Collection, { keyPattern, name }: Doc): Index {
  return (
    collection.indexes.find(candidate => (isDoc(keyPattern) ? sameKey(candidate.spec.key as Doc, keyPattern) : candidate.name === name)) ??
    fail(27, `cannot find index ${String(name ?? JSON.stringify(keyPattern))} for ns ${namespaceOf(collection)}`)
  )
}

/** Builds the unique index while the other is still used, then replaces it. A duplicate ends the build; the refusal names all of them. */
function makeUnique(context: Context, writer: Writer, collection: Collection, spec: Doc, progress: IndexChange): void {
  const index = progress.index!
  if (progress.isTrial) progress.search ??= newSearch(index)
  if (progress.search) {
    continueSearch(context, writer, collection, progress.search, progress)
    return
  }
  progress.made ??= { ...indexFrom(writer.catalog.nextId(), spec), isReady: false, multikey: [...index.multikey], isInexact: index.isInexact }
  const { made } = progress
  try {
    if (progress.build) {
      const isThere = collection.indexes.includes(index)
      if (!isThere) writer.catalog.abortBuild(collection, [made])
      if (!isThere) fail(276, `Index build failed: the index ${index.name} was dropped or changed`)
      continueBuild(context, writer, collection.name, progress.build)
    } else if (isSmall(writer.storage, collection)) {
      buildIndexes(writer.storage, collection, [made])
      collection.indexes.push(made)
    } else {
      writer.catalog.startBuild(collection, [made])
      progress.build = { collection, indexes: [made], after: undefined }
      throw new Pause()
    }
  } catch (error) {
    if (!(error instanceof MongoError && error.code === 11000)) throw error
    progress.search = newSearch(index)
    throw new Pause()
  }
  writer.catalog.dropIndexes(collection, [index])
}

function continueSearch({ deadline }: Context, writer: Writer, collection: Collection, search: DuplicateSearch, progress: IndexChange): void {
  checkDeadline(deadline)
  if (!collection.indexes.includes(search.index)) fail(276, `The index ${search.index.name} was dropped or changed`)
  if (!searchSlice(writer.storage, search, sliceOf(writer))) throw new Pause()
  const { violations } = search
  if (isCutShort(search))
    fail(359, 'Cannot convert the index to unique. Too many conflicting documents were detected. Please resolve them and rerun collMod.', {
      violations,
    })
  if (violations.length > 0)
    fail(359, 'Cannot convert the index to unique. Please resolve conflicting documents before running collMod again.', { violations })
  if (progress.isTrial) return
  // The duplicates were deleted meanwhile.
  for (const part of ['made', 'build', 'search'] as const) delete progress[part]
  throw new Pause()
}
