import { compileMatcher, type FilterOptions } from '../query/match.ts'
import { fail } from '../values/errors.ts'
import type { Test } from '../values/path.ts'
import { asDoc, type Doc } from '../values/values.ts'
import { isElementsPlaceholder } from './paths.ts'

/**
 * Compiles `arrayFilters` into tests of array elements, by the name in `$[name]`.
 * @throws MongoError 9 or 2 for a filter without a usable name, or with more than one
 */
export function compileArrayFilters(filters: readonly Doc[], options: FilterOptions): Map<string, Test> {
  const tests = new Map<string, Test>()
  for (const filter of filters) {
    const [name, other] = new Set(topLevelNames(filter))
    const prefix = 'Error parsing array filter :: caused by ::'
    if (name === undefined) return fail(9, 'Cannot use an expression without a top-level field name in arrayFilters')
    if (other !== undefined) fail(9, `${prefix} Expected a single top-level field name, found '${name}' and '${other}'`)
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      fail(2, `${prefix} The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`)
    if (tests.has(name)) fail(9, `Found multiple array filters with the same top-level field name ${name}`)
    const matcher = compileMatcher(filter, options)
    tests.set(name, element => matcher({ [name]: element }))
  }
  return tests
}

function topLevelNames(filter: Doc): string[] {
  return Object.keys(filter).flatMap(key => {
    if (!key.startsWith('$')) return [key.split('.')[0]!]
    return Array.isArray(filter[key]) ? filter[key].flatMap(clause => topLevelNames(asDoc(clause) ?? {})) : []
  })
}

/** Refuses `$[name]` without a filter (2), and a filter that no path uses (9). */
export function checkArrayFilters(paths: readonly { path: string; parts: readonly string[] }[], filters: ReadonlyMap<string, Test>): void {
  const used = new Set<string>()
  for (const { path, parts } of paths) {
    for (const part of parts) {
      if (!isElementsPlaceholder(part) || part === '$[]') continue
      const name = part.slice(2, -1)
      if (!filters.has(name)) fail(2, `No array filter found for identifier '${name}' in path '${path}'`)
      used.add(name)
    }
  }
  for (const name of filters.keys()) if (!used.has(name)) fail(9, `The array filter for identifier '${name}' was not used in the update`)
}
