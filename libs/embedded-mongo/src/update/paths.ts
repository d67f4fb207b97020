import { fail } from '../values/errors.ts'
import { arrayIndex, type Test } from '../values/path.ts'
import { asDoc, copyDoc, type Doc, getOwn, setOwn } from '../values/values.ts'

/** What an update operator does to the value at its path; `undefined` is a missing field, before and after. */
export interface Change {
  /** whether the operator makes the fields that lead to its path */
  readonly creates: boolean
  apply(old: unknown): unknown
}

export interface Modification extends Change {
  readonly path: string
  readonly parts: readonly string[]
}

/** The meaning of the placeholders in update paths while one document is updated. */
export interface Placeholders {
  /** the filters of `$[name]`, by name */
  readonly arrayFilters: ReadonlyMap<string, Test>
  /** the index that `$` means, or a refusal */
  position(): number
}

/** Nesting that a document may reach (MongoDB's limit for stored documents). */
export const maxDepth = 180
const maxPadding = 1_500_000

/**
 * Splits and checks an update path.
 * Other names that begin with `$` than the placeholders `$`, `$[]` and `$[name]` are names like any other, except at the top (see `modify`).
 * @throws MongoError 56 for an empty component, 2 for a placeholder as the first or for a second `$`, 15 for a path too deep
 */
export function parseUpdatePath(path: string): string[] {
  const parts = path.split('.')
  if (parts.length > maxDepth) fail(15, `The update path is deeper than ${maxDepth} levels`)
  parts.forEach((part, i) => {
    if (part === '')
      fail(56, path === '' ? 'An empty update path is not valid.' : `The update path '${path}' contains an empty field name, which is not allowed.`)
    if (i > 0 || !isPlaceholder(part)) return
    const meaning = part === '$' ? "positional (i.e. '$')" : "array filter identifier (i.e. '$[<id>]')"
    fail(2, `Cannot have ${meaning} element in the first position in path '${path}'`)
  })
  if (parts.filter(part => part === '$').length > 1) fail(2, `Too many positional (i.e. '$') elements found in path '${path}'`)
  return parts
}

/** Whether it means elements without regard to the query: `$[]`, `$[name]`. */
export function isElementsPlaceholder(part: string): boolean {
  return part.startsWith('$[') && part.endsWith(']')
}

/** Whether a component of an update path means elements of an array: `$`, `$[]`, `$[name]`. */
export function isPlaceholder(part: string): boolean {
  return part === '$' || isElementsPlaceholder(part)
}

/**
 * The document with one modification made; the same object when nothing changes. Containers on the way are copied, the rest is shared.
 * @throws MongoError 52 for a field at the top that begins with `$`, made or changed
 */
export function modify(doc: Doc, modification: Modification, placeholders: Placeholders): Doc {
  return step(doc, 0, modification, placeholders) as Doc
}

function step(value: unknown, i: number, modification: Modification, placeholders: Placeholders): unknown {
  const { parts, creates } = modification
  if (i === parts.length) return changed(value, modification)
  const part = parts[i]!
  if (Array.isArray(value)) return inArray(value, part, i, modification, placeholders)
  if (isElementsPlaceholder(part)) return noArray(value, i, modification)
  const doc = asDoc(value)
  if (doc) return inDoc(doc, part === '$' ? String(placeholders.position()) : part, i, modification, placeholders)
  if (!creates) return value
  if (value !== undefined) fail(28, `Cannot create field '${part}' in element {${parts[i - 1]}: ${describe(value)}}`)
  return inDoc({}, part === '$' ? String(placeholders.position()) : part, i, modification, placeholders)
}

function changed(old: unknown, modification: Modification): unknown {
  const value = modification.apply(old)
  if (value !== old && modification.parts.length + depthOf(value) > maxDepth)
    fail(15, `The update would nest the document deeper than ${maxDepth} levels`)
  return value
}

function inDoc(doc: Doc, part: string, i: number, modification: Modification, placeholders: Placeholders): Doc {
  const old = getOwn(doc, part)
  const value = step(old, i + 1, modification, placeholders)
  if (value === old) return doc
  if (i === 0 && value !== undefined) checkTopName(part, modification.path)
  const copy = copyDoc(doc)
  if (value === undefined) delete copy[part]
  else setOwn(copy, part, value)
  return copy
}

/** Below the top any name may begin with `$`; at the top only insert, and stages of a pipeline, may write such a field, or `$unset` remove it. */
function checkTopName(name: string, path: string): void {
  if (name.startsWith('$') && name !== '$ref' && name !== '$id' && name !== '$db')
    fail(
      52,
      `The dollar ($) prefixed field '${name}' in '${path}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    )
}

function inArray(array: unknown[], part: string, i: number, modification: Modification, placeholders: Placeholders): unknown[] {
  if (isElementsPlaceholder(part)) return inElements(array, part, i, modification, placeholders)
  const index = part === '$' ? placeholders.position() : arrayIndex(part)
  if (index === undefined) {
    if (!modification.creates) return array
    return fail(28, `Cannot create field '${part}' in element {${modification.parts[i - 1]}: ${describe(array)}}`)
  }
  if (index >= array.length && !modification.creates) return array
  if (index > array.length + maxPadding) fail(2, `Cannot pad an array with more than ${maxPadding} nulls`)
  const value = step(array[index], i + 1, modification, placeholders)
  if (value === array[index]) return array
  const copy = array.slice()
  while (copy.length < index) copy.push(null)
  copy[index] = value ?? null // an element that is unset stays as null
  return copy
}

function inElements(array: unknown[], part: string, i: number, modification: Modification, placeholders: Placeholders): unknown[] {
  const name = part.slice(2, -1)
  const test = name === '' ? () => true : placeholders.arrayFilters.get(name)!
  let copy = array
  for (let k = 0; k < array.length; k++) {
    if (!test(array[k])) continue
    const value = step(array[k], i + 1, modification, placeholders)
    if (value === array[k]) continue
    if (copy === array) copy = array.slice()
    copy[k] = value ?? null
  }
  return copy
}

function noArray(value: unknown, i: number, { parts }: Modification): never {
  const path = parts.slice(0, i).join('.')
  if (value === undefined) return fail(2, `The path '${path}' must exist in the document in order to apply array updates.`)
  return fail(2, `Cannot apply array updates to non-array element ${parts[i - 1]}: ${describe(value)}`)
}

/** Levels of documents and arrays in a value. */
export function depthOf(value: unknown): number {
  let deepest = 0
  const inner = Array.isArray(value) ? value : Object.values(asDoc(value) ?? {})
  for (const v of inner) if (typeof v === 'object' && v !== null) deepest = Math.max(deepest, depthOf(v))
  return Array.isArray(value) || asDoc(value) ? deepest + 1 : 0
}

/** A value for an error message, short. */
export function describe(value: unknown): string {
  const text =
    value === undefined
      ? 'missing'
      : typeof value === 'string'
        ? JSON.stringify(value)
        : Array.isArray(value)
          ? '[...]'
          : asDoc(value)
            ? '{...}'
            : String(value)
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}
