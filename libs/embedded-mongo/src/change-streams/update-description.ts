import { Int32 } from 'bson'
import { type Doc, fieldNames, identical, isDoc, setOwn } from '../values/values.ts'

type Step = string | number

interface Difference {
  updated: [path: Step[], value: unknown][]
  removed: Step[][]
  truncated: { path: Step[]; newSize: number }[]
}

/** How an update has changed a document, as the events of change streams describe it: by the smallest fields that differ. */
export function describeUpdate(before: Doc, after: Doc, isExpanded: boolean): Doc {
  const found: Difference = { updated: [], removed: [], truncated: [] }
  compareDocs(before, after, [], found)
  const updatedFields: Doc = {}
  for (const [path, value] of found.updated) setOwn(updatedFields, path.join('.'), value)
  const description: Doc = {
    updatedFields,
    removedFields: found.removed.map(path => path.join('.')),
    truncatedArrays: found.truncated.map(({ path, newSize }) => ({ field: path.join('.'), newSize: new Int32(newSize) })),
  }
  if (isExpanded) description.disambiguatedPaths = ambiguousPaths(found)
  return description
}

function compareDocs(before: Doc, after: Doc, path: Step[], found: Difference): void {
  for (const name of fieldNames(before)) if (!Object.hasOwn(after, name)) found.removed.push([...path, name])
  for (const name of fieldNames(after)) compareValues(Object.hasOwn(before, name) ? before[name] : undefined, after[name], [...path, name], found)
}

function compareValues(before: unknown, after: unknown, path: Step[], found: Difference): void {
  if (before !== undefined && identical(before, after)) return
  if (isDoc(before) && isDoc(after)) compareDocs(before, after, path, found)
  else if (Array.isArray(before) && Array.isArray(after)) compareArrays(before, after, path, found)
  else found.updated.push([path, after])
}

function compareArrays(before: readonly unknown[], after: readonly unknown[], path: Step[], found: Difference): void {
  after.forEach((value, i) => {
    compareValues(before[i], value, [...path, i], found)
  })
  if (after.length < before.length) found.truncated.push({ path, newSize: after.length })
}

/** Paths whose text does not show which part is a field and which is an array index. */
function ambiguousPaths({ updated, removed, truncated }: Difference): Doc {
  const result: Doc = {}
  for (const path of [...updated.map(([path]) => path), ...removed, ...truncated.map(({ path }) => path)])
    if (path.some(step => typeof step === 'string' && (/^\d+$/.test(step) || step.includes('.'))))
      setOwn(
        result,
        path.join('.'),
        path.map(step => (typeof step === 'number' ? new Int32(step) : step)),
      )
  return result
}
