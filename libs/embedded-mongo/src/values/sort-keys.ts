import { type Collation, compareCollated } from './collation.ts'
import { fail } from './errors.ts'
import { combinationsOf } from './paths-through-arrays.ts'
import { asNumber, type Doc, emptyArray, fieldNames, getOwn, isDoc, isNumeric } from './values.ts'

export interface SortKey {
  path: string
  direction: 1 | -1
  /** What the document is sorted by, when that is no field of it. */
  computed?: (doc: Doc) => unknown
}

/** Reads a sort specification; `scoreOf` is what `$meta: 'textScore'` means. Throws 2 BadValue on anything but 1 and -1. */
export function parseSort(sort: Doc | undefined, scoreOf?: (doc: Doc) => unknown): SortKey[] {
  return fieldNames(sort ?? {}).map(path => {
    const direction = sort?.[path]
    if (isDoc(direction) && direction.$meta !== undefined) {
      if (direction.$meta !== 'textScore' || !scoreOf) return fail(115, "sorting by this '$meta' is not supported here")
      return { path, direction: -1, computed: scoreOf }
    }
    if (!isNumeric(direction) || Math.abs(asNumber(direction)) !== 1)
      return fail(15975, `$sort key ordering must be 1 (for ascending) or -1 (for descending)`)
    if (path === '' || path.split('.').includes('')) fail(15998, 'FieldPath field names may not be empty strings.')
    if (path.startsWith('$')) fail(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`)
    return { path, direction: asNumber(direction) as 1 | -1 }
  })
}

/**
 * What of a document decides its place: of an array the smallest element, or the largest when descending. Several paths through one array
 * use the values of one element. Throws 2 when paths run through different arrays.
 */
export function sortValues(doc: Doc, keys: readonly SortKey[], collation?: Collation): unknown[] {
  if (keys.length > 1 && keys.some(({ path, computed }) => !computed && meetsArray(doc, path))) return combinedValues(doc, keys, collation)
  return keys.map(({ path, direction, computed }) => {
    if (computed) return computed(doc)
    const found: unknown[] = []
    collect(doc, path.split('.'), 0, found)
    if (found.length < 2) return found[0]
    return found.reduce((best, value) => (compareCollated(value, best, collation) * direction < 0 ? value : best))
  })
}

export function compareSorted(a: readonly unknown[], b: readonly unknown[], keys: readonly SortKey[], collation?: Collation): number {
  for (let i = 0; i < keys.length; i++) {
    const order = compareCollated(a[i], b[i], collation)
    if (order !== 0) return order * keys[i]!.direction
  }
  return 0
}

function combinedValues(doc: Doc, keys: readonly SortKey[], collation: Collation | undefined): unknown[] {
  const paths = keys.map(({ path, computed }) => (computed ? [] : path.split('.')))
  const refuse = () => fail(2, 'cannot sort with keys that are parallel arrays')
  const rows = combinationsOf(doc, paths, [], refuse).map(row => row.map(({ value }, i) => keys[i]!.computed?.(doc) ?? value))
  return rows.reduce((best, row) => (compareSorted(row, best, keys, collation) < 0 ? row : best))
}

function meetsArray(doc: Doc, path: string): boolean {
  let value: unknown = doc
  for (const part of path.split('.')) {
    if (!isDoc(value)) break
    value = getOwn(value, part)
  }
  return Array.isArray(value)
}

function collect(value: unknown, parts: readonly string[], at: number, found: unknown[]): void {
  const part = parts[at]
  if (Array.isArray(value)) {
    if (part === undefined) found.push(...(value.length > 0 ? value : [emptyArray]))
    else if (/^\d+$/.test(part) && Number(part) < value.length) collect(value[Number(part)], parts, at + 1, found)
    else for (const element of value) if (isDoc(element)) collect(element, parts, at, found)
  } else if (part === undefined) found.push(value)
  else if (isDoc(value)) collect(getOwn(value, part), parts, at + 1, found)
  else found.push(undefined)
}
