import { filterFields } from './aggregate-split.ts'
import { decode, decodeFields } from './bson-raw.ts'
import type { Collection } from './catalog.ts'
import { type Collation, type Folded, foldFilter } from './collation.ts'
import { MongoError } from './errors.ts'
import { compileFilter } from './match.ts'
import { type Plan, planQuery } from './plan.ts'
import { compareSorted, type SortKey, sortValues } from './query-sort.ts'
import type { Snapshot, Storage } from './storage.ts'
import type { Doc } from './values.ts'

/** A document changed by an open transaction, not yet stored. */
export interface Change {
  collection: Collection
  key: Buffer
  /** As it was in the transaction's snapshot; undefined if it did not exist. */
  before: Buffer | undefined
  /** As the transaction leaves it; undefined if it is deleted. */
  after: Buffer | undefined
}

/** Where a command reads: the newest state, or a snapshot with a transaction's own changes laid over it. */
export interface View {
  storage: Storage
  snapshot?: Snapshot
  changes?: (collection: Collection) => ReadonlyMap<string, Change> | undefined
}

export interface Found {
  key: Buffer
  raw: Buffer
  /** Decoded already if the filter had to look at it. */
  doc?: Doc
}

/** Stands in a stream for "still looking": lets the consumer keep to its deadline and give other clients a turn. */
export const tick = Symbol('tick')
export type Tick = typeof tick

export interface Query {
  filter: Doc
  sort?: readonly SortKey[]
  skip?: number
  /** 0 or absent means all. */
  limit?: number
  hint?: unknown
  vars?: Doc
  collation?: Collation | undefined
  /** Set when the last document has been given out, as far as that is known without looking for another one. */
  end?: { isReached: boolean }
}

const tickEvery = 128

/** All documents that match, in order. The stream can be left and taken up again while other commands write. */
export function* runQuery(view: View, collection: Collection, query: Query): Generator<Found | Tick> {
  const sort = query.sort ?? []
  const folded = query.collation && foldFilter(query.filter, query.collation)
  const plan = planQuery(collection, folded ? {} : query.filter, sort, query.hint)
  const isOrdered = sort.length === 0 || (plan.givesSort && !query.collation && !view.changes?.(collection)?.size)
  const matches = findMatches(view, collection, folded ? { ...plan, isExact: false } : plan, query, folded)
  const skip = query.skip ?? 0
  const limit = query.limit ? query.limit : Number.POSITIVE_INFINITY
  const end = query.end ?? { isReached: false }
  yield* slice(isOrdered ? matches : sorted(matches, sort, skip + limit, end, query.collation), skip, limit, end)
}

/** The document as decoded by the filter, or now. */
export function docOf(found: Found): Doc {
  found.doc ??= decode(found.raw)
  return found.doc
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

function* findMatches(view: View, collection: Collection, plan: Plan, query: Query, folded?: Folded): Generator<Found | Tick> {
  let compiled: ((doc: Doc) => boolean) | undefined
  // What the filter does not look at is not worth decoding for the documents that it turns down.
  const fields = filterFields(query.filter)
  const matches = (found: Found) => {
    compiled ??= compileFilter(query.filter, { vars: query.vars })
    if (folded) return compiled(folded.fold(docOf(found)))
    return compiled(found.doc ?? (fields ? decodeFields(found.raw, fields) : docOf(found)))
  }
  // An empty result must not hide a bad filter; one that the plan understands to the end is good.
  if (!plan.isExact) compiled = compileFilter(folded?.filter ?? query.filter, { vars: query.vars })
  const changes = view.changes?.(collection)
  const version = view.storage.version()
  for (const found of candidates(view, plan)) {
    if (found === tick) yield tick
    else if (changes?.size && changes.has(found.key.toString('latin1'))) continue
    else if ((plan.isExact && version === view.storage.version()) || matches(found)) yield found
  }
  if (!changes) return
  for (const { key, after } of [...changes.values()]) {
    if (!after) continue
    const found: Found = { key, raw: after }
    if (matches(found)) yield found
  }
}

function* candidates(view: View, plan: Plan): Generator<Found | Tick> {
  const { storage, snapshot } = view
  const { index } = plan
  if (!index && plan.isPoints) {
    for (const { start } of plan.ranges) {
      const raw = storage.docs.get(start, snapshot)
      if (raw) yield { key: start, raw }
    }
    return
  }
  const seen = index?.multikey.some(Boolean) ? new Set<string>() : undefined
  let examined = 0
  for (const range of plan.ranges) {
    for (const entry of entriesOf(view, plan, range)) {
      examined += 1
      if (examined % tickEvery === 0) yield tick
      if (!index) {
        yield { key: entry.key, raw: entry.value }
        continue
      }
      if (seen) {
        const text = entry.value.toString('latin1')
        if (seen.has(text)) continue
        seen.add(text)
      }
      const raw = storage.docs.get(entry.value, snapshot)
      if (raw) yield { key: entry.value, raw }
    }
  }
}

function* entriesOf({ storage, snapshot }: View, plan: Plan, range: Plan['ranges'][number]): Generator<{ key: Buffer; value: Buffer }> {
  if (!plan.index) return yield* storage.docs.scan(range, snapshot)
  if (!plan.isPoints) return yield* storage.index.scan(range, snapshot)
  const value = storage.index.get(range.start, snapshot)
  if (value) yield { key: range.start, value }
}

/** Sorts in memory, keeping no more than `limit` documents at a time. */
function* sorted(
  stream: Iterable<Found | Tick>,
  keys: readonly SortKey[],
  limit: number,
  end: { isReached: boolean },
  collation: Collation | undefined,
): Generator<Found | Tick> {
  let kept: { found: Found; values: unknown[]; place: number }[] = []
  const fields = new Set(keys.map(({ path }) => path.split('.')[0]!))
  const order = (a: (typeof kept)[number], b: (typeof kept)[number]) => compareSorted(a.values, b.values, keys, collation) || a.place - b.place
  let place = 0
  for (const found of stream) {
    if (found === tick) {
      yield tick
      continue
    }
    place += 1
    kept.push({ found: { key: found.key, raw: found.raw }, values: sortValues(found.doc ?? decodeFields(found.raw, fields), keys, collation), place })
    if (kept.length >= 2 * limit + 1000) kept = kept.sort(order).slice(0, limit)
  }
  kept.sort(order)
  for (let i = 0; i < kept.length; i++) {
    end.isReached = i === kept.length - 1
    yield kept[i]!.found
  }
}

/** Throws 50 MaxTimeMSExpired once the deadline (milliseconds since the epoch) has passed. */
export function checkDeadline(deadline: number): void {
  if (Date.now() > deadline) throw new MongoError(50, 'operation exceeded time limit')
}

/** Runs a query to its end without letting others in between: for writes, which must not interleave. */
export function* withinDeadline(stream: Iterable<Found | Tick>, deadline: number): Generator<Found> {
  for (const found of stream) {
    if (found === tick) checkDeadline(deadline)
    else yield found
  }
}
