import { type Selection, selectionOf } from '../bson/decode.ts'
import { decodeFields } from '../bson/raw.ts'
import { type Plan, planQuery } from '../index/plan.ts'
import { compileFilter } from '../query/match.ts'
import { type Fields, filterFields } from '../query/split-pipeline.ts'
import { checkDeadline, type Tick, tick } from '../sessions/deadline.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Storage } from '../storage/storage.ts'
import type { View } from '../storage/store-view.ts'
import type { Entry, Range, Snapshot } from '../storage/table.ts'
import { type Collation, type Folded, foldFilter } from '../values/collation.ts'
import { compareSorted, type SortKey, sortValues } from '../values/sort-keys.ts'
import type { Doc } from '../values/values.ts'
import { docOf, type Found } from './found.ts'
import { inOrder } from './in-order.ts'
import { type Near, nearOf, splitNear } from './near.ts'
import { type Nearest, nearestFirst } from './nearest-first.ts'
import { compileText, splitText, type TextSearch } from './text-search.ts'

export interface Query {
  filter: Doc
  sort?: readonly SortKey[]
  skip?: number
  /** 0 or absent means all. */
  limit?: number
  hint?: unknown
  vars?: Doc
  collation?: Collation | undefined
  /** A condition in addition to the filter. */
  accepts?: ((doc: Doc) => boolean) | undefined
  /** The only top-level fields that are wanted, those of the filter and the sort included: `doc` may then hold these and `raw` nothing. */
  fields?: Fields | undefined
  /** Set when the last document was returned, as far as that is known without a read of another one. */
  end?: { isReached: boolean }
}

const tickEvery = 128
const slowMs = 10
const noBytes = Buffer.alloc(0)

/** All documents that match, in order. The stream can pause while other commands write. */
export function runQuery(view: View, collection: Collection, query: Query): Generator<Found | Tick> {
  const near = splitNear(query.filter)
  if (near) return runNear(view, collection, { ...query, filter: near.rest }, nearOf(collection, near.path, near.near))
  const text = splitText(query.filter)
  if (text) return runText(view, collection, { ...query, filter: text.rest }, compileText(collection, text.text))
  const sort = query.sort ?? []
  const isComputed = sort.some(({ computed }) => computed !== undefined)
  const folded = query.collation && foldFilter(query.filter, query.collation)
  const plan = planQuery(collection, folded ? {} : query.filter, isComputed ? [] : sort, query.hint, view.snapshot)
  const isOrdered = sort.length === 0 || (plan.givesSort && !isComputed && !query.collation && !view.changes?.(collection)?.size)
  const skip = query.skip ?? 0
  const limit = query.limit ? query.limit : Number.POSITIVE_INFINITY
  const expected = isOrdered && plan.isExact && !query.accepts ? skip + limit : undefined
  const isTested = folded !== undefined || query.accepts !== undefined
  const matches = findMatches(view, collection, isTested ? { ...plan, isExact: false } : plan, query, folded, expected)
  const end = query.end ?? { isReached: false }
  if (!isOrdered) return slice(sorted(matches, sort, skip + limit, end, query.collation), skip, limit, end)
  return skip > 0 || query.limit ? slice(matches, skip, limit, end) : matches
}

/** Only documents that fit; the order is the query's own. */
function runText(view: View, collection: Collection, query: Query, search: TextSearch): Generator<Found | Tick> {
  const { accepts } = query
  const fits = (doc: Doc) => (!accepts || accepts(doc)) && search.score(doc) > 0
  return runQuery(view, collection, { ...query, accepts: fits, fields: undefined })
}

/** By distance, unless the query has a sort. */
function runNear(view: View, collection: Collection, query: Query, near: Near): Generator<Found | Tick> {
  const { filter, vars, hint, accepts, sort = [], skip = 0, collation } = query
  const limit = query.limit ? query.limit : Number.POSITIVE_INFINITY
  const end = query.end ?? { isReached: false }
  const found = withoutDistance(nearestFirst(runQuery(view, collection, { filter, vars, hint, accepts, collation }), near))
  return slice(sort.length > 0 ? sorted(found, sort, skip + limit, end, collation) : found, skip, limit, end)
}

function* withoutDistance(stream: Iterable<Nearest | Tick>): Generator<Found | Tick> {
  for (const nearest of stream) yield nearest === tick ? tick : nearest.found
}

/** Refuses a bad filter, also where nothing is read with it. */
export function checkFilter({ filter, vars }: Pick<Query, 'filter' | 'vars'>): void {
  const { rest } = splitNear(filter) ?? splitText(filter) ?? { rest: filter }
  compileFilter(rest, { vars })
}

function* slice(stream: Iterable<Found | Tick>, skip: number, limit: number, end: { isReached: boolean }): Generator<Found | Tick> {
  let seen = 0
  for (const found of stream) {
    if (found === tick) yield tick
    else {
      seen += 1
      if (seen >= skip + limit) end.isReached = true
      if (seen > skip) yield found
      if (seen >= skip + limit) return
    }
  }
}

