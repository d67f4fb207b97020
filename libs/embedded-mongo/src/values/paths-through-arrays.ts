import { type Doc, emptyArray, getOwn, isDoc } from './values.ts'

/** One path on its way through a document. */
export interface Walk {
  value: unknown
  rest: readonly string[]
  isMissing: boolean
}

/**
 * The combinations of values that a document has at some paths: one for each element where paths run through an array. `multikey` is marked
 * for the paths that met one. `failParallel` is called when two paths run through different arrays.
 */
export function combinationsOf(doc: Doc, paths: readonly (readonly string[])[], multikey: boolean[], failParallel: () => never): Walk[][] {
  const rows: Walk[][] = []
  expand(
    paths.map(rest => ({ value: doc, rest, isMissing: false })),
    multikey,
    rows,
    failParallel,
  )
  return rows
}

function expand(walks: Walk[], multikey: boolean[], rows: Walk[][], failParallel: () => never): void {
  let array: unknown[] | undefined
  const inArray: number[] = []
  for (let i = 0; i < walks.length; i++) {
    walks[i] = advance(walks[i]!)
    const { value } = walks[i]!
    if (!Array.isArray(value) || walks[i]!.isMissing || isDone(walks[i]!)) continue
    if (array && array !== value) failParallel()
    array = value
    inArray.push(i)
    multikey[i] = true
  }
  if (!array) return void rows.push(walks)
  const elements = array.length > 0 ? array : [emptyArray]
  for (const element of elements) {
    const next = walks.slice()
    for (const i of inArray) next[i] = ofElement(walks[i]!, element)
    expand(next, multikey, rows, failParallel)
  }
}

/** An element of an array that the field itself names is indexed whole, even if it is an array again. */
const whole: readonly string[] = ['']

function isDone(walk: Walk): boolean {
  return walk.rest === whole
}

function ofElement(walk: Walk, element: unknown): Walk {
  if (walk.rest.length === 0) return { value: element, rest: whole, isMissing: false }
  return isDoc(element) ? { value: element, rest: walk.rest, isMissing: false } : { value: undefined, rest: whole, isMissing: true }
}

/** Goes down until the path ends, is missing, or meets an array that is to be expanded. */
function advance(walk: Walk): Walk {
  let { value, rest } = walk
  if (rest === whole) return walk
  while (rest.length > 0) {
    const name = rest[0]!
    if (Array.isArray(value)) {
      if (!/^\d+$/.test(name) || Number(name) >= value.length) return { value, rest, isMissing: false }
      value = value[Number(name)]
    } else if (isDoc(value) && Object.hasOwn(value, name)) value = getOwn(value, name)
    else return { value: undefined, rest: whole, isMissing: true }
    rest = rest.slice(1)
  }
  return { value, rest, isMissing: value === undefined }
}
