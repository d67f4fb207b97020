import { compileStages } from '../aggregate/compile-stages.ts'
import { scopeWith } from '../expressions/core.ts'
import { type Collection, namespaceOf } from '../storage/catalog.ts'
import { fail } from '../values/errors.ts'
import { asNumber, type Doc, isDoc, isNumeric } from '../values/values.ts'
import { type Context, findCollection, optionalCount, optionalDoc } from './context.ts'

/** A collection and what a view makes of its documents. */
export interface ViewTarget {
  name: string
  pipeline: readonly Doc[]
}

const maxDepth = 20
const nothing: readonly Doc[] = []
/** Commands that a view answers; the others want a collection. */
const viewCommands = new Set(['find', 'aggregate', 'count', 'distinct', 'drop', 'create', 'collMod', 'explain'])

export function isView({ options }: Collection): boolean {
  return typeof options.viewOn === 'string'
}

/** The collection under a view, also under views on views; a collection is its own. Throws 165 when views form a circle. */
export function resolveView(context: Context, name: string): ViewTarget {
  if (!context.engine.catalog.hasViews()) return { name, pipeline: nothing }
  let pipeline = nothing
  let current = name
  for (let depth = 0; depth <= maxDepth; depth++) {
    const collection = findCollection(context, current)
    if (!collection || !isView(collection)) return { name: current, pipeline }
    pipeline = [...(collection.options.pipeline as readonly Doc[]), ...pipeline]
    current = String(collection.options.viewOn)
  }
  return fail(165, `View depth too deep or view cycle detected; maximum depth is ${maxDepth}`)
}

/** Refuses with 166 a command that cannot be run on a view. */
export function refuseView({ engine, name, db, body, txn }: Context): void {
  const target = body[name]
  if (typeof target !== 'string' || viewCommands.has(name)) return
  const collection = engine.catalog.find(db, target, txn)
  if (collection) requireCollection(collection)
}

export function requireCollection(collection: Collection): void {
  if (isView(collection)) fail(166, `Namespace ${namespaceOf(collection)} is a view, not a collection`)
}

/** The stages that do the work of the fields of `find`, `count` and `distinct`. */
export function queryStages(body: Doc): Doc[] {
  const stages: Doc[] = [{ $match: optionalDoc(body, 'filter') ?? optionalDoc(body, 'query') ?? {} }]
  const sort = optionalDoc(body, 'sort')
  const skip = optionalCount(body, 'skip')
  const limit = isNumeric(body.limit) ? Math.abs(asNumber(body.limit)) : 0
  if (sort && Object.keys(sort).length > 0) stages.push({ $sort: sort })
  if (skip) stages.push({ $skip: skip })
  if (limit) stages.push({ $limit: limit })
  return stages
}

/** The options `viewOn` and `pipeline`, checked. */
export function viewOptions(viewOn: unknown, pipeline: unknown): Doc {
  if (typeof viewOn !== 'string' || viewOn === '') return fail(2, "'viewOn' cannot be empty")
  if (pipeline !== undefined && !(Array.isArray(pipeline) && pipeline.every(isDoc)))
    return fail(14, "BSON field 'create.pipeline' is the wrong type, expected type 'array'")
  const stages = pipeline ?? []
  const now = new Date()
  compileStages(stages, { env: { now, lookup: () => [] }, scope: scopeWith(now) }, 'inner')
  return { viewOn, pipeline: stages }
}
