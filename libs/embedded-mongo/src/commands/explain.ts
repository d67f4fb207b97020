import { EJSON } from 'bson'
import { type Command, type Context, optionalDoc, optionalDocs } from '../engine/context.ts'
import { queryStages, resolveView, type ViewTarget } from '../engine/views.ts'
import { planQuery } from '../index/plan.ts'
import { analyzeFilter } from '../query/conjuncts.ts'
import { splitPipeline } from '../query/split-pipeline.ts'
import { runQuery } from '../read/read.ts'
import { checkDeadline, tick } from '../sessions/deadline.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Index } from '../storage/index-spec.ts'
import { viewOf } from '../storage/txn.ts'
import { fail } from '../values/errors.ts'
import { parseSort } from '../values/sort-keys.ts'
import { asNumber, type Doc, isDoc, isNumeric } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { refusals, serverVersion } from './server.ts'

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
    const query = explained(name ?? '', inner)
    const collection = context.engine.catalog.find(context.db, String(inner[name!]), context.txn)
    const { filter, sort, hint, rest = [] } = query
    const winningPlan: Doc = collection ? describePlan(collection, filter, sort, hint) : { stage: 'EOF' }
    const namespace = `${context.db}.${String(inner[name!])}`
    const plan: Doc = { queryPlanner: { namespace, parsedQuery: filter, winningPlan, rejectedPlans: [] } }
    if (verbosity !== 'queryPlanner') plan.executionStats = { ...execute(context, collection, query, winningPlan), ...otherPlans(verbosity) }
    return okReply({
      explainVersion: '1',
      ...(rest.length > 0 ? { stages: [{ $cursor: plan }, ...rest] } : plan),
      command: { ...inner, $db: context.db },
      serverInfo: { host: 'localhost', port: 0, version: serverVersion, gitVersion: '' },
    })
  },
  fields: new Set(['verbosity']),
}

/** The query by which a command finds its documents. */
interface Explained {
  filter: Doc
  sort: Doc | undefined
  hint: unknown
  skip?: number | undefined
  limit: number
  /** The stages of a pipeline that are no part of the query. */
  rest?: readonly Doc[]
}

/** Runs the query and reports its cost. */
function execute(context: Context, collection: Collection | undefined, query: Explained, { stage, inputStage }: Doc): Doc {
  const { filter, sort, hint, skip, limit } = query
  const started = Date.now()
  let nReturned = 0
  let examined = 0
  const accepts = () => {
    examined += 1
    return true
  }
  const view = viewOf(context.engine.storage, context.txn)
  for (const found of collection ? runQuery(view, collection, { filter, sort: parseSort(sort), hint, skip, limit, accepts }) : []) {
    if (found === tick) checkDeadline(context.deadline)
    else nReturned += 1
  }
  const usesIndex = JSON.stringify([stage, inputStage]).includes('IXSCAN') || stage === 'IDHACK'
  return {
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Date.now() - started,
    totalKeysExamined: usesIndex ? examined : 0,
    totalDocsExamined: examined,
    executionStages: { stage, nReturned, docsExamined: examined },
  }
}

/** One plan is made for each query, so that there are no others to have been tried. */
function otherPlans(verbosity: unknown): Doc {
  return verbosity === 'allPlansExecution' ? { allPlansExecution: [] } : {}
}

function explained(name: string, inner: Doc): Explained {
  const { hint } = inner
  const limit = isNumeric(inner.limit) ? Math.abs(asNumber(inner.limit)) : 0
  const skip = isNumeric(inner.skip) ? asNumber(inner.skip) : 0
  switch (name) {
    case 'find':
      return { filter: optionalDoc(inner, 'filter') ?? {}, sort: optionalDoc(inner, 'sort'), hint, skip, limit }
    case 'count':
    case 'distinct':
      return { filter: optionalDoc(inner, 'query') ?? {}, sort: undefined, hint, skip, limit }
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
      const { filter, sort, skip, limit = 0, rest } = splitPipeline(optionalDocs(inner, 'pipeline') ?? [])
      return { filter, sort, hint, skip, limit, rest }
    }
    default:
      return Object.hasOwn(refusals, name) ? fail(...refusals[name]!) : fail(59, `Explain failed due to unknown command: ${name}`)
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
