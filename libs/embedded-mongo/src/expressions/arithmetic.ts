import { Decimal128, Double, Int32, Long } from 'bson'
import { checkedDate } from '../values/dates.ts'
import { decimalOfExact, type Exact, exactOf, exactOfDecimal, exactOfDouble, nearestDouble, roundExact } from '../values/decimal.ts'
import { fail } from '../values/errors.ts'
import { add, divide, longOf, modulo, multiply, subtract } from '../values/numbers.ts'
import { asNumber, isNumeric, isTruthy, type Numeric, typeCode, typeName, type as types } from '../values/values.ts'
import { accumulators } from './accumulators.ts'
import { fixed, integerArgument, nullish, type Operator, ranged, variadic } from './core.ts'

export const arithmeticOperators: Readonly<Record<string, Operator>> = {
  $add: variadic(values => sum(values)),
  $subtract: fixed('$subtract', 2, difference),
  $multiply: variadic(values => {
    if (values.some(nullish)) return null
    let product: Numeric = new Int32(1)
    for (const v of values) product = widened(multiply, product, numeric(v, '$multiply'))
    return product
  }),
  $divide: binary('$divide', (a, b) => (isTruthy(b) ? divide(a, b) : fail(2, "can't $divide by zero"))),
  $mod: binary('$mod', (a, b) => (isTruthy(b) ? modulo(a, b) : fail(16610, "can't $mod by zero"))),
  $abs: unary('$abs', v =>
    asNumber(v) < 0
      ? typeCode(v) === types.long && v instanceof Long && v.equals(Long.MIN_VALUE)
        ? fail(28680, "can't take $abs of long long min")
        : subtract(new Int32(0), v)
      : v,
  ),
  $ceil: unary('$ceil', v => rounded(v, 0, 'ceil')),
  $floor: unary('$floor', v => rounded(v, 0, 'floor')),
  $round: places('$round', 'even'),
  $trunc: places('$trunc', 'truncate'),
  $sqrt: unary('$sqrt', v =>
    asNumber(v) < 0 ? fail(28714, "$sqrt's argument must be greater than or equal to 0") : inDoubles('$sqrt', Math.sqrt)(v),
  ),
  $pow: binary('$pow', power),
  $exp: unary('$exp', inDoubles('$exp', Math.exp)),
  $ln: unary('$ln', v => (asNumber(v) <= 0 ? fail(28766, "$ln's argument must be a positive number") : inDoubles('$ln', Math.log)(v))),
  $log10: unary('$log10', v => (asNumber(v) <= 0 ? fail(28761, "$log10's argument must be a positive number") : inDoubles('$log10', Math.log10)(v))),
  $log: binary('$log', (v, base) => {
    if (asNumber(v) <= 0) fail(28758, "$log's argument must be a positive number")
    if (asNumber(base) <= 0 || asNumber(base) === 1) fail(28759, "$log's base must be a positive number not equal to 1")
    return new Double(asNumber(noDecimal('$log', v)) === 0 ? 0 : Math.log(asNumber(v)) / Math.log(asNumber(noDecimal('$log', base))))
  }),
  ...trigonometry(),
  $bitAnd: bitwise('$bitAnd', (a, b) => a & b, -1n),
  $bitOr: bitwise('$bitOr', (a, b) => a | b, 0n),
  $bitXor: bitwise('$bitXor', (a, b) => a ^ b, 0n),
  $bitNot: unary('$bitNot', v =>
    typeCode(v) === types.int
      ? new Int32(~asNumber(v))
      : typeCode(v) === types.long
        ? longOf(~exactOf(v).coef)
        : fail(28765, `$bitNot only supports int and long, not: ${typeName(v)}`),
  ),
  $rand: () => () => new Double(Math.random()),
  ...Object.fromEntries(['$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp'].map(name => [name, overValues(name)])),
}

function unary(name: string, apply: (v: Numeric) => unknown): Operator {
  return fixed(name, 1, v => (nullish(v) ? null : apply(isNumeric(v) ? v : fail(28765, `${name} only supports numeric types, not ${typeName(v)}`))))
}

function binary(name: string, apply: (a: Numeric, b: Numeric) => unknown): Operator {
  return fixed(name, 2, (a, b) => (nullish(a) || nullish(b) ? null : apply(numeric(a, name), numeric(b, name))))
}

function numeric(v: unknown, name: string): Numeric {
  return isNumeric(v) ? v : fail(14, `${name} only supports numeric types, not ${typeName(v)}`)
}

/** In expressions an int64 that overflows becomes a double. */
function widened(operation: (a: Numeric, b: Numeric) => Numeric | undefined, a: Numeric, b: Numeric): Numeric {
  return operation(a, b) ?? operation(new Double(asNumber(a)), b)!
}

function sum(values: unknown[]): unknown {
  if (values.some(nullish)) return null
  let total: Numeric = new Int32(0)
  let date: Date | undefined
  for (const v of values) {
    if (v instanceof Date) {
      if (date) fail(16612, 'only one date allowed in an $add expression')
      date = v
    } else if (isNumeric(v)) total = widened(add, total, v)
    else fail(14, `$add only supports numeric or date types, not ${typeName(v)}`)
  }
  return date ? shifted(date, total, 1) : total
}

function shifted(date: Date, by: Numeric, direction: 1 | -1): Date {
  return checkedDate(new Date(date.getTime() + direction * Math.round(asNumber(by))))
}

