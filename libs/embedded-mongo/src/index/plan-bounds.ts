import type { Conjunct } from '../query/conjuncts.ts'
import type { Index } from '../storage/index-spec.ts'
import { afterPrefix, wholeRange, withPrefix } from '../storage/keyspace.ts'
import type { Range } from '../storage/table.ts'
import { encodeKey, keyOrderLength } from '../values/key.ts'
import { typeOrder } from '../values/order.ts'
import { asNumber, isNumeric } from '../values/values.ts'

/** The part of an index that contains all matches of a filter. */
export interface Bounds {
  ranges: Range[]
  /** How many of the filter's conditions are in the ranges. */
  used: number
  /** Leading fields that are fixed to one value or some. */
  equalities: number
  isFullKey: boolean
  hasRange: boolean
  /** Whether everything in the ranges meets the conditions that were used. */
  isExact: boolean
}

const maxPoints = 2000
/** Types whose values can bound a range of an index: MongoDB compares these only within their type. */
const rangeTypes = new Set([10, 15, 30, 35, 40, 45, 47])
const nullOrder = 5
const arrayOrder = 25
const objectOrder = 20
const unbounded = new Set([1, 255])

/** Reads the filter's conditions off against the index's fields, from the first one on. */
export function boundsOf(index: Index, tableId: number, isInexact: boolean, conjuncts: readonly Conjunct[]): Bounds {
  let tuples: unknown[][] = [[]]
  let used = 0
  let isExact = true
  let at = 0
  const multikeyTops = new Set<string>()
  for (; at < index.fields.length; at++) {
    const field = index.fields[at]!
    if (field.isNumbered) break
    if (index.multikey[at] && multikeyTops.has(field.parts[0]!)) break
    const equal = conjuncts.find(conjunct => conjunct.path === field.path && isEquality(conjunct))
    if (!equal) break
    const values = distinctValues(equal.op === '$in' ? listed(equal.value) : [equal.value])
    if (tuples.length * values.length > maxPoints) break
    if (index.multikey[at]) multikeyTops.add(field.parts[0]!)
    if (values.length === 1) for (const tuple of tuples) tuple.push(values[0])
    else tuples = tuples.flatMap(tuple => values.map(value => [...tuple, value]))
    if (values.some(value => typeOrder(value) === nullOrder || typeOrder(value) === objectOrder)) isExact = false
    used += 1
  }
  const isFullKey = at === index.fields.length
  const keys = tuples.map(tuple => encodeKey(tuple, index.directions))
  const canUse = isFullKey || keys.every(({ key, exact }) => exact && (!isInexact || key.length < keyOrderLength))
  if (!canUse) return { ranges: [wholeRange(tableId)], used: 0, equalities: 0, isFullKey: false, hasRange: false, isExact: false }
  const prefixes = keys.map(({ key }) => withPrefix(tableId, key)).sort(Buffer.compare)
  const field = index.fields[at]
  const canRange = field && !field.isNumbered && !(index.multikey[at] && multikeyTops.has(field.parts[0]!))
  const limits = canRange
    ? rangeOf(
        field.direction,
        conjuncts.filter(({ path }) => path === field.path),
        index.multikey[at]!,
        isInexact ? keyOrderLength - Math.max(...keys.map(({ key }) => key.length)) : Number.POSITIVE_INFINITY,
      )
    : undefined
  const ranges = prefixes.map(prefix =>
    limits ? { start: Buffer.concat([prefix, limits.start]), end: Buffer.concat([prefix, limits.end]) } : { start: prefix, end: afterPrefix(prefix) },
  )
  return {
    ranges: at === 0 && !limits ? [wholeRange(tableId)] : ranges.filter(range => Buffer.compare(range.start, range.end) < 0),
    used: used + (limits?.used ?? 0),
    equalities: at,
    isFullKey: isFullKey && at > 0,
    hasRange: limits !== undefined,
    isExact: isExact && (limits?.isExact ?? true),
  }
}

function isEquality({ op, value }: Conjunct): boolean {
  if (op === '$eq') return typeOrder(value) !== arrayOrder
  return op === '$in' && listed(value).every(member => typeOrder(member) !== arrayOrder)
}

function distinctValues(values: readonly unknown[]): unknown[] {
  if (values.length < 2) return [...values]
  return [...new Map(values.map(value => [encodeKey([value]).key.toString('latin1'), value])).values()]
}

interface Limits {
  start: Buffer
  end: Buffer
  used: number
  isExact: boolean
}

/**
 * The part of one field's keys in which its range conditions can be met. With arrays only one of two conditions bounds it; a bound
 * that is longer than `longest` says nothing about keys that were cut.
 */
function rangeOf(direction: 1 | -1, conjuncts: readonly Conjunct[], isMultikey: boolean, longest: number): Limits | undefined {
  const usable = conjuncts.filter(
    ({ op, value }) => op !== '$eq' && op !== '$in' && rangeTypes.has(typeOrder(value)) && !(isNumeric(value) && Number.isNaN(asNumber(value))),
  )
  const first = usable[0]
  if (!first) return undefined
  const type = encodeKey([first.value], [direction]).key[0]!
  const isNumber = isNumeric(first.value)
  // NaN is before all numbers in the index, but is not less than any.
  let start = isNumber && direction === 1 ? afterPrefix(encodeKey([Number.NaN]).key) : Buffer.from([type])
  let end = isNumber && direction === -1 ? encodeKey([Number.NaN], [-1]).key : Buffer.from([type + 1])
  let used = 0
  let isExact = true
  for (const { op, value } of isMultikey ? [first] : usable) {
    const { key, exact } = encodeKey([value], [direction])
    if (key[0] !== type) continue
    used += 1
    if (!exact || key.length > longest) {
      isExact = false
      continue
    }
    const isLower = (op === '$gt' || op === '$gte') === (direction === 1)
    const limit =
      (op === '$gt' && direction === 1) ||
      (op === '$lte' && direction === 1) ||
      (op === '$gte' && direction === -1) ||
      (op === '$lt' && direction === -1)
        ? afterPrefix(key)
        : key
    if (isLower && Buffer.compare(limit, start) > 0) start = Buffer.from(limit)
    if (!isLower && Buffer.compare(limit, end) < 0) end = Buffer.from(limit)
  }
  return { start, end, used, isExact }
}

/** Whether a missing field may meet the condition: as null does, or as everything does that is compared with MinKey and MaxKey. */
export function mayBeMissing({ op, value }: Conjunct): boolean {
  if (op === '$in') return listed(value).some(isNullish)
  return isNullish(value) || (op !== '$eq' && unbounded.has(typeOrder(value)))
}

function isNullish(value: unknown): boolean {
  return typeOrder(value) === nullOrder
}

export function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
