import type { Index } from '../storage/index-spec.ts'
import { fail } from '../values/errors.ts'
import { encodeKey } from '../values/key.ts'
import { type Doc, getOwn, isDoc } from '../values/values.ts'

export interface IndexKey {
  values: unknown[]
  key: Buffer
}

export interface IndexKeys {
  keys: IndexKey[]
  /** By field: whether an array was met on the way. */
  multikey: boolean[]
  isExact: boolean
}

/** One field on its way through the document. */
interface Walk {
  value: unknown
  rest: readonly string[]
  isMissing: boolean
}

const noKeys: IndexKeys = { keys: [], multikey: [], isExact: true }

/**
 * The keys under which an index holds a document: one per element where a field runs through an array.
 * Throws 171 when two fields run through different arrays.
 */
export function keysOf(index: Index, doc: Doc): IndexKeys {
  if (!index.hasEntries || (index.holds && !index.holds(doc))) return noKeys
  const multikey = index.fields.map(() => false)
  const rows: Walk[][] = []
  expand(
    index.fields.map(field => ({ value: doc, rest: field.parts, isMissing: false })),
    multikey,
    rows,
  )
  const keys: IndexKey[] = []
  let isExact = true
  const seen = rows.length > 1 ? new Set<string>() : undefined
  for (const row of rows) {
    if (index.isSparse && row.every(walk => walk.isMissing)) continue
    const values = row.map(walk => walk.value)
    const encoded = encodeKey(values, index.directions)
    isExact &&= encoded.exact
    if (seen) {
      const text = encoded.key.toString('latin1')
      if (seen.has(text)) continue
      seen.add(text)
    }
    keys.push({ values, key: encoded.key })
  }
  return { keys, multikey, isExact }
}

function expand(walks: Walk[], multikey: boolean[], rows: Walk[][]): void {
  let array: unknown[] | undefined
  const inArray: number[] = []
  for (let i = 0; i < walks.length; i++) {
    walks[i] = advance(walks[i]!)
    const { value } = walks[i]!
    if (!Array.isArray(value) || walks[i]!.isMissing || isDone(walks[i]!)) continue
    if (array && array !== value) fail(171, 'cannot index parallel arrays')
    array = value
    inArray.push(i)
    multikey[i] = true
  }
  if (!array) return void rows.push(walks)
  const elements = array.length > 0 ? array : [undefined]
  for (const element of elements) {
    const next = walks.slice()
    for (const i of inArray) next[i] = ofElement(walks[i]!, element)
    expand(next, multikey, rows)
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
