import { Decimal128, Double, Int32, Long } from 'bson'
import { longToBigInt, type Numeric } from './values.ts'

/** An exact finite number: coefficient × 10^exponent. */
export interface Exact {
  readonly coef: bigint
  readonly exp: number
}

const precision = 34
const coefMask = (1n << 113n) - 1n
const coefLimit = 10n ** 34n
const exponentBias = 6176
const exponentMax = 6111

/** The exact value of a Decimal128; NaN and ±Infinity come as JavaScript numbers. */
export function exactOfDecimal(d: Decimal128): Exact | number {
  const b = d.bytes
  const top = b[15]!
  const negative = (top & 0x80) !== 0
  if ((top & 0x78) === 0x78) {
    if (top & 0x04) return Number.NaN
    return negative ? -Infinity : Infinity
  }
  const exp = (((top & 0x7f) << 7) | (b[14]! >> 1)) - exponentBias
  const view = new DataView(b.buffer, b.byteOffset, 16)
  const coef = ((view.getBigUint64(8, true) << 64n) | view.getBigUint64(0, true)) & coefMask
  // Coefficients beyond 34 digits, and the encoding that could only hold such ones, count as zero (IEEE 754-2008, 3.5.2).
  if ((top & 0x60) === 0x60 || coef >= coefLimit) return { coef: 0n, exp: 0 }
  return { coef: negative ? -coef : coef, exp }
}

/** The exact value of a finite double. */
export function exactOfDouble(d: number): Exact {
  if (Number.isSafeInteger(d)) return { coef: BigInt(d), exp: 0 }
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, d)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & ((1n << 52n) - 1n)
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n)
  const power = (biased === 0 ? 1 : biased) - 1075
  const signed = d < 0 ? -mantissa : mantissa
  return power >= 0 ? { coef: signed << BigInt(power), exp: 0 } : { coef: signed * 5n ** BigInt(-power), exp: power }
}

/** The nearest double of an exact number (±Infinity beyond its range). */
export function nearestDouble(e: Exact): number {
  if (e.exp === 0) return Number(e.coef)
  return Number(`${e.coef}e${e.exp}`)
}

/** -1, 0 or 1 by exact value. */
export function compareExact(a: Exact, b: Exact): number {
  const exp = Math.min(a.exp, b.exp)
  const x = scaled(a, exp)
  const y = scaled(b, exp)
  return x < y ? -1 : x > y ? 1 : 0
}

/** Whether a double holds the number exactly by its type. */
export function isDouble(v: Numeric): boolean {
  return v instanceof Int32 || v instanceof Double || typeof v === 'number'
}

/** The nearest double, but finite for every finite number, so that overflowing decimals stay below infinity. */
export function nearest(v: Numeric): number {
  if (v instanceof Int32 || v instanceof Double) return v.value
  if (v instanceof Decimal128) {
    const exact = exactOfDecimal(v)
    return typeof exact === 'number' ? exact : Math.min(Math.max(nearestDouble(exact), -Number.MAX_VALUE), Number.MAX_VALUE)
  }
  return v instanceof Long ? v.toNumber() : Number(v)
}

/** The exact value of a finite number. */
export function exactOf(v: Numeric): Exact {
  if (v instanceof Int32) return { coef: BigInt(v.value), exp: 0 }
  if (v instanceof Long) return { coef: longToBigInt(v), exp: 0 }
  if (v instanceof Decimal128) return exactOfDecimal(v) as Exact
  return typeof v === 'bigint' ? { coef: v, exp: 0 } : exactOfDouble(v instanceof Double ? v.value : v)
}

export function addExact(a: Exact, b: Exact): Exact {
  const exp = Math.min(a.exp, b.exp)
  return { coef: scaled(a, exp) + scaled(b, exp), exp }
}

export function multiplyExact(a: Exact, b: Exact): Exact {
  return { coef: a.coef * b.coef, exp: a.exp + b.exp }
}

/** The quotient to 40 digits, more than a Decimal128 holds; the divisor must not be zero. */
export function divideExact(a: Exact, b: Exact): Exact {
  const exact = a.coef % b.coef === 0n
  if (exact) return { coef: a.coef / b.coef, exp: a.exp - b.exp }
  const shift = Math.max(0, 40 + length(b.coef) - length(a.coef))
  const numerator = a.coef * 10n ** BigInt(shift)
  const coef = numerator / b.coef
  const sticky = numerator % b.coef === 0n ? 0n : numerator < 0n === b.coef < 0n ? 1n : -1n
  return trimmed({ coef: coef * 10n + sticky, exp: a.exp - b.exp - shift - 1 }, sticky === 0n)
}

/** The remainder with the sign of the dividend; the divisor must not be zero. */
export function moduloExact(a: Exact, b: Exact): Exact {
  const exp = Math.min(a.exp, b.exp)
  return { coef: scaled(a, exp) % scaled(b, exp), exp }
}

/** Rounds to `place` decimal places, half to even (or towards zero); negative places round left of the point. */
export function roundExact(e: Exact, place: number, mode: 'even' | 'truncate' | 'floor' | 'ceil'): Exact {
  const drop = -place - e.exp
  if (drop <= 0) return e
  return { coef: dropDigits(e.coef, drop, mode), exp: e.exp + drop }
}

/** The Decimal128 nearest to an exact number, half to even; beyond its range ±Infinity. */
export function decimalOfExact(e: Exact): Decimal128 {
  let { coef, exp } = e
  const drop = Math.max(length(coef) - precision, -exponentBias - exp)
  if (drop > 0) {
    coef = dropDigits(coef, drop, 'even')
    exp += drop
    if (length(coef) > precision) return decimalOfExact({ coef, exp })
  }
  if (coef === 0n) exp = Math.min(Math.max(exp, -exponentBias), exponentMax)
  while (exp > exponentMax && length(coef) < precision) {
    coef *= 10n
    exp--
  }
  if (exp > exponentMax) return Decimal128.fromString(coef < 0n ? '-Infinity' : 'Infinity')
  return Decimal128.fromString(`${coef}E${exp}`)
}

/** A double as Decimal128, to the 15 digits that a double surely carries, as MongoDB converts it in arithmetic. */
export function decimalOfDouble(d: number): Decimal128 {
  return Decimal128.fromString(Number.isFinite(d) ? d.toPrecision(15) : String(d))
}

function scaled(e: Exact, exp: number): bigint {
  return e.exp === exp ? e.coef : e.coef * 10n ** BigInt(e.exp - exp)
}

function length(n: bigint): number {
  return n < 0n ? n.toString().length - 1 : n.toString().length
}

function trimmed(e: Exact, mayTrim: boolean): Exact {
  let { coef, exp } = e
  while (mayTrim && coef !== 0n && coef % 10n === 0n) {
    coef /= 10n
    exp++
  }
  return { coef, exp }
}

function dropDigits(coef: bigint, count: number, mode: 'even' | 'truncate' | 'floor' | 'ceil'): bigint {
  const unit = 10n ** BigInt(Math.min(count, 7000))
  const quotient = coef / unit
  const rest = coef % unit
  if (rest === 0n || mode === 'truncate') return quotient
  if (mode === 'floor') return rest < 0n ? quotient - 1n : quotient
  if (mode === 'ceil') return rest > 0n ? quotient + 1n : quotient
  const twice = (rest < 0n ? -rest : rest) * 2n
  const up = twice > unit || (twice === unit && quotient % 2n !== 0n)
  return up ? quotient + (coef < 0n ? -1n : 1n) : quotient
}
