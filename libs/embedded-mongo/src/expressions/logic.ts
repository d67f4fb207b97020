import { Int32 } from 'bson'
import { fail } from '../values/errors.ts'
import { asDoc, type Doc, isDoc, isTruthy, typeName } from '../values/values.ts'
import { checkVariableName, compareValues, fixed, namedArguments, nullish, type Operator, withVariable } from './core.ts'

const comparison = (name: string, holds: (c: number) => boolean) => fixed(name, 2, (a, b) => holds(compareValues(a, b)))

export const logicOperators: Readonly<Record<string, Operator>> = {
  $eq: comparison('$eq', c => c === 0),
  $ne: comparison('$ne', c => c !== 0),
  $gt: comparison('$gt', c => c > 0),
  $gte: comparison('$gte', c => c >= 0),
  $lt: comparison('$lt', c => c < 0),
  $lte: comparison('$lte', c => c <= 0),
  $cmp: fixed('$cmp', 2, (a, b) => new Int32(Math.sign(compareValues(a, b)))),
  $and: (arg, compile) => {
    const terms = (Array.isArray(arg) ? arg : [arg]).map(term => compile(term))
    return root => terms.every(term => isTruthy(term(root)))
  },
  $or: (arg, compile) => {
    const terms = (Array.isArray(arg) ? arg : [arg]).map(term => compile(term))
    return root => terms.some(term => isTruthy(term(root)))
  },
  $not: fixed('$not', 1, v => !isTruthy(v)),
  $cond: (arg, compile) => {
    const branches = Array.isArray(arg) ? arg : condition(arg)
    if (branches.length !== 3) fail(16020, `Expression $cond takes exactly 3 arguments. ${branches.length} were passed in.`)
    const [test, yes, no] = branches.map(branch => compile(branch))
    return root => (isTruthy(test!(root)) ? yes!(root) : no!(root))
  },
  $ifNull: (arg, compile) => {
    if (!Array.isArray(arg) || arg.length < 2) return fail(1257300, '$ifNull needs at least two arguments')
    const choices = arg.map(choice => compile(choice))
    return root => {
      let value: unknown
      for (const choice of choices) {
        value = choice(root)
        if (!nullish(value)) return value
      }
      return value
    }
  },
  $switch: (arg, compile) => {
    const { branches, default: otherwise } = namedArguments('$switch', arg, ['branches'], ['default'])
    if (!Array.isArray(branches)) return fail(40061, `$switch expected an array for 'branches', found: ${typeName(branches)}`)
    if (branches.length === 0 && otherwise === undefined) fail(40068, '$switch requires at least one branch.')
    const cases = branches.map(branch => {
      const fields = namedArguments('$switch', branch, ['case', 'then'], [])
      return { test: compile(fields.case), value: compile(fields.then) }
    })
    const fallback = Object.hasOwn(arg as Doc, 'default')
      ? compile(otherwise)
      : () => fail(40066, '$switch could not find a matching branch for an input, and no default was specified.')
    return root => (cases.find(({ test }) => isTruthy(test(root)))?.value ?? fallback)(root)
  },
  $let: (arg, compile, scope) => {
    const fields = namedArguments('$let', arg, ['vars', 'in'], [])
    const vars = asDoc(fields.vars) ?? fail(16876, `invalid parameter: expected an object (vars)`)
    const bindings = Object.keys(vars).map(name => ({
      name: checkVariableName(name),
      value: compile(vars[name]),
      box: { value: undefined as unknown },
    }))
    const body = compile(
      fields.in,
      bindings.reduce((inner, { name, box }) => withVariable(inner, name, box), scope),
    )
    return root => {
      const values = bindings.map(({ value }) => value(root))
      bindings.forEach(({ box }, i) => {
        box.value = values[i]
      })
      return body(root)
    }
  },
  $literal: arg => () => arg,
  $expr: (arg, compile) => compile(arg),
}

function condition(arg: unknown): unknown[] {
  if (!isDoc(arg)) return fail(16020, 'Expression $cond takes exactly 3 arguments. 1 were passed in.')
  const fields = namedArguments('$cond', arg, ['if', 'then', 'else'], [])
  return [fields.if, fields.then, fields.else]
}
