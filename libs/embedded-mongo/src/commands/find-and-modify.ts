import { type Command, type Context, collectionName, findCollection, flag, optionalDoc, variables } from '../engine/context.ts'
import { compileProjection } from '../query/project.ts'
import { docOf, type Found } from '../read/found.ts'
import type { Collection } from '../storage/catalog.ts'
import { checkCollatedUpdate, collationOf } from '../values/collation.ts'
import { fail } from '../values/errors.ts'
import { parseSort } from '../values/sort-keys.ts'
import type { Doc } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { ensureCollection, runWrite } from '../write/run.ts'
import { applyTo, insertUpsert, parseUpdate, updater } from '../write/statements.ts'
import { eachTarget, type Search } from '../write/targets.ts'
import { deleteDocument, type Writer } from '../write/write.ts'

interface Outcome {
  lastErrorObject: Doc
  value: Doc | null
  hasWritten: boolean
}

export const findAndModify: Command = {
  run: async context => {
    const { body } = context
    const name = collectionName(context)
    const isRemove = flag(body, 'remove')
    if (isRemove && body.update !== undefined) fail(9, 'Cannot specify both an update and remove=true')
    if (!isRemove && body.update === undefined) fail(9, 'Either an update or remove=true must be specified')
    if (isRemove && flag(body, 'upsert')) fail(9, 'Cannot specify both upsert=true and remove=true')
    if (isRemove && flag(body, 'new')) fail(9, "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document")
    checkCollatedUpdate(body.update, body.arrayFilters, collationOf(findCollection(context, name), body.collation))
    const fields = optionalDoc(body, 'fields')
    const filter = optionalDoc(body, 'query') ?? {}
    let hasWritten = false
    const search: Search = {}
    // A bad projection is refused before anything is written.
    const shape = fields && compileProjection(fields, filter)
    return runWrite(
      context,
      writer => {
        const outcome = modify(context, { ...writer, bypassValidation: flag(body, 'bypassDocumentValidation') }, name, filter, isRemove, search)
        hasWritten = outcome.hasWritten
        const value = outcome.value && shape ? shape(outcome.value) : outcome.value
        return okReply({ lastErrorObject: outcome.lastErrorObject, value })
      },
      { hasWritten: () => hasWritten, toDoc: () => ({}) },
    )
  },
  fields: new Set([
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'upsert',
    'bypassDocumentValidation',
    'bypassEmptyTsReplacement',
    'collation',
    'arrayFilters',
    'hint',
    'let',
  ]),
  inTransaction: true,
  isRetryable: true,
}

function modify(context: Context, writer: Writer, name: string, filter: Doc, isRemove: boolean, search: Search): Outcome {
  const { body } = context
  const modified = modifyFound(context, writer, name, filter, isRemove, search)
  if (modified) return modified
  if (isRemove) return { lastErrorObject: { n: 0 }, value: null, hasWritten: false }
  const update = parseUpdate(body.update)
  if (!flag(body, 'upsert')) {
    updater(context, body, filter, update)
    return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, hasWritten: false }
  }
  const inserted = insertUpsert(context, writer, ensureCollection(writer, context.db, name), body, filter, update)
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: inserted._id },
    value: flag(body, 'new') ? inserted : null,
    hasWritten: true,
  }
}

/** Undefined when no document is found. The change is a part of the search: one that has to wait for a lock is tried again. */
function modifyFound(context: Context, writer: Writer, name: string, filter: Doc, isRemove: boolean, search: Search): Outcome | undefined {
  const { body } = context
  const collection = writer.catalog.find(context.db, name, writer.txn)
  const sort = parseSort(optionalDoc(body, 'sort'))
  if (!collection) return undefined
  const query = { filter, sort, limit: 1, hint: body.hint, vars: variables(context), collation: collationOf(collection, body.collation) }
  let outcome: Outcome | undefined
  eachTarget(context, writer, collection, query, search, target => {
    outcome = isRemove ? removed(writer, collection, target) : updated(context, writer, collection, filter, target)
  })
  return outcome
}

function removed(writer: Writer, collection: Collection, target: Found): Outcome {
  deleteDocument(writer, collection, target.key, target)
  return { lastErrorObject: { n: 1 }, value: docOf(target), hasWritten: true }
}

function updated(context: Context, writer: Writer, collection: Collection, filter: Doc, target: Found): Outcome {
  const { body } = context
  const before = docOf(target)
  const after = applyTo(writer, collection, target, updater(context, body, filter, parseUpdate(body.update)))
  const value = flag(body, 'new') ? (after ?? before) : before
  return { lastErrorObject: { n: 1, updatedExisting: true }, value, hasWritten: after !== undefined }
}
