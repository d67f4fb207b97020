import { fail } from '../values/errors.ts'
import { identity } from '../values/key.ts'
import { compare } from '../values/order.ts'
import { isTruthy, typeName } from '../values/values.ts'
import { fixed, nullish, type Operator, variadic } from './core.ts'

export const setOperators: Readonly<Record<string, Operator>> = {
  $setUnion: variadic(values => (values.some(nullish) ? null : sorted(distinct(values.flatMap(v => members(v, 17043, '$setUnion')))))),
  $setIntersection: variadic(values => {
    if (values.some(nullish)) return null
    const [first = [], ...others] = values.map(v => members(v, 17047, '$setIntersection'))
    const sets = others.map(other => new Set(other.map(identity)))
    return sorted(distinct(first.filter(v => sets.every(set => set.has(identity(v))))))
  }),
  $setDifference: fixed('$setDifference', 2, (a, b) => {
    if (nullish(a) || nullish(b)) return null
    const without = new Set(members(b, 17049, '$setDifference').map(identity))
    return distinct(members(a, 17048, '$setDifference').filter(v => !without.has(identity(v))))
  }),
  $setEquals: variadic(values => {
    if (values.length < 2) fail(17045, '$setEquals needs at least two arguments')
    const [first, ...others] = values.map(v => new Set(members(v, 17044, '$setEquals').map(identity)))
    return others.every(other => other.size === first!.size && [...other].every(v => first!.has(v)))
  }),
  $setIsSubset: fixed('$setIsSubset', 2, (a, b) => {
    const whole = new Set(members(b, 17042, '$setIsSubset').map(identity))
    return members(a, 17046, '$setIsSubset').every(v => whole.has(identity(v)))
  }),
  $anyElementTrue: fixed('$anyElementTrue', 1, v => members(v, 17041, '$anyElementTrue').some(isTruthy)),
  $allElementsTrue: fixed('$allElementsTrue', 1, v => members(v, 17040, '$allElementsTrue').every(isTruthy)),
}

function members(v: unknown, code: number, name: string): unknown[] {
  return Array.isArray(v) ? v : fail(code, `All operands of ${name} must be arrays. One argument is of type: ${typeName(v)}`)
}

function distinct(values: unknown[]): unknown[] {
  const seen = new Map<unknown, unknown>()
  for (const v of values) if (!seen.has(identity(v))) seen.set(identity(v), v)
  return [...seen.values()]
}

/** MongoDB leaves the order of a set open; sorted, the answer is the same each time. */
function sorted(values: unknown[]): unknown[] {
  return values.sort(compare)
}
