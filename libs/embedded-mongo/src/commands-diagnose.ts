import { EJSON } from 'bson'
import { decode } from './bson-raw.ts'
import { type Collection, namespaceOf } from './catalog.ts'
import { measure, storageStatistics } from './collection-stats.ts'
import { serverVersion } from './commands-server.ts'
import { analyzeFilter } from './conjuncts.ts'
import { type Command, collectionName, findCollection, optionalDoc, optionalDocs } from './context.ts'
import { fail } from './errors.ts'
import { keysOf } from './index-keys.ts'
import type { Index } from './index-spec.ts'
import { entryKeyOf, wholeRange } from './keyspace.ts'
import { planQuery } from './plan.ts'
import { parseSort } from './query-sort.ts'
import { checkDeadline, runQuery, tick } from './read.ts'
import { okReply } from './reply.ts'
import { viewOf } from './txn.ts'
import { asNumber, type Doc, isDoc, isNumeric } from './values.ts'
import { isView, queryStages, resolveView, type ViewTarget } from './views.ts'

export const collStats: Command = {
  run: context => {
    const name = collectionName(context)
    const scale = isNumeric(context.body.scale) ? asNumber(context.body.scale) : 1
    return okReply({ ns: `${context.db}.${name}`, ...storageStatistics(context, findCollection(context, name), scale) })
  },
  fields: undefined,
}

export const dbStats: Command = {
  run: context => {
    const listed = context.engine.catalog.collections(context.db)
    const collections = listed.filter(collection => !isView(collection))
    const measured = collections.map(collection => measure(context, collection))
    const objects = measured.reduce((sum, { count }) => sum + count, 0)
    const dataSize = measured.reduce((sum, { size }) => sum + size, 0)
    const indexes = collections.reduce((sum, collection) => sum + collection.indexes.length + 1, 0)
    return okReply({
      db: context.db,
      collections: collections.length,
      views: listed.length - collections.length,
      objects,
      avgObjSize: objects > 0 ? dataSize / objects : 0,
      dataSize,
      storageSize: dataSize,
      indexes,
      indexSize: 0,
      totalSize: dataSize,
      scaleFactor: 1,
    })
  },
  fields: undefined,
}

/** Compares every index with the documents, both ways. */
export const validate: Command = {
  run: context => {
    const name = collectionName(context)
    const collection = findCollection(context, name)
    if (!collection) return fail(26, `Collection '${context.db}.${name}' does not exist to validate.`)
    const { storage } = context.engine
    const errors: string[] = []
    const keysPerIndex: Doc = { _id_: storage.docs.count(wholeRange(collection.id)) }
    for (const index of collection.indexes) {
      let expected = 0
      for (const { key, value } of storage.docs.scan(wholeRange(collection.id))) {
        for (const { key: valueKey } of keysOf(index, decode(value)).keys) {
          expected += 1
          if (!storage.index.get(entryKeyOf(index, valueKey, key))?.equals(key)) errors.push(`index '${index.name}' lacks an entry of a document`)
        }
      }
      const entries = storage.index.count(wholeRange(index.id))
      if (entries !== expected) errors.push(`index '${index.name}' has ${entries} entries where the documents make ${expected}`)
      keysPerIndex[index.name] = entries
    }
    const nrecords = keysPerIndex._id_
    return okReply({
      ns: namespaceOf(collection),
      nInvalidDocuments: 0,
      nrecords,
      nIndexes: collection.indexes.length + 1,
      keysPerIndex,
      indexDetails: {},
      valid: errors.length === 0,
      repaired: false,
      warnings: [],
      errors,
    })
  },
  fields: undefined,
}

/** A query of a view, as the aggregation that answers it. */
function explainedView({ name, pipeline }: ViewTarget, command: string, inner: Doc): Doc {
  const stages = command === 'aggregate' ? (optionalDocs(inner, 'pipeline') ?? []) : queryStages(inner)
  return { aggregate: name, pipeline: [...pipeline, ...stages] }
}

