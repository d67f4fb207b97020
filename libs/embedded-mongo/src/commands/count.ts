import { decode } from '../bson/raw.ts'
import { type Command, type Context, collectionName, findCollection, optionalCount, optionalDoc, viewFor } from '../engine/context.ts'
import { queryStages, resolveView, type ViewTarget } from '../engine/views.ts'
import { type Plan, planQuery } from '../index/plan.ts'
import { pipelineResults } from '../pipeline/run.ts'
import { docOf } from '../read/found.ts'
import { checkFilter, type Query, runQuery } from '../read/read.ts'
import { tick } from '../sessions/deadline.ts'
import type { Collection } from '../storage/catalog.ts'
import { wholeRange } from '../storage/keyspace.ts'
import type { View } from '../storage/store-view.ts'
import { type Collation, collationOf } from '../values/collation.ts'
import { fail } from '../values/errors.ts'
import { identity } from '../values/key.ts'
import { asNumber, type Doc, getOwn, isDoc, isNumeric } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { eachInSlices } from '../write/pause.ts'

export const count: Command = {
  run: async context => {
    const { body } = context
    const name = collectionName(context)
    const view = resolveView(context, name)
    const limit = isNumeric(body.limit) ? Math.abs(asNumber(body.limit)) : 0
    const query = {
      filter: optionalDoc(body, 'query') ?? {},
      skip: optionalCount(body, 'skip'),
      limit,
      hint: body.hint,
      collation: collationOf(findCollection(context, view.name), body.collation),
    }
    if (view.pipeline.length > 0) return okReply({ n: (await viewDocuments(context, view)).length })
    return okReply({ n: await countMatches(context, view.name, query) })
  },
  fields: new Set(['query', 'limit', 'skip', 'hint', 'collation', 'fields', 'maxTimeMS']),
}

export const distinct: Command = {
  run: async context => {
    const { body } = context
    const { key } = body
    if (typeof key !== 'string') return fail(14, "BSON field 'distinct.key' is the wrong type, expected type 'string'")
    const name = collectionName(context)
    const view = resolveView(context, name)
    const collection = findCollection(context, view.name)
    const collation = collationOf(collection, body.collation)
    const filter = optionalDoc(body, 'query') ?? {}
    checkFilter({ filter })
    const values = new Map<unknown, unknown>()
    const add = (value: unknown) => values.set(identity(value), values.get(identity(value)) ?? value)
    if (view.pipeline.length > 0) for (const doc of await viewDocuments(context, view)) collectValues(doc, key.split('.'), 0, add)
    else if (collection) {
      const query = { filter, hint: body.hint, collation }
      await eachInSlices(runQuery(viewFor(context), collection, query), context.deadline, found =>
        collectValues(docOf(found), key.split('.'), 0, add),
      )
    }
    return okReply({ values: collation ? distinctUnder(collation, [...values.values()]) : [...values.values()] })
  },
  fields: new Set(['key', 'query', 'collation', 'hint']),
  inTransaction: true,
}

async function viewDocuments(context: Context, view: ViewTarget): Promise<Doc[]> {
  const docs: Doc[] = []
  for await (const raw of pipelineResults(context, view.name, [...view.pipeline, ...queryStages(context.body)]))
    if (raw !== tick) docs.push(decode(raw))
  return docs
}

/** Of strings that are equal under the collation the first stays. */
function distinctUnder(collation: Collation, values: readonly unknown[]): unknown[] {
  const distinctValues: unknown[] = []
  for (const value of values)
    if (!distinctValues.some(other => typeof other === 'string' && typeof value === 'string' && collation.compare(other, value) === 0))
      distinctValues.push(value)
  return distinctValues
}

/** How many documents match; straight from the keys where the plan decides alone. */
export async function countMatches(context: Context, name: string, query: Query): Promise<number> {
  checkFilter(query)
  const collection = findCollection(context, name)
  if (!collection) return 0
  const view = viewFor(context)
  const plan = planQuery(collection, query.filter, [], query.hint, view.snapshot)
  if (!query.collation && plan.isExact && plan.isCountable && !view.changes?.(collection)?.size) {
    const all = plan.stage === 'COLLSCAN' && !plan.index ? countAll(view, collection) : countKeys(view, plan)
    const left = Math.max(0, all - (query.skip ?? 0))
    return query.limit ? Math.min(left, query.limit) : left
  }
  let n = 0
  await eachInSlices(runQuery(view, collection, query), context.deadline, () => (n += 1))
  return n
}

/** How many keys the plan's ranges hold; a point is one key, which is there or is not. */
function countKeys({ storage, snapshot }: View, { index, ranges, isPoints }: Plan): number {
  const table = index ? storage.index : storage.docs
  const counts = ranges.map(({ start, end }) => (isPoints ? Number(table.get(start, snapshot) !== undefined) : table.count({ start, end }, snapshot)))
  return counts.reduce((sum, n) => sum + n, 0)
}

/** The number of documents. An index that holds each of them once has fewer pages than the documents. A snapshot may be older than an index. */
function countAll({ storage, snapshot }: View, collection: Collection): number {
  const whole = collection.indexes.find(
    ({ isReady, hasEntries, isSparse, partial, multikey }) => !snapshot && isReady && hasEntries && !isSparse && !partial && !multikey.some(Boolean),
  )
  return (whole ? storage.index : storage.docs).count(wholeRange((whole ?? collection).id), snapshot)
}

/** Every value at the path; an array's elements count one by one. */
function collectValues(value: unknown, parts: readonly string[], at: number, add: (value: unknown) => void): void {
  const part = parts[at]
  if (Array.isArray(value)) {
    if (part === undefined) for (const element of value) add(element)
    else if (/^\d+$/.test(part)) collectValues(value[Number(part)], parts, at + 1, add)
    else for (const element of value) if (isDoc(element)) collectValues(element, parts, at, add)
  } else if (part === undefined) {
    if (value !== undefined) add(value)
  } else if (isDoc(value)) collectValues(getOwn(value, part), parts, at + 1, add)
}
