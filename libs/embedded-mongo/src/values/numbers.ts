import { Decimal128, Double, Int32, Long } from 'bson'
import { addExact, decimalOfDouble, decimalOfExact, divideExact, type Exact, exactOf, exactOfDecimal, moduloExact, multiplyExact } from './decimal.ts'
import { asNumber, boxNumber, type Numeric } from './values.ts'

const longMax = 2n ** 63n - 1n
const longMin = -(2n ** 63n)

/** The types of arithmetic, narrowest first: a result is as wide as the wider operand. */
function rank(v: Numeric): 0 | 1 | 2 | 3 {
  if (v instanceof Int32) return 0
  if (v instanceof Double) return 2
  if (v instanceof Decimal128) return 3
  return v instanceof Long || typeof v === 'bigint' ? 1 : rank(boxNumber(v))
}

interface Operation {
  integers(a: bigint, b: bigint): bigint
  doubles(a: number, b: number): number
  decimals(a: Exact, b: Exact): Exact
}

const addition: Operation = { integers: (a, b) => a + b, doubles: (a, b) => a + b, decimals: addExact }
const subtraction: Operation = { integers: (a, b) => a - b, doubles: (a, b) => a - b, decimals: (a, b) => addExact(a, { coef: -b.coef, exp: b.exp }) }
const multiplication: Operation = { integers: (a, b) => a * b, doubles: (a, b) => a * b, decimals: multiplyExact }
const remainder: Operation = { integers: (a, b) => a % b, doubles: (a, b) => a % b, decimals: moduloExact }

/** The sum in the wider of the two types, int32 growing to int64; undefined when an int64 overflows. */
export function add(a: Numeric, b: Numeric): Numeric | undefined {
  return operate(addition, a, b)
}

/** The difference in the wider of the two types; undefined when an int64 overflows. */
export function subtract(a: Numeric, b: Numeric): Numeric | undefined {
  return operate(subtraction, a, b)
}

/** The product in the wider of the two types; undefined when an int64 overflows. */
export function multiply(a: Numeric, b: Numeric): Numeric | undefined {
  return operate(multiplication, a, b)
}

/** The remainder with the sign of the dividend; the divisor must not be zero. */
export function modulo(a: Numeric, b: Numeric): Numeric {
  return operate(remainder, a, b)!
}

/** The quotient, a double unless one operand is a Decimal128; the divisor must not be zero. */
export function divide(a: Numeric, b: Numeric): Numeric {
  if (rank(a) < 3 && rank(b) < 3) return new Double(asNumber(a) / asNumber(b))
  return decimalResult(a, b, (x, y) => x / y, divideExact)
}

function operate(operation: Operation, a: Numeric, b: Numeric): Numeric | undefined {
  const width = Math.max(rank(a), rank(b))
  if (width === 0) {
    const result = operation.doubles(asNumber(a), asNumber(b)) + 0
    return Math.abs(result) <= Number.MAX_SAFE_INTEGER ? integer(result) : longOf(operation.integers(BigInt(asNumber(a)), BigInt(asNumber(b))))
  }
  if (width === 1) return longOf(operation.integers(exactOf(a).coef, exactOf(b).coef))
  if (width === 2) return new Double(operation.doubles(asNumber(a), asNumber(b)))
  return decimalResult(a, b, operation.doubles, operation.decimals)
}

function integer(n: number): Int32 | Long {
  return n === (n | 0) ? new Int32(n) : Long.fromNumber(n)
}

/** An int64, or undefined when the value does not fit. */
export function longOf(n: bigint): Long | undefined {
  return n > longMax || n < longMin ? undefined : new Long(Number(BigInt.asIntN(32, n)), Number(BigInt.asIntN(32, n >> 32n)))
}

function decimalResult(a: Numeric, b: Numeric, doubles: (x: number, y: number) => number, exacts: (x: Exact, y: Exact) => Exact): Decimal128 {
  const x = operand(a)
  const y = operand(b)
  if (typeof x !== 'number' && typeof y !== 'number') return decimalOfExact(exacts(x, y))
  return Decimal128.fromString(String(doubles(typeof x === 'number' ? x : asNumber(a), typeof y === 'number' ? y : asNumber(b))))
}

function operand(v: Numeric): Exact | number {
  return v instanceof Decimal128 ? exactOfDecimal(v) : exactOperand(v)
}

function exactOperand(v: Numeric): Exact | number {
  if (rank(v) < 2) return exactOf(v)
  const d = asNumber(v)
  return Number.isFinite(d) ? exactOfDecimal(decimalOfDouble(d)) : d
}

/** A numeric value as Decimal128; doubles to 15 digits. */
export function toDecimal(v: Numeric): Decimal128 {
  if (v instanceof Decimal128) return v
  return rank(v) < 2 ? decimalOfExact(exactOf(v)) : decimalOfDouble(asNumber(v))
}

/** Zero in the type of another number. */
export function zeroLike(v: Numeric): Numeric {
  return [new Int32(0), Long.ZERO, new Double(0), Decimal128.fromString('0')][rank(v)]!
}
