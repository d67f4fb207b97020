import { asDoc, type Doc, fieldReader, getOwn } from './values.ts'

/** The index of the array element that made a filter match: the value of the positional operator `$`. */
export interface Position {
  index?: number
}

/** A condition on one value; `undefined` is a missing field. */
export type Test = (value: unknown, at?: Position) => boolean

/** The array index that a path component names; undefined if it is none. */
export function arrayIndex(part: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(part) ? Number(part) : undefined
}

/**
 * A test of a document that holds if any value at the path holds. As in MongoDB a path runs through the elements of arrays; with `expand`
 * an array at its end means its elements and itself. A field that is missing is tested as `undefined`.
 */
export function anyAt(path: string, test: Test, expand: boolean): (doc: Doc, at?: Position) => boolean {
  const parts = path.split('.')
  if (parts.length > 1) return (doc, at) => inDoc(doc, parts, 0, test, expand, at)
  const read = fieldReader(path)
  return expand ? (doc, at) => atLeaf(read(doc), test, at) : (doc, at) => test(read(doc), at)
}

function atLeaf(value: unknown, test: Test, at: Position | undefined): boolean {
  if (!Array.isArray(value)) return test(value, at)
  for (let i = 0; i < value.length; i++) {
    if (test(value[i], at)) {
      if (at) at.index = i
      return true
    }
  }
  return test(value, at)
}

function inDoc(doc: Doc, parts: string[], i: number, test: Test, expand: boolean, at: Position | undefined): boolean {
  const value = getOwn(doc, parts[i]!)
  if (i === parts.length - 1) return expand ? atLeaf(value, test, at) : test(value, at)
  if (Array.isArray(value)) return inArray(value, parts, i + 1, test, expand, at)
  const inner = asDoc(value)
  return inner ? inDoc(inner, parts, i + 1, test, expand, at) : test(undefined, at)
}

function inArray(array: unknown[], parts: string[], i: number, test: Test, expand: boolean, at: Position | undefined): boolean {
  const index = arrayIndex(parts[i]!)
  for (let k = 0; k < array.length; k++) {
    const inner = asDoc(array[k])
    if ((inner && inDoc(inner, parts, i, test, expand, at)) || (k === index && atIndex(array[k], parts, i, test, expand, at))) {
      if (at) at.index = k
      return true
    }
  }
  return false
}

/** An element that the path names by its index: an array at the path's end is not expanded. */
function atIndex(element: unknown, parts: string[], i: number, test: Test, expand: boolean, at: Position | undefined): boolean {
  if (i === parts.length - 1) return test(element, at)
  if (Array.isArray(element)) return inArray(element, parts, i + 1, test, expand, at)
  const inner = asDoc(element)
  return inner !== undefined && inDoc(inner, parts, i + 1, test, expand, at)
}
