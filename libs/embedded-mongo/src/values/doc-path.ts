import { asDoc, copyDoc, type Doc, getOwn, setOwn } from './values.ts'

/** The value at a dotted path through documents; arrays are not entered. */
export function valueAt(doc: Doc, path: string): unknown {
  let value: unknown = doc
  for (const part of path.split('.')) {
    const inner = asDoc(value)
    value = inner ? getOwn(inner, part) : undefined
  }
  return value
}

/** A copy of the document with a value at a dotted path; a value on the path that is no document is replaced. */
export function withValueAt(doc: Doc, path: string, value: unknown): Doc {
  return withParts(doc, path.split('.'), value)
}

function withParts(doc: Doc, [first, ...rest]: readonly string[], value: unknown): Doc {
  const copy = copyDoc(doc)
  setOwn(copy, first!, rest.length === 0 ? value : withParts(asDoc(getOwn(doc, first!)) ?? {}, rest, value))
  return copy
}
