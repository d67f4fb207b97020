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

/** Sorts stably into a new array, taking each document's sort values once; with a limit only the first ones are kept. */
export function sortDocs(docs: Iterable<Doc>, spec: Doc, limit = Infinity): Doc[] {
  const keys = parseSort(spec)
  let kept: { doc: Doc; values: unknown[] }[] = []
  const sort = () => {
    kept.sort((a, b) => compareSorted(a.values, b.values, keys))
    if (kept.length > limit) kept = kept.slice(0, limit)
  }
  for (const doc of docs) {
    kept.push({ doc, values: sortValues(doc, keys) })
    if (kept.length >= limit * 2 + 1000) sort()
  }
  sort()
  return kept.map(({ doc }) => doc)
}
