import { regexParts } from '../values/regex.ts'
import { asDoc, type Doc, fieldNames } from '../values/values.ts'
import { dbRefKeys, isOperatorDoc } from './match.ts'

/** What a planner can use of a filter: a condition that every matching document meets. */
export interface Conjunct {
  readonly path: string
  readonly op: '$eq' | '$in' | '$gt' | '$gte' | '$lt' | '$lte'
  readonly value: unknown
}

const plannable = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte'])

/**
 * The equalities, memberships and ranges that hold of every match, `$and` flattened. A path may run through arrays, and then each
 * conjunct may be met by another element. `complete` is true when the conjuncts are the whole filter.
 */
export function analyzeFilter(filter: Doc): { conjuncts: Conjunct[]; complete: boolean } {
  const conjuncts: Conjunct[] = []
  let complete = true
  const add = (path: string, op: string, value: unknown) => {
    const usable = plannable.has(op) && !(op === '$in' && Array.isArray(value) && value.some(member => regexParts(member) || isOperatorDoc(member)))
    if (usable) conjuncts.push({ path, op: op as Conjunct['op'], value })
    else if (op !== '$comment') complete = false
  }
  const walk = (clause: Doc) => {
    for (const key of fieldNames(clause)) {
      const condition = clause[key]
      if (key === '$and' && Array.isArray(condition)) for (const inner of condition) walk(asDoc(inner) ?? {})
      else if (key.startsWith('$') && !dbRefKeys.has(key)) add(key, key, condition)
      else if (isOperatorDoc(condition)) for (const op of Object.keys(condition)) add(key, op, condition[op])
      else add(key, regexParts(condition) ? '$regex' : '$eq', condition)
    }
  }
  walk(filter)
  return { conjuncts, complete }
}
