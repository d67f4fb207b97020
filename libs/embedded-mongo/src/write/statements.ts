import { ObjectId } from 'bson'
import { type Context, flag, optionalDoc, optionalDocs, variables } from '../engine/context.ts'
import { docOf, type Found } from '../read/found.ts'
import type { Query } from '../read/read.ts'
import type { Collection } from '../storage/catalog.ts'
import { compileUpdate, isReplacement, type Updated, upsertSeed } from '../update/update.ts'
import { checkCollatedUpdate, collationOf } from '../values/collation.ts'
import { fail } from '../values/errors.ts'
import { parseSort } from '../values/sort-keys.ts'
import { asInteger, type Doc, getOwn, isDoc, isNumeric, typeName } from '../values/values.ts'
import { withTimestamps } from './empty-timestamps.ts'
import { ensureCollection } from './run.ts'
import { eachTarget, type Search } from './targets.ts'
import { deleteDocument, encodeVersion, insertDocument, replaceDocument, type Writer } from './write.ts'

export interface StatementResult {
  n: number
  nModified: number
  /** The _id of the document that an upsert has inserted. */
  upserted?: unknown
}

/** The documents that a statement has treated before it had to wait for a lock, or for its next slice. */
export type Done = { keys: Set<string>; result: StatementResult; search: Search }

export type Update = Doc | readonly Doc[]

const updateFields = new Set(['q', 'u', 'c', 'multi', 'upsert', 'arrayFilters', 'hint', 'collation', 'sort', 'sampleId'])
const deleteFields = new Set(['q', 'limit', 'hint', 'collation', 'sampleId'])

/** One element of `updates`. */
export function updateStatement(context: Context, writer: Writer, name: string, statement: Doc, done: Done): StatementResult {
  checkStatement('update.updates', statement, updateFields)
  const filter = optionalDoc(statement, 'q') ?? fail(40414, "BSON field 'update.updates.q' is missing but a required field")
  const update = parseUpdate(statement.u)
  const isMulti = flag(statement, 'multi')
  if (isMulti && isReplacement(update)) fail(9, 'multi update is not supported for replacement-style update')
  if (isMulti && statement.sort !== undefined) fail(9, 'Cannot specify sort with multi=true')
  const collection = writer.catalog.find(context.db, name, writer.txn)
  checkCollatedUpdate(statement.u, statement.arrayFilters, collationOf(collection, statement.collation))
  const change = updater(context, statement, filter, update)
  const { result } = done
  const isFound =
    collection !== undefined &&
    eachTarget(context, writer, collection, queryOf(context, collection, statement, filter, isMulti), done.search, target =>
      once(done, target, () => {
        const isChanged = applyTo(writer, collection, target, change) !== undefined
        result.n += 1
        if (isChanged) result.nModified += 1
      }),
    )
  if (isFound || !flag(statement, 'upsert')) return result
  const doc = insertUpsert(context, writer, ensureCollection(writer, context.db, name), statement, filter, update)
  return { n: 1, nModified: 0, upserted: doc._id }
}

/** One element of `deletes`. */
export function deleteStatement(context: Context, writer: Writer, name: string, statement: Doc, done: Done): StatementResult {
  checkStatement('delete.deletes', statement, deleteFields)
  const filter = optionalDoc(statement, 'q') ?? fail(40414, "BSON field 'delete.deletes.q' is missing but a required field")
  const limit = isNumeric(statement.limit) ? asInteger(statement.limit) : undefined
  if (limit !== 0 && limit !== 1) return fail(9, `The limit field in delete objects must be 0 or 1. Got ${String(statement.limit)}`)
  const collection = writer.catalog.find(context.db, name, writer.txn)
  if (!collection) return { n: 0, nModified: 0 }
  eachTarget(context, writer, collection, queryOf(context, collection, statement, filter, limit === 0), done.search, target =>
    once(done, target, () => {
      deleteDocument(writer, collection, target.key, target)
      done.result.n += 1
    }),
  )
  return done.result
}

/** An update document or pipeline out of a command. */
export function parseUpdate(update: unknown): Update {
  if (Array.isArray(update)) return update.map(stage => (isDoc(stage) ? stage : fail(14, 'Each element of the pipeline array must be an object')))
  return isDoc(update) ? update : fail(9, `Update argument must be either an object or an array, got ${typeName(update)}`)
}

/** Compiles the update of a statement; what it gives is the new version of a document. */
export function updater(context: Context, statement: Doc, filter: Doc, update: Update, isUpsertInsert = false): (doc: Doc) => Updated {
  const constants = optionalDoc(statement, 'c')
  const vars = { ...variables(context), ...constants }
  const meant = isReplacement(update) ? withTimestamps(context, update as Doc) : update
  return compileUpdate(meant, { arrayFilters: optionalDocs(statement, 'arrayFilters'), filter, isUpsertInsert, vars, now: context.now })
}

/** Stores the changed version; undefined when the update changes nothing. */
export function applyTo(writer: Writer, collection: Collection, target: Found, change: (doc: Doc) => Updated): Doc | undefined {
  const { doc, changed, isReplacement } = change(docOf(target))
  if (!changed) return undefined
  replaceDocument(writer, collection, target.key, target, encodeVersion(doc, isReplacement))
  return doc
}

/** Inserts the document of an upsert that has found nothing. */
export function insertUpsert(context: Context, writer: Writer, collection: Collection, statement: Doc, filter: Doc, update: Update): Doc {
  const seed = upsertSeed(filter, update)
  const { doc } = updater(context, statement, filter, update, true)(seed)
  const id = Object.hasOwn(doc, '_id') ? doc._id : (getOwn(seed, '_id') ?? new ObjectId())
  const { _id: _placed, ...rest } = doc
  const inserted = withTimestamps(context, { _id: id, ...rest })
  insertDocument(writer, collection, encodeVersion(inserted).raw)
  return inserted
}

function queryOf(context: Context, collection: Collection, statement: Doc, filter: Doc, isMulti: boolean): Query {
  const vars = { ...variables(context), ...optionalDoc(statement, 'c') }
  const sort = parseSort(optionalDoc(statement, 'sort'))
  return { filter, sort, hint: statement.hint, vars, collation: collationOf(collection, statement.collation), limit: isMulti ? 0 : 1 }
}

/** A search that was finished knows by itself what was treated since; one that is made again after a wait finds what was treated before, too. */
function once({ search, keys }: Done, { key }: Found, treat: () => void): void {
  const text = search.found && keys.size === 0 ? undefined : key.toString('latin1')
  if (text !== undefined && keys.has(text)) return
  treat()
  if (text !== undefined && !search.found) keys.add(text)
}

function checkStatement(place: string, statement: Doc, fields: ReadonlySet<string>): void {
  for (const field of Object.keys(statement)) if (!fields.has(field)) fail(40415, `BSON field '${place}.${field}' is an unknown field.`)
}
