import { compileElementFilter } from '../query/match.ts'
import { fail } from '../values/errors.ts'
import { compare, equal } from '../values/order.ts'
import { compileSort } from '../values/sort-docs.ts'
import { asInteger, type Doc, isDoc, typeName } from '../values/values.ts'
import { type Change, describe } from './paths.ts'

type Operator = (arg: unknown, path: string) => Change

const pushModifiers = new Set(['$each', '$position', '$slice', '$sort'])

/** The update operators that work on arrays. */
export const arrayOperators: Readonly<Record<string, Operator>> = { $push: push, $addToSet: addToSet, $pop: pop, $pull: pull, $pullAll: pullAll }

function push(arg: unknown, path: string): Change {
  const { each, position, slice, sort } = pushArguments(arg)
  return {
    creates: true,
    apply: old => {
      const array = arrayAt(old, path)
      const start = position === undefined ? array.length : position < 0 ? Math.max(array.length + position, 0) : Math.min(position, array.length)
      let result = [...array.slice(0, start), ...each, ...array.slice(start)]
      if (sort) result.sort(sort)
      if (slice !== undefined) result = slice < 0 ? result.slice(slice) : result.slice(0, slice)
      return old !== undefined && result.length === array.length && result.every((v, i) => v === array[i]) ? old : result
    },
  }
}

interface PushArguments {
  each: unknown[]
  position?: number | undefined
  slice?: number | undefined
  sort?: ((a: unknown, b: unknown) => number) | undefined
}

function pushArguments(arg: unknown): PushArguments {
  if (!isDoc(arg) || !Object.hasOwn(arg, '$each')) return { each: [arg] }
  const unknown = Object.keys(arg).find(key => !pushModifiers.has(key))
  if (unknown) fail(2, `Unrecognized clause in $push: ${unknown}`)
  const each = Array.isArray(arg.$each)
    ? arg.$each
    : fail(2, `The argument to $each in $push must be an array but it was of type ${typeName(arg.$each)}`)
  return { each, position: integerClause(arg, '$position'), slice: integerClause(arg, '$slice'), sort: sortClause(arg.$sort) }
}

function integerClause(arg: Doc, name: string): number | undefined {
  if (!Object.hasOwn(arg, name)) return undefined
  return asInteger(arg[name]) ?? fail(2, `The value for ${name} must be an integer value but was given type: ${typeName(arg[name])}`)
}

function sortClause(spec: unknown): PushArguments['sort'] {
  if (spec === undefined) return undefined
  if (isDoc(spec)) {
    const order = compileSort(spec)
    return (a, b) => order(isDoc(a) ? a : {}, isDoc(b) ? b : {})
  }
  const direction = asInteger(spec)
  if (direction !== 1 && direction !== -1) fail(2, 'The $sort element value must be either 1 or -1')
  return (a, b) => compare(a, b) * direction!
}

function addToSet(arg: unknown, path: string): Change {
  let each = [arg]
  if (isDoc(arg) && Object.keys(arg)[0] === '$each') {
    if (Object.keys(arg).length > 1) fail(2, `Found unexpected fields after $each in $addToSet: ${Object.keys(arg)[1]}`)
    each = Array.isArray(arg.$each)
      ? arg.$each
      : fail(14, `The argument to $each in $addToSet must be an array but it was of type ${typeName(arg.$each)}`)
  }
  return {
    creates: true,
    apply: old => {
      const result = [...arrayAt(old, path)]
      const before = result.length
      for (const value of each) if (!result.some(member => equal(member, value))) result.push(value)
      return old !== undefined && result.length === before ? old : result
    },
  }
}

function pop(arg: unknown, path: string): Change {
  const end = asInteger(arg)
  if (end !== 1 && end !== -1) fail(9, `$pop expects 1 or -1, found: ${describe(arg)}`)
  return {
    creates: false,
    apply: old => {
      if (old === undefined) return old
      if (!Array.isArray(old)) return fail(14, `Path '${path}' contains an element of non-array type '${typeName(old)}'`)
      if (old.length === 0) return old
      return end === 1 ? old.slice(0, -1) : old.slice(1)
    },
  }
}

function pull(condition: unknown): Change {
  return removing('$pull', compileElementFilter(condition))
}

function pullAll(arg: unknown): Change {
  if (!Array.isArray(arg)) return fail(2, `$pullAll requires an array argument but was given a ${typeName(arg)}`)
  return removing('$pullAll', v => arg.some(member => equal(member, v)))
}

function removing(operator: string, test: (v: unknown) => boolean): Change {
  return {
    creates: false,
    apply: old => {
      if (old === undefined) return old
      if (!Array.isArray(old)) return fail(2, `Cannot apply ${operator} to a non-array value`)
      const remaining = old.filter(v => !test(v))
      return remaining.length === old.length ? old : remaining
    },
  }
}

function arrayAt(old: unknown, path: string): unknown[] {
  if (old === undefined) return []
  return Array.isArray(old) ? old : fail(2, `The field '${path}' must be an array but is of type ${typeName(old)}`)
}
