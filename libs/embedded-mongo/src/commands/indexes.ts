import { setTimeout as delay } from 'node:timers/promises'
import { encode } from '../bson/raw.ts'
import { type Command, type Context, collectionName, findCollection, optionalCount, optionalDoc, optionalDocs } from '../engine/context.ts'
import { type Build, buildIndexes, buildSlice, isSmall, makeReady } from '../index/build.ts'
import { sameKey } from '../index/plan.ts'
import { checkDeadline } from '../sessions/deadline.ts'
import { type Collection, namespaceOf } from '../storage/catalog.ts'
import { type Index, idIndexSpec, indexFrom, normalizeSpec } from '../storage/index-spec.ts'
import { fail } from '../values/errors.ts'
import { equal } from '../values/order.ts'
import { type Doc, isDoc, isTruthy } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { Pause, sliceOf } from '../write/pause.ts'
import { ensureCollection, existing, noteCollection, runWrite } from '../write/run.ts'
import type { Writer } from '../write/write.ts'
import { answerWithCursor } from './find.ts'

const maxIndexes = 64
/** How often a build of somebody else is checked. */
const waitMs = 20

export const createIndexes: Command = {
  run: async context => {
    const name = collectionName(context)
    const given = optionalDocs(context.body, 'indexes') ?? fail(40414, "BSON field 'createIndexes.indexes' is missing but a required field")
    if (given.length === 0) fail(2, 'Must specify at least one index to create')
    const specs = given.filter(spec => !isIdIndex(spec)).map(normalizeSpec)
    let made: Index[] = []
    let isNew = false
    let before = 0
    let building: (Build & { collection: Collection }) | undefined
    const created = (writer: Writer, collection: Collection) => {
      if (made.length > 0 && !writer.txn) noteCollection(writer, 'createIndexes', collection, { indexes: made.map(({ spec }) => spec) })
      const numbers = { numIndexesBefore: before, numIndexesAfter: before + made.length, createdCollectionAutomatically: isNew }
      return okReply(made.length > 0 ? numbers : { ...numbers, note: 'all indexes already exist' })
    }
    const reply = await runWrite(context, writer => {
      if (!building) {
        isNew ||= writer.catalog.find(context.db, name, writer.txn) === undefined
        const collection = isNew ? ensureCollection(writer, context.db, name) : existing(writer, context.db, name)!
        before = collection.indexes.length + 1
        const placed = specs.map(spec => inCollationOf(collection, spec))
        if (collection.series && placed.some(spec => isTruthy(spec.unique))) fail(72, 'Unique indexes are not supported on time-series collections')
        made = wantedIndexes(writer, collection, placed)
        if (made.length > 0 && !writer.txn && !isSmall(writer.storage, collection)) {
          writer.catalog.startBuild(collection, made)
          building = { collection, indexes: made, after: undefined }
          throw new Pause()
        }
        addIndexes(writer, collection, made)
        return created(writer, collection)
      }
      continueBuild(context, writer, name, building)
      return created(writer, building.collection)
    })
    // Until the commit is on disk, queries cannot see the entries.
    makeReady(context.engine.storage, made)
    return reply
  },
  fields: new Set(['indexes', 'commitQuorum', 'ignoreUnknownIndexOptions']),
  inTransaction: true,
}

export const dropIndexes: Command = {
  run: context => {
    const name = collectionName(context)
    return runWrite(context, writer => {
      const collection = existing(writer, context.db, name)
      if (!collection) return fail(26, `ns not found ${context.db}.${name}`)
      const count = collection.indexes.length + 1
      const chosen = chosenIndexes(collection, context.body.index)
      writer.catalog.dropIndexes(collection, chosen)
      noteCollection(writer, 'dropIndexes', collection, { indexes: chosen.map(({ spec }) => spec) })
      return okReply({ nIndexesWas: count })
    })
  },
  fields: new Set(['index']),
}

export const listIndexes: Command = {
  run: context => {
    const name = collectionName(context)
    const collection = findCollection(context, name) ?? fail(26, `ns does not exist: ${context.db}.${name}`)
    const { clusteredIndex } = collection.options
    const first = collection.series ? [] : [isDoc(clusteredIndex) ? { ...clusteredIndex, clustered: true } : idIndexSpec]
    const listed = [...first, ...collection.indexes.map(index => index.spec)].map(encode)
    const cursor = optionalDoc(context.body, 'cursor') ?? {}
    return answerWithCursor(
      context,
      namespaceOf(collection),
      listed.values(),
      optionalCount(cursor, 'batchSize') ?? Number.POSITIVE_INFINITY,
      false,
      { isReached: false },
    )
  },
  fields: new Set(['cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo']),
}

