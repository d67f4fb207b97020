import { addToDate, type Unit, units } from '../values/dates.ts'
import { fail } from '../values/errors.ts'
import type { SortKey } from '../values/sort-keys.ts'
import { asInteger, asNumber, isDoc, isNumeric } from '../values/values.ts'
import type { Partition } from './window.ts'

/** A document's window in its partition: the first position, and the position after the last. */
export type Window = (partition: Partition, place: number) => readonly [from: number, to: number]

/** Reads `window`; without one it is the whole partition. */
export function boundsOf(spec: unknown, keys: readonly SortKey[]): Window {
  if (spec === undefined) return ({ docs }) => [0, docs.length]
  if (!isDoc(spec)) return fail(9, "'window' field must be an object")
  const { documents, range, unit } = spec
  for (const field of Object.keys(spec))
    if (!['documents', 'range', 'unit'].includes(field)) fail(9, `'window' field contains unrecognized field '${field}'`)
  if ((documents === undefined) === (range === undefined)) fail(9, "'window' must have either 'documents' or 'range'")
  if (documents !== undefined) {
    if (unit !== undefined) fail(9, "'window' field that specifies 'documents' cannot specify a 'unit'")
    return byDocuments(pair(documents, 'documents'), keys)
  }
  return byRange(pair(range, 'range'), unit, keys)
}

function pair(value: unknown, name: string): [unknown, unknown] {
  return Array.isArray(value) && value.length === 2 ? [value[0], value[1]] : fail(9, `Window bounds '${name}' must be a 2-element array`)
}

function byDocuments(bounds: [unknown, unknown], keys: readonly SortKey[]): Window {
  const [lower, upper] = bounds.map(bound => {
    if (bound === 'unbounded' || bound === 'current') return bound
    return asInteger(bound) ?? fail(9, 'Numeric document-based bounds must be an integer')
  })
  if (keys.length === 0 && bounds.some(bound => bound !== 'unbounded')) fail(5339901, 'Document-based bounds require a sortBy')
  const offset = (bound: typeof lower) => (bound === 'current' ? 0 : Number(bound))
  if (lower !== 'unbounded' && upper !== 'unbounded' && offset(lower) > offset(upper)) fail(5339900, 'Lower bound must not exceed upper bound')
  return ({ docs }, place) => {
    const from = lower === 'unbounded' ? 0 : Math.max(0, place + offset(lower))
    const to = upper === 'unbounded' ? docs.length : Math.min(docs.length, place + offset(upper) + 1)
    return [from, Math.max(from, to)]
  }
}

function byRange(bounds: [unknown, unknown], unit: unknown, keys: readonly SortKey[]): Window {
  if (keys.length !== 1 || keys[0]!.direction !== 1) fail(5339902, 'Range-based bounds require sortBy a single field, ascending')
  if (unit !== undefined && (typeof unit !== 'string' || !units.includes(unit))) fail(9, `unknown time unit value: ${String(unit)}`)
  const [lower, upper] = bounds.map(bound => {
    if (bound === 'unbounded') return undefined
    if (bound === 'current') return 0
    return isNumeric(bound) ? asNumber(bound) : fail(9, 'Range-based bounds expression must be a number')
  })
  const shifted = (value: unknown, amount: number): number => {
    if (unit === undefined)
      return isNumeric(value)
        ? asNumber(value) + amount
        : fail(5429414, 'For windows that involve range without a unit, the sortBy field must be a number')
    return value instanceof Date
      ? addToDate(value, unit as Unit, amount, 'UTC').getTime()
      : fail(5429513, 'For windows that involve date or time ranges, the sortBy field must be a Date')
  }
  return ({ by, docs }, place) => {
    const current = by[place]![0]
    const least = lower === undefined ? Number.NEGATIVE_INFINITY : shifted(current, lower)
    const most = upper === undefined ? Number.POSITIVE_INFINITY : shifted(current, upper)
    const from = firstPlace(docs.length, i => shifted(by[i]![0], 0) >= least)
    return [
      from,
      Math.max(
        from,
        firstPlace(docs.length, i => shifted(by[i]![0], 0) > most),
      ),
    ]
  }
}

/** Binary search: the first position where a condition holds that also holds at all later positions. */
function firstPlace(count: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