function difference(a: unknown, b: unknown): unknown {
  if (nullish(a) || nullish(b)) return null
  if (a instanceof Date && b instanceof Date) return Long.fromNumber(checkedDate(a).getTime() - checkedDate(b).getTime())
  if (a instanceof Date && isNumeric(b)) return shifted(a, b, -1)
  if (isNumeric(a) && isNumeric(b)) return widened(subtract, a, b)
  return fail(14, `can't $subtract ${typeName(b)} from ${typeName(a)}`)
}

type Rounding = 'even' | 'truncate' | 'floor' | 'ceil'

function places(name: string, mode: Rounding): Operator {
  return ranged(name, 1, 2, (v, place = new Int32(0)) => {
    if (nullish(v) || nullish(place)) return null
    const digits = integerArgument(place, 51082, `precision argument to ${name} must be a integral value`)
    if (digits < -20 || digits > 100) fail(51083, `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`)
    return rounded(isNumeric(v) ? v : fail(51081, `${name} only supports numeric types, not ${typeName(v)}`), digits, mode)
  })
}

function rounded(v: Numeric, place: number, mode: Rounding): Numeric {
  if (v instanceof Decimal128) {
    const exact = exactOfDecimal(v)
    return typeof exact === 'number' ? v : decimalOfExact(roundExact(exact, place, mode))
  }
  const code = typeCode(v)
  if (code === types.double) {
    const d = asNumber(v)
    return Number.isFinite(d) ? new Double(nearestDouble(roundExact(exactOfDouble(d), place, mode))) : v
  }
  if (place >= 0) return v
  const whole = integerOf(roundExact(exactOf(v), place, mode))
  const long = longOf(whole) ?? fail(51080, 'invalid conversion from Decimal128 result in $round: value is out of range')
  return code === types.int && whole === BigInt(Number(whole) | 0) ? new Int32(Number(whole)) : long
}

function integerOf(e: Exact): bigint {
  return e.coef * 10n ** BigInt(Math.max(e.exp, 0))
}

function power(base: Numeric, exponent: Numeric): Numeric {
  if (asNumber(base) === 0 && asNumber(exponent) < 0) fail(28764, '$pow cannot take a base of 0 and a negative exponent')
  const wide = base instanceof Decimal128 || exponent instanceof Decimal128
  const whole = Number.isInteger(asNumber(exponent)) && Math.abs(asNumber(exponent)) <= 1000
  if (wide && !whole) return fail(115, '$pow of decimals with such an exponent is not supported by this engine')
  const codes = [typeCode(base), typeCode(exponent)]
  if (!wide && codes.includes(types.double)) return new Double(asNumber(base) ** asNumber(exponent))
  if (asNumber(exponent) < 0)
    return wide ? divide(new Int32(1), power(base, new Int32(-asNumber(exponent)))) : new Double(asNumber(base) ** asNumber(exponent))
  let result: Numeric = wide ? Decimal128.fromString('1') : new Int32(1)
  if (!whole) return new Double(asNumber(base) ** asNumber(exponent))
  for (let i = 0; i < asNumber(exponent); i++) result = widened(multiply, result, base)
  return result
}

function noDecimal(name: string, v: Numeric): Numeric {
  return v instanceof Decimal128 ? fail(115, `${name} of a decimal is not supported by this engine`) : v
}

/** Functions that only doubles have here: for a decimal the answer would lack digits, so it is refused. */
function inDoubles(name: string, apply: (d: number) => number): (v: Numeric) => Double {
  return v => new Double(apply(asNumber(noDecimal(name, v))))
}

function trigonometry(): Record<string, Operator> {
  const names = ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const
  const table = Object.fromEntries(names.map(name => [`$${name}`, unary(`$${name}`, inDoubles(`$${name}`, Math[name]))]))
  table.$atan2 = binary('$atan2', (a, b) => new Double(Math.atan2(asNumber(noDecimal('$atan2', a)), asNumber(noDecimal('$atan2', b)))))
  table.$degreesToRadians = unary(
    '$degreesToRadians',
    inDoubles('$degreesToRadians', d => (d * Math.PI) / 180),
  )
  table.$radiansToDegrees = unary(
    '$radiansToDegrees',
    inDoubles('$radiansToDegrees', d => (d * 180) / Math.PI),
  )
  return table
}

function bitwise(name: string, apply: (a: bigint, b: bigint) => bigint, start: bigint): Operator {
  return variadic(values => {
    if (values.some(nullish)) return null
    let bits = start
    let long = false
    for (const v of values) {
      const code = typeCode(v)
      if (code !== types.int && code !== types.long) return fail(14, `${name} only supports int and long operands.`)
      if (code === types.long) long = true
      bits = apply(bits, exactOf(v as Numeric).coef)
    }
    return long ? longOf(bits) : new Int32(Number(bits))
  })
}

/** `$sum` and its kin outside `$group`: over their arguments, or over the elements of a single argument that is an array. */
function overValues(name: string): Operator {
  return (arg, compile) => {
    const terms = (Array.isArray(arg) ? arg : [arg]).map(term => compile(term))
    return root => {
      const values = terms.map(term => term(root))
      const accumulator = accumulators[name]!()
      const operands = values.length === 1 && Array.isArray(values[0]) ? values[0] : values
      for (const v of operands) accumulator.add(v)
      return accumulator.result()
    }
  }
}
