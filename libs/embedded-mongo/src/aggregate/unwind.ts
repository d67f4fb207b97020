import { Long } from 'bson'
import { namedArguments } from '../expressions/core.ts'
import { fail } from '../values/errors.ts'
import { asDoc, copyDoc, type Doc, getOwn, isTruthy, setOwn, typeName } from '../values/values.ts'
import type { Sink, Stage } from './sink.ts'

/** The document with a value set at a path; documents on the way are copied, anything else on the way is replaced. */
export function withPath(doc: Doc, path: readonly string[], value: unknown): Doc {
  const copy = copyDoc(doc)
  const [first, ...rest] = path as [string, ...string[]]
  if (rest.length > 0) setOwn(copy, first, withPath(asDoc(getOwn(doc, first)) ?? {}, rest, value))
  else if (value === undefined) delete copy[first]
  else setOwn(copy, first, value)
  return copy
}

/** `$unwind`: one document for each element of an array. */
export function unwindStage(arg: unknown): Stage {
  const spec = typeof arg === 'string' ? { path: arg } : namedArguments('$unwind', arg, ['path'], ['includeArrayIndex', 'preserveNullAndEmptyArrays'])
  const path = typeof spec.path === 'string' ? spec.path : fail(28808, `expected a string as the path for $unwind stage, got ${typeName(spec.path)}`)
  if (!path.startsWith('$')) fail(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`)
  const parts = path.slice(1).split('.')
  const index = spec.includeArrayIndex === undefined ? undefined : indexField(spec.includeArrayIndex)
  const preservesEmpty = isTruthy(spec.preserveNullAndEmptyArrays)
  const numbered = (doc: Doc, at: number | null) => (index ? withPath(doc, index, at === null ? null : Long.fromNumber(at)) : doc)
  return next => ({
    push: doc => {
      const value = valueAt(doc, parts)
      if (Array.isArray(value) && value.length > 0) return pushElements(value, (element, i) => numbered(withPath(doc, parts, element), i), next)
      if (value !== undefined && value !== null && !Array.isArray(value)) return next.push(numbered(doc, null))
      return preservesEmpty ? next.push(numbered(Array.isArray(value) ? withPath(doc, parts, undefined) : doc, null)) : true
    },
    end: () => next.end(),
  })
}

function pushElements(elements: unknown[], make: (element: unknown, i: number) => Doc, next: Sink): boolean {
  for (let i = 0; i < elements.length; i++) if (!next.push(make(elements[i], i))) return false
  return true
}

function indexField(name: unknown): string[] {
  if (typeof name !== 'string' || name === '') return fail(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage')
  if (name.startsWith('$')) fail(28822, `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${name}`)
  return name.split('.')
}

function valueAt(doc: Doc, parts: readonly string[]): unknown {
  let value: unknown = doc
  for (const part of parts) {
    const inner = asDoc(value)
    if (!inner) return undefined
    value = getOwn(inner, part)
  }
  return value
}