/** The indexes that are not there yet. One that somebody else is building is waited for. */
function wantedIndexes(writer: Writer, collection: Collection, specs: readonly Doc[]): Index[] {
  if (specs.some(spec => collection.building.some(index => isSame(index, spec)))) throw new Pause(() => delay(waitMs))
  const wanted: Index[] = []
  for (const spec of specs) {
    if ([...collection.indexes, ...wanted].some(index => isSame(index, spec))) continue
    wanted.push(indexFrom(writer.catalog.nextId(), spec))
  }
  if (wanted.length === 0) return wanted
  const count = collection.indexes.length + collection.building.length + wanted.length + 1
  if (count > maxIndexes) fail(67, `add index fails, too many indexes for ${namespaceOf(collection)}`)
  if (writer.txn && !writer.txn.created.has(collection))
    fail(263, 'Cannot create new indexes on existing collections in a multi-document transaction')
  if (writer.txn?.changes.get(collection.id)?.size) fail(263, 'Cannot create new indexes on non-empty collections in a multi-document transaction')
  return wanted
}

function addIndexes(writer: Writer, collection: Collection, wanted: readonly Index[]): void {
  if (wanted.length === 0) return
  if (!writer.txn) buildIndexes(writer.storage, collection, wanted)
  collection.indexes.push(...wanted)
  if (!writer.txn) writer.catalog.save(collection)
}

/** Puts the entries of the next slice; returns when all are there, and throws `Pause` before. A build that fails leaves nothing to be seen. */
export function continueBuild(context: Context, writer: Writer, name: string, build: Build & { collection: Collection }): void {
  const { collection, indexes } = build
  try {
    if (writer.catalog.find(context.db, name) !== collection) fail(276, `Index build failed: ${namespaceOf(collection)} was dropped or renamed`)
    checkDeadline(context.deadline)
    if (!buildSlice(writer.storage, collection, build, sliceOf(writer))) throw new Pause()
    writer.catalog.finishBuild(collection, indexes)
  } catch (error) {
    if (!(error instanceof Pause)) writer.catalog.abortBuild(collection, indexes)
    throw error
  }
}

/** An index without a collation of its own has that of its collection. */
function inCollationOf({ options }: Collection, spec: Doc): Doc {
  return options.collation === undefined || spec.collation !== undefined ? spec : normalizeSpec({ ...spec, collation: options.collation })
}

/** True for an index that is there already; throws 85 or 86 for one that only shares its name or its key. */
function isSame(index: Index, spec: Doc): boolean {
  const isSameKey = sameKey(index.spec.key as Doc, spec.key as Doc)
  const isSameName = index.name === spec.name
  if (!isSameKey && !isSameName) return false
  const isEqual = isSameKey && equal(optionsOf(index.spec), optionsOf(spec))
  if (isSameName && isEqual) return true
  if (isSameName)
    return fail(
      86,
      `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(index.spec)}`,
    )
  if (isEqual) return fail(85, `Index already exists with a different name: ${index.name}`)
  // The same key may be indexed twice if the indexes hold different documents.
  if (
    !equal(index.spec.partialFilterExpression, spec.partialFilterExpression) ||
    !equal(index.spec.collation, spec.collation) ||
    index.isSparse !== isTruthy(spec.sparse) ||
    index.isUnique !== isTruthy(spec.unique)
  )
    return false
  return fail(
    85,
    `An equivalent index already exists with a different name and options. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(index.spec)}`,
  )
}

function optionsOf(spec: Doc): Doc {
  const { v: _version, key: _key, name: _name, background: _background, ...options } = spec
  return Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function isIdIndex(spec: Doc): boolean {
  return (
    isDoc(spec.key) &&
    sameKey(spec.key, idIndexSpec.key as Doc) &&
    Object.keys(spec).every(field => ['key', 'name', 'v', 'unique', 'background', 'ns'].includes(field))
  )
}

function ambiguous(found: readonly Index[]): string {
  const conflicting = found.map(({ spec }) => JSON.stringify(spec)).join(',')
  return `${found.length} indexes found for key: ${JSON.stringify(found[0]!.spec.key)}, identify by name instead. Conflicting indexes: ${conflicting}`
}

function chosenIndexes(collection: Collection, chosen: unknown): Index[] {
  if (chosen === '*') return collection.indexes
  if (Array.isArray(chosen)) return chosen.flatMap(name => chosenIndexes(collection, name))
  const isId = chosen === '_id_' || (isDoc(chosen) && sameKey(chosen, idIndexSpec.key as Doc))
  if (isId) fail(72, 'cannot drop _id index')
  const found = collection.indexes.filter(index => (isDoc(chosen) ? sameKey(index.spec.key as Doc, chosen) : index.name === chosen))
  if (found.length === 0)
    return fail(27, isDoc(chosen) ? `can't find index with key: ${JSON.stringify(chosen)}` : `index not found with name [${String(chosen)}]`)
  if (found.length > 1) return fail(181, ambiguous(found))
  return found
}
