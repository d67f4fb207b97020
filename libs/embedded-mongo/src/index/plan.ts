import { analyzeFilter, type Conjunct } from '../query/conjuncts.ts'
import type { Collection } from '../storage/catalog.ts'
import { type Index, idIndexSpec, indexFrom } from '../storage/index-spec.ts'
import { wholeRange, withPrefix } from '../storage/keyspace.ts'
import type { Range, Snapshot } from '../storage/table.ts'
import { fail } from '../values/errors.ts'
import { encodeKey } from '../values/key.ts'
import { typeOrder } from '../values/order.ts'
import type { SortKey } from '../values/sort-keys.ts'
import { asNumber, type Doc, fieldNames, isDoc, isNumeric } from '../values/values.ts'
import { type Bounds, boundsOf, mayBeMissing } from './plan-bounds.ts'
import { implies } from './plan-partial.ts'

/** How a query finds its candidates. */
export interface Plan {
  /** The index that is read; undefined means the documents themselves, in the order of their _id. */
  index: Index | undefined
  /** Ranges of the table of entries, or of documents; disjoint and in order. */
  ranges: Range[]
  /** Each range is one whole key of a unique index, or of a document. */
  isPoints: boolean
  /** Whether every candidate matches, so that the filter need not be read. */
  isExact: boolean
  /** Whether each candidate comes once, so that entries can be counted for documents. */
  isCountable: boolean
  /** Whether the candidates come in the order of the query. */
  givesSort: boolean
  /** For `explain`. */
  stage: 'COLLSCAN' | 'IXSCAN' | 'IDHACK'
}

interface Candidate extends Plan {
  score: number
}

/** Types of which one value has one key and matches nothing else. */
const pointTypes = new Set([10, 15, 30, 35, 40, 45, 47])
const idIndex: Index = { ...indexFrom(0, idIndexSpec), isUnique: true, isReady: true }

/**
 * Chooses the way to find what `filter` matches, in a snapshot by indexes that are whole there.
 * @throws MongoError 2 when `hint` names no index, 246 when it names one that the snapshot does not have
 */
export function planQuery(collection: Collection, filter: Doc, sort: readonly SortKey[] = [], hint?: unknown, snapshot?: Snapshot): Plan {
  const { conjuncts, complete } = analyzeFilter(filter)
  const forced = hint === undefined ? undefined : hintedIndex(collection, hint)
  if (forced === 'natural') return fullScan(collection, conjuncts, complete, sort, naturalDirection(hint))
  const isThere = ({ notIn }: Index) => snapshot === undefined || snapshot.number > notIn
  if (forced && !isThere(forced)) fail(246, 'Unable to read from a snapshot due to pending collection catalog changes; please retry the operation.')
  if (forced) return candidate(collection, forced, conjuncts, complete, sort, true)!
  const [only] = conjuncts
  if (
    !collection.series &&
    complete &&
    conjuncts.length === 1 &&
    only!.path === '_id' &&
    only!.op === '$eq' &&
    pointTypes.has(typeOrder(only!.value))
  )
    return point(collection, only!.value)
  const starts = new Set(conjuncts.map(({ path }) => path))
  if (sort.length > 0) starts.add(sort[0]!.path)
  let best: Candidate | undefined
  for (const index of collection.series ? collection.indexes : [idIndex, ...collection.indexes]) {
    if (!index.isReady || !index.hasEntries || index.isHidden || !isThere(index)) continue
    if (!starts.has(index.fields[0]!.path)) continue
    const next = candidate(collection, index, conjuncts, complete, sort, false)
    if (next && next.score > (best?.score ?? 0)) best = next
  }
  return best ?? fullScan(collection, conjuncts, complete, sort, 1)
}

/** The index that a hint means; `_id_` is the order of the documents themselves. */
export function hintedIndex(collection: Collection, hint: unknown): Index | 'natural' {
  if (isDoc(hint) && Object.hasOwn(hint, '$natural')) return 'natural'
  const isId = hint === '_id_' || (isDoc(hint) && sameKey(hint, idIndexSpec.key as Doc))
  if (isId && !collection.series) return idIndex
  const found = collection.indexes.filter(index => (isDoc(hint) ? sameKey(index.spec.key as Doc, hint) : index.name === hint))
  const [index] = found
  if (!index?.isReady || !index.hasEntries || index.isHidden)
    return fail(2, 'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index')
  return index
}

/** Whether two key patterns have the same fields, in the same order and directions. */
export function sameKey(a: Doc, b: Doc): boolean {
  const fields = fieldNames(a)
  const others = fieldNames(b)
  return fields.length === others.length && fields.every((field, i) => field === others[i] && sameKind(a[field], b[field]))
}

