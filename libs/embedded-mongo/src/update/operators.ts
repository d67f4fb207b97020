import { Timestamp } from 'bson'
import { exactOf } from '../values/decimal.ts'
import { fail } from '../values/errors.ts'
import { add, longOf, multiply, zeroLike } from '../values/numbers.ts'
import { compare } from '../values/order.ts'
import { identical, isDoc, isNumeric, type Numeric, typeCode, typeName, type as types } from '../values/values.ts'
import { arrayOperators } from './array-operators.ts'
import { type Change, describe } from './paths.ts'

export interface Clock {
  readonly now: Date
}

type Operator = (arg: unknown, path: string, clock: Clock) => Change

/** Each update operator's effect on one value; `$rename` and `$setOnInsert`, which need more than that value, are in update.ts. */
export const updateOperators: Readonly<Record<string, Operator>> = {
  $set: arg => ({ creates: true, apply: old => (identical(old, arg) ? old : arg) }),
  $unset: () => ({ creates: false, apply: () => undefined }),
  $inc: (arg, path) => arithmetic('$inc', arg, path),
  $mul: (arg, path) => arithmetic('$mul', arg, path),
  $min: arg => ({ creates: true, apply: old => (old === undefined || compare(arg, old) < 0 ? arg : old) }),
  $max: arg => ({ creates: true, apply: old => (old === undefined || compare(arg, old) > 0 ? arg : old) }),
  $currentDate: currentDate,
  $bit: bit,
  ...arrayOperators,
}

function arithmetic(name: '$inc' | '$mul', arg: unknown, path: string): Change {
  if (!isNumeric(arg)) return fail(14, `Cannot ${name === '$inc' ? 'increment' : 'multiply'} with non-numeric argument: {${path}: ${describe(arg)}}`)
  const operation = name === '$inc' ? add : multiply
  const start = (): Numeric => (name === '$inc' ? arg : operation(zeroLike(arg), arg)!)
  return {
    creates: true,
    apply: old => {
      if (old === undefined) return start()
      if (!isNumeric(old))
        return fail(14, `Cannot apply ${name} to a value of non-numeric type. The field '${path}' is of non-numeric type ${typeName(old)}`)
      const result = operation(old, arg)
      if (result === undefined)
        return fail(2, `Failed to apply ${name} operations to current value (${describe(old)}) of the field '${path}': integer overflow`)
      return identical(old, result) ? old : result
    },
  }
}

function currentDate(arg: unknown, path: string, { now }: Clock): Change {
  const kind = isDoc(arg) ? arg.$type : arg
  if (isDoc(arg) && Object.keys(arg).some(key => key !== '$type'))
    fail(2, `Unrecognized $currentDate option: ${Object.keys(arg).find(key => key !== '$type')}`)
  if (kind === 'timestamp') return { creates: true, apply: () => new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 }) }
  if (kind === 'date' || typeof arg === 'boolean')
    return { creates: true, apply: old => (old instanceof Date && old.getTime() === now.getTime() ? old : now) }
  if (isDoc(arg)) fail(2, "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}")
  return fail(
    2,
    `${typeName(arg)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}). Field: ${path}`,
  )
}

const bitOperations: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = { and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b }

function bit(arg: unknown, path: string): Change {
  if (!isDoc(arg))
    return fail(
      2,
      `The $bit modifier is not compatible with a ${typeName(arg)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    )
  const steps = Object.keys(arg).map(name => {
    const operation = Object.hasOwn(bitOperations, name)
      ? bitOperations[name]!
      : fail(2, `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator`)
    const operand = isInteger(arg[name])
      ? (arg[name] as Numeric)
      : fail(2, `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(arg[name])}' is not supported here`)
    return { operation, operand }
  })
  if (steps.length === 0) fail(2, `You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}`)
  return {
    creates: true,
    apply: old => {
      if (old !== undefined && !isInteger(old))
        return fail(2, `Cannot apply $bit to a value of non-integral type. The field '${path}' is of type ${typeName(old)}`)
      const wide = [old, ...steps.map(({ operand }) => operand)].some(v => typeCode(v) === types.long)
      const start = old === undefined ? 0n : exactOf(old as Numeric).coef
      const bits = steps.reduce((value, { operation, operand }) => operation(value, exactOf(operand).coef), start)
      const result = wide ? longOf(bits)! : add(zeroLike(steps[0]!.operand), longOf(bits)!.toInt())!
      return identical(old, result) ? old : result
    },
  }
}

function isInteger(v: unknown): boolean {
  const code = typeCode(v)
  return code === types.int || code === types.long
}
