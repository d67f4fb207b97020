import { analyzeFilter, type Conjunct } from '../query/conjuncts.ts'
import { compileFilter } from '../query/match.ts'
import { compare, typeOrder } from '../values/order.ts'
import { type Doc, isTruthy, setOwn } from '../values/values.ts'
import { mayBeMissing } from './plan-bounds.ts'

const lower = new Set(['$gt', '$gte'])
const dateOrder = 45
const upper = new Set(['$lt', '$lte'])

/** Whether everything that meets the conditions also meets the expression of a partial index; "no" when in doubt. */
export function implies(conjuncts: readonly Conjunct[], partial: Doc): boolean {
  return Object.keys(partial).every(key => {
    const condition = partial[key]
    if (key === '$and' && Array.isArray(condition)) return condition.every(part => implies(conjuncts, part as Doc))
    if (key === '$or' && Array.isArray(condition)) return condition.some(part => implies(conjuncts, part as Doc))
    if (key.startsWith('$')) return false
    const conditions = conjuncts.filter(({ path }) => path === key)
    return conditions.some(conjunct => impliesField(conjunct, key, condition)) || impliesEach(conditions, key, condition)
  })
}

/** A condition of several operators is met if each of them is. */
function impliesEach(given: readonly Conjunct[], path: string, condition: unknown): boolean {
  const { conjuncts, complete } = analyzeFilter({ [path]: condition })
  return complete && conjuncts.length > 1 && conjuncts.every(part => given.some(conjunct => impliesField(conjunct, path, { [part.op]: part.value })))
}

function impliesField(given: Conjunct, path: string, condition: unknown): boolean {
  const { op, value } = given
  if (op === '$eq') return holdsOf(value, path, condition)
  if (op === '$in') return Array.isArray(value) && value.length > 0 && value.every(member => holdsOf(member, path, condition))
  const { conjuncts, complete } = analyzeFilter({ [path]: condition })
  const [wanted] = conjuncts
  if (conjuncts.length === 1 && complete && wanted) return isNarrower(op, value, wanted)
  const only = condition as Doc
  if (Object.keys(only).length !== 1) return false
  // a comparison with a date holds of dates alone; one with a number holds of all kinds of them
  return (
    (isTruthy(only.$exists) && !mayBeMissing(given)) ||
    (Object.hasOwn(only, '$type') && typeOrder(value) === dateOrder && holdsOf(value, path, condition))
  )
}

/** Tested on a document with only this value. Null also matches a missing field and proves nothing. */
function holdsOf(value: unknown, path: string, condition: unknown): boolean {
  if (value === null || value === undefined) return false
  const parts = path.split('.')
  let doc: unknown = value
  for (const part of parts.reverse()) {
    const outer: Doc = {}
    setOwn(outer, part, doc)
    doc = outer
  }
  return compileFilter({ [path]: condition })(doc as Doc)
}

function isNarrower(op: string, value: unknown, wanted: Conjunct): boolean {
  if (typeOrder(value) !== typeOrder(wanted.value)) return false
  const order = compare(value, wanted.value)
  if (lower.has(op) && lower.has(wanted.op)) return order > 0 || (order === 0 && (op === '$gt' || wanted.op === '$gte'))
  if (upper.has(op) && upper.has(wanted.op)) return order < 0 || (order === 0 && (op === '$lt' || wanted.op === '$lte'))
  return false
}