export const explain: Command = {
  run: context => {
    const inner = context.body.explain
    if (!isDoc(inner)) return fail(14, "BSON field 'explain.explain' is the wrong type, expected type 'object'")
    const verbosity = context.body.verbosity ?? 'allPlansExecution'
    const [name] = Object.keys(inner)
    const view = resolveView(context, String(inner[name!]))
    if (view.pipeline.length > 0) return explain.run({ ...context, body: { explain: explainedView(view, name!, inner), verbosity } })
    const { filter, sort, hint, limit } = explained(name ?? '', inner)
    const collection = context.engine.catalog.find(context.db, String(inner[name!]), context.txn)
    const reply: Doc = {
      explainVersion: '1',
      queryPlanner: {
        namespace: `${context.db}.${String(inner[name!])}`,
        parsedQuery: filter,
        winningPlan: collection ? describePlan(collection, filter, sort, hint) : { stage: 'EOF' },
        rejectedPlans: [],
      },
      command: { ...inner, $db: context.db },
      serverInfo: { host: 'localhost', port: 0, version: serverVersion, gitVersion: '' },
    }
    if (verbosity !== 'queryPlanner') {
      let returned = 0
      const started = Date.now()
      for (const found of collection
        ? runQuery(viewOf(context.engine.storage, context.txn), collection, { filter, sort: parseSort(sort), hint, limit })
        : []) {
        if (found === tick) checkDeadline(context.deadline)
        else returned += 1
      }
      reply.executionStats = { executionSuccess: true, nReturned: returned, executionTimeMillis: Date.now() - started }
    }
    return okReply(reply)
  },
  fields: new Set(['verbosity']),
}

function explained(name: string, inner: Doc): { filter: Doc; sort: Doc | undefined; hint: unknown; limit: number } {
  const { hint } = inner
  const limit = isNumeric(inner.limit) ? Math.abs(asNumber(inner.limit)) : 0
  switch (name) {
    case 'find':
      return { filter: optionalDoc(inner, 'filter') ?? {}, sort: optionalDoc(inner, 'sort'), hint, limit }
    case 'count':
    case 'distinct':
      return { filter: optionalDoc(inner, 'query') ?? {}, sort: undefined, hint, limit }
    case 'findAndModify':
      return { filter: optionalDoc(inner, 'query') ?? {}, sort: optionalDoc(inner, 'sort'), hint, limit: 1 }
    case 'update':
    case 'delete': {
      const list = inner[name === 'update' ? 'updates' : 'deletes']
      const first: unknown = Array.isArray(list) ? list[0] : undefined
      return isDoc(first)
        ? { filter: optionalDoc(first, 'q') ?? {}, sort: undefined, hint: first.hint, limit: 0 }
        : fail(9, `${name} needs at least one statement`)
    }
    case 'aggregate': {
      const first: unknown = Array.isArray(inner.pipeline) ? inner.pipeline[0] : undefined
      return { filter: isDoc(first) && isDoc(first.$match) ? first.$match : {}, sort: undefined, hint, limit: 0 }
    }
    default:
      return fail(59, `Explain failed due to unknown command: ${name}`)
  }
}

function describePlan(collection: Collection, filter: Doc, sort: Doc | undefined, hint: unknown): Doc {
  const keys = parseSort(sort)
  const plan = planQuery(collection, filter, keys, hint)
  const direction = plan.ranges.some(range => range.reverse) ? 'backward' : 'forward'
  let stage: Doc = { stage: plan.stage, direction, ...(plan.isExact ? {} : { filter }) }
  if (plan.index && plan.stage !== 'COLLSCAN') {
    const index = plan.index
    const scan = {
      stage: 'IXSCAN',
      keyPattern: index.spec.key,
      indexName: index.name,
      isMultiKey: index.multikey.some(Boolean),
      isUnique: index.isUnique,
      isSparse: index.isSparse,
      isPartial: index.partial !== undefined,
      direction,
      indexBounds: boundsText(plan.index, filter),
    }
    stage = { stage: 'FETCH', ...(plan.isExact ? {} : { filter }), inputStage: scan }
  }
  return plan.givesSort ? stage : { stage: 'SORT', sortPattern: sort, inputStage: stage }
}

function boundsText(index: Index, filter: Doc): Doc {
  const conjuncts = analyzeFilter(filter).conjuncts
  return Object.fromEntries(
    index.fields.map(({ path }) => [
      path,
      conjuncts.filter(conjunct => conjunct.path === path).map(({ op, value }) => `${op} ${EJSON.stringify(value)}`),
    ]),
  )
}
