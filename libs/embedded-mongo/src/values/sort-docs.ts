import { compareSorted, parseSort, sortValues } from './sort-keys.ts'
import type { Doc } from './values.ts'

/**
 * A comparison of documents by a sort specification.
 * @example docs.sort(compileSort({ age: new Int32(-1) }))
 */
export function compileSort(spec: Doc): (a: Doc, b: Doc) => number {
  const keys = parseSort(spec)
  return (a, b) => compareSorted(sortValues(a, keys), sortValues(b, keys), keys)
}

/** Sorts stably into a new array and reads each document's sort values once; with a limit it returns only the first ones. */
export function sortDocs(docs: Iterable<Doc>, spec: Doc, limit = Infinity): Doc[] {
  const keys = parseSort(spec)
  let candidates: { doc: Doc; values: unknown[] }[] = []
  const sort = () => {
    candidates.sort((a, b) => compareSorted(a.values, b.values, keys))
    if (candidates.length > limit) candidates = candidates.slice(0, limit)
  }
  for (const doc of docs) {
    candidates.push({ doc, values: sortValues(doc, keys) })
    if (candidates.length >= limit * 2 + 1000) sort()
  }
  sort()
  return candidates.map(({ doc }) => doc)
}