function sameKind(a: unknown, b: unknown): boolean {
  return isNumeric(a) && isNumeric(b) ? asNumber(a) === asNumber(b) : a === b
}

/** The document with this _id, without any index: the most frequent query of all. */
function point(collection: Collection, id: unknown): Plan {
  const start = withPrefix(collection.id, encodeKey([id]).key)
  return { index: undefined, ranges: [{ start, end: start }], isPoints: true, isExact: true, isCountable: true, givesSort: true, stage: 'IDHACK' }
}

function naturalDirection(hint: unknown): 1 | -1 {
  const natural = isDoc(hint) ? hint.$natural : 1
  return isNumeric(natural) && asNumber(natural) < 0 ? -1 : 1
}

function fullScan(collection: Collection, conjuncts: readonly Conjunct[], complete: boolean, sort: readonly SortKey[], direction: 1 | -1): Plan {
  // Only capped collections store the insertion order; others are read by their _id.
  const natural = collection.capped?.natural
  const range = { ...wholeRange(natural?.id ?? collection.id), reverse: direction === -1 }
  const isExact = complete && conjuncts.length === 0
  return { index: natural, ranges: [range], isPoints: false, isExact, isCountable: true, givesSort: sort.length === 0, stage: 'COLLSCAN' }
}

function candidate(
  collection: Collection,
  index: Index,
  conjuncts: readonly Conjunct[],
  complete: boolean,
  sort: readonly SortKey[],
  isForced: boolean,
): Candidate | undefined {
  const isId = index === idIndex
  if (!isForced && index.partial && !implies(conjuncts, index.partial)) return undefined
  const tableId = isId ? collection.id : index.id
  const isInexact = isId ? collection.hasInexactIds : index.isInexact
  const bounds = boundsOf(index, tableId, isInexact, conjuncts)
  if (!isForced && index.isSparse && !sparseHoldsAll(index, conjuncts)) return undefined
  const sorting = isInexact ? undefined : sortBy(index, bounds, conjuncts, sort)
  const isUseful = bounds.used > 0 || (sorting !== undefined && sort.length > 0)
  if (!isUseful && !isForced) return undefined
  const isPoints = bounds.isFullKey && index.isUnique
  const score =
    bounds.equalities * 10 + (bounds.hasRange ? 5 : 0) + (sorting && sort.length > 0 ? 3 : 0) + (isPoints ? 20 : 0) + (isPoints && isId ? 20 : 0)
  return {
    index: isId ? undefined : index,
    ranges: sorting === 'reverse' ? bounds.ranges.map(range => ({ ...range, reverse: true })) : bounds.ranges,
    isPoints,
    isExact: complete && bounds.isExact && bounds.used === conjuncts.length,
    isCountable: hasOneEntryEach(index, bounds),
    givesSort: sort.length === 0 || sorting !== undefined,
    stage: isId && isPoints ? 'IDHACK' : isId && bounds.used === 0 ? 'COLLSCAN' : 'IXSCAN',
    score,
  }
}

/** A sparse index holds every match only if some field of it cannot be missing. */
function sparseHoldsAll(index: Index, conjuncts: readonly Conjunct[]): boolean {
  return index.fields.some(field => conjuncts.some(conjunct => conjunct.path === field.path && !mayBeMissing(conjunct)))
}

/** Whether no document has two entries in the ranges: of its arrays at most one element each is searched. */
function hasOneEntryEach(index: Index, { ranges, equalities }: Bounds): boolean {
  return ranges.length <= 1 ? index.multikey.lastIndexOf(true) < equalities : !index.multikey.some(Boolean)
}

function sortBy(index: Index, bounds: Bounds, conjuncts: readonly Conjunct[], sort: readonly SortKey[]): 'forward' | 'reverse' | undefined {
  if (bounds.ranges.length > 1 && !(bounds.equalities === 0 && !bounds.hasRange)) return undefined
  if (!hasOneEntryEach(index, bounds) || index.fields.some(({ path }, i) => index.multikey[i] && sort.some(key => key.path === path)))
    return undefined
  const fixed = new Set(
    bounds.ranges.length <= 1
      ? index.fields
          .slice(0, bounds.equalities)
          .filter(field => conjuncts.some(({ path, op }) => path === field.path && op === '$eq'))
          .map(field => field.path)
      : [],
  )
  const open = sort.filter(key => !fixed.has(key.path))
  let relation = 0
  for (let i = 0; i < open.length; i++) {
    const field = index.fields[fixed.size + i]
    if (!field || field.path !== open[i]!.path) return undefined
    const same = field.direction * open[i]!.direction
    if (relation !== 0 && relation !== same) return undefined
    relation = same
  }
  return relation === -1 ? 'reverse' : 'forward'
}