function* findMatches(
  view: View,
  collection: Collection,
  plan: Plan,
  query: Query,
  folded: Folded | undefined,
  expected: number | undefined,
): Generator<Found | Tick> {
  const matches = tester(plan.isExact, query, folded)
  const changes = view.changes?.(collection)
  const { storage, snapshot } = view
  const version = storage.version()
  const { index } = plan
  const seen = index?.multikey.some(Boolean) ? new Set<string>() : undefined
  let examined = 0
  // Some documents are slow to test: by a regular expression that backtracks, for example.
  let tickedAt = Date.now()
  const isSlow = () => {
    const now = Date.now()
    if (now - tickedAt < slowMs) return false
    tickedAt = now
    return true
  }
  for (const range of plan.ranges) {
    for (const chunk of chunksOf(view, plan, range, expected)) {
      for (const entry of chunk) {
        examined += 1
        if (examined % tickEvery === 0 || isSlow()) yield tick
        const key = Buffer.isBuffer(entry) ? entry : entry.key
        if (seen) {
          const text = key.toString('latin1')
          if (seen.has(text)) continue
          seen.add(text)
        }
        if (changes?.size && changes.has(key.toString('latin1'))) continue
        const isSure = plan.isExact && version === storage.version()
        const found = Buffer.isBuffer(entry)
          ? fetchDocument(storage, key, snapshot, isSure ? query.fields?.afterFilter : query.fields?.all)
          : { key, raw: entry.value, doc: undefined }
        if (found && (isSure || matches(found))) yield found
      }
    }
  }
  if (!changes) return
  for (const { key, after } of [...changes.values()]) {
    if (!after) continue
    const found: Found = { key, raw: after, doc: undefined }
    if (matches(found)) yield found
  }
}

/** Tests a candidate by the filter, which is compiled only when it is needed. */
function tester(isExact: boolean, query: Query, folded: Folded | undefined): (found: Found) => boolean {
  let compiled: ((doc: Doc) => boolean) | undefined
  // An empty result must not hide a bad filter; one that the plan understands to the end is good.
  if (!isExact) compiled = compileFilter(folded?.filter ?? query.filter, { vars: query.vars })
  // Only the fields of the filter are decoded, because the rest of a rejected document is never needed.
  const fields = filterFields(query.filter)
  return found => {
    compiled ??= compileFilter(query.filter, { vars: query.vars })
    if (query.accepts && !query.accepts(docOf(found))) return false
    if (folded) return compiled(folded.fold(docOf(found)))
    return compiled(found.doc ?? (fields ? decodeFields(found.raw, fields) : docOf(found)))
  }
}

/** Tests whether a document still meets the query; undefined for a search by place or text, which needs more than the document. */
export function matcherOf(query: Query): ((found: Found) => boolean) | undefined {
  if (splitNear(query.filter) || splitText(query.filter)) return undefined
  return tester(false, query, query.collation && foldFilter(query.filter, query.collation))
}

/** The document of an index entry; when only some fields are wanted, these are decoded from the store's own bytes. */
function fetchDocument(storage: Storage, key: Buffer, snapshot: Snapshot | undefined, fields: Selection | undefined): Found | undefined {
  if (!fields) {
    const raw = storage.docs.get(key, snapshot)
    return raw && { key, raw, doc: undefined }
  }
  const bytes = storage.docs.peek(key, snapshot)
  return bytes && { key, raw: noBytes, doc: decodeFields(bytes, fields) }
}

/** The keys of documents by an index, or the documents themselves. */
function chunksOf({ storage, snapshot }: View, plan: Plan, range: Range, expected: number | undefined): Iterable<(Buffer | Entry)[]> {
  if (!plan.isPoints) return plan.index ? storage.index.valueChunks(range, snapshot, expected) : storage.docs.chunks(range, snapshot, expected)
  const value = (plan.index ? storage.index : storage.docs).get(range.start, snapshot)
  if (!value) return []
  return [[plan.index ? value : { key: range.start, value }]]
}

/** Sorts in memory and holds about `limit` documents at a time. */
function* sorted(
  stream: Iterable<Found | Tick>,
  keys: readonly SortKey[],
  limit: number,
  end: { isReached: boolean },
  collation: Collation | undefined,
): Generator<Found | Tick> {
  let candidates: { found: Found; values: unknown[]; place: number }[] = []
  const fields = selectionOf(new Set(keys.map(({ path }) => path.split('.')[0]!)))
  const order = (a: (typeof candidates)[number], b: (typeof candidates)[number]) =>
    compareSorted(a.values, b.values, keys, collation) || a.place - b.place
  let place = 0
  for (const found of stream) {
    if (found === tick) {
      yield tick
      continue
    }
    place += 1
    candidates.push({
      found: { ...found, doc: found.raw === noBytes ? found.doc : undefined },
      values: sortValues(found.doc ?? decodeFields(found.raw, fields), keys, collation),
      place,
    })
    if (candidates.length >= 2 * limit + 1000) candidates = (yield* inOrder(candidates, order)).slice(0, limit)
  }
  candidates = yield* inOrder(candidates, order)
  for (let i = 0; i < candidates.length; i++) {
    end.isReached = i === candidates.length - 1
    yield candidates[i]!.found
  }
}

/** Runs a query to its end without letting others in between: for writes, which must not interleave. */
export function* withinDeadline(stream: Iterable<Found | Tick>, deadline: number): Generator<Found> {
  for (const found of stream) {
    if (found === tick) checkDeadline(deadline)
    else yield found
  }
}
