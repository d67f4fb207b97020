import { Decimal128, Double, Int32, Long } from 'bson'
import { addExact, decimalOfExact, type Exact, exactOfDecimal } from '../values/decimal.ts'
import { fail } from '../values/errors.ts'
import { identity } from '../values/key.ts'
import { divide, longOf, toDecimal } from '../values/numbers.ts'
import { compare } from '../values/order.ts'
import { asDoc, asNumber, type Doc, fieldNames, isNumeric, longToBigInt, setOwn, typeName } from '../values/values.ts'

/** Gathers values one by one; `undefined` is a missing value. */
export interface Accumulator {
  add(value: unknown): void
  result(): unknown
}

/** The accumulators of `$group` with one expression as the argument. */
export const accumulators: Readonly<Record<string, () => Accumulator>> = {
  $sum: total,
  $avg: average,
  $min: () => extreme(-1),
  $max: () => extreme(1),
  $first: first,
  $last: last,
  $push: push,
  $addToSet: addToSet,
  $mergeObjects: mergeObjects,
  $stdDevPop: () => deviation(0),
  $stdDevSamp: () => deviation(1),
}

/** A running sum that stays in plain numbers while it can and is exact for integers and decimals. */
function total(): Accumulator {
  const sum = new Sum()
  return { add: v => sum.add(v), result: () => sum.value() }
}

class Sum {
  count = 0
  private integers = 0
  private overflow = 0n
  private doubles = 0
  private compensation = 0
  private decimals: Exact | number | undefined
  private wide = false
  private floating = false

  add(v: unknown): void {
    if (v instanceof Int32) this.addInteger(v.value)
    else if (v instanceof Double) this.addDouble(v.value)
    else if (v instanceof Decimal128) this.addDecimal(v)
    else if (isNumeric(v)) this.addRare(v)
    else return
    this.count++
  }

  private addInteger(n: number): void {
    const sum = this.integers + n
    if (Number.isSafeInteger(sum)) this.integers = sum
    else {
      this.overflow += BigInt(this.integers) + BigInt(n)
      this.integers = 0
    }
  }

  /** Neumaier's compensated sum, so that the order of the documents matters little. */
  private addDouble(d: number): void {
    this.floating = true
    const sum = this.doubles + d
    if (Number.isFinite(sum)) this.compensation += Math.abs(this.doubles) >= Math.abs(d) ? this.doubles - sum + d : d - sum + this.doubles
    this.doubles = sum
  }

  private addDecimal(v: Decimal128): void {
    const exact = exactOfDecimal(v)
    const before = this.decimals ?? { coef: 0n, exp: 0 }
    if (typeof exact !== 'number' && typeof before !== 'number') this.decimals = addExact(before, exact)
    else this.decimals = (typeof before === 'number' ? before : 0) + (typeof exact === 'number' ? exact : 0)
  }

  private addRare(v: Long | number | bigint | Int32 | Double | Decimal128): void {
    if (typeof v === 'number') {
      if (Number.isInteger(v)) this.addInteger(v)
      else this.addDouble(v)
      return
    }
    this.wide = true
    if (v instanceof Long && Math.abs(v.high) < 0x10_0000) this.addInteger(v.high * 0x1_0000_0000 + (v.low >>> 0))
    else this.overflow += v instanceof Long ? longToBigInt(v) : BigInt(v as bigint)
  }

  value(): Int32 | Double | Long | Decimal128 {
    const whole = this.overflow + BigInt(this.integers)
    const double = this.doubles + this.compensation
    if (this.decimals !== undefined) {
      const rest = toDecimal(new Double(double))
      if (typeof this.decimals === 'number') return Decimal128.fromString(String(this.decimals + double))
      const exactRest = this.floating ? exactOfDecimal(rest) : { coef: 0n, exp: 0 }
      if (typeof exactRest === 'number') return rest
      return decimalOfExact(addExact(addExact(this.decimals, { coef: whole, exp: 0 }), exactRest))
    }
    if (this.floating) return new Double(double + Number(whole))
    if (!this.wide && this.overflow === 0n && this.integers === (this.integers | 0)) return new Int32(this.integers)
    return longOf(whole) ?? new Double(Number(whole))
  }
}

function average(): Accumulator {
  const sum = new Sum()
  return { add: v => sum.add(v), result: () => (sum.count === 0 ? null : divide(sum.value(), new Int32(sum.count))) }
}

function extreme(direction: 1 | -1): Accumulator {
  let found: unknown
  return {
    add: v => {
      if (v !== undefined && v !== null && (found === undefined || compare(v, found) * direction > 0)) found = v
    },
    result: () => found ?? null,
  }
}

function first(): Accumulator {
  let found: unknown
  let seen = false
  return {
    add: v => {
      if (!seen) found = v
      seen = true
    },
    result: () => found ?? null,
  }
}

function last(): Accumulator {
  let found: unknown
  return {
    add: v => {
      found = v
    },
    result: () => found ?? null,
  }
}

function push(): Accumulator {
  const values: unknown[] = []
  return {
    add: v => {
      if (v !== undefined) values.push(v)
    },
    result: () => values,
  }
}

function addToSet(): Accumulator {
  const values = new Map<unknown, unknown>()
  return {
    add: v => {
      const key = identity(v)
      if (v !== undefined && !values.has(key)) values.set(key, v)
    },
    result: () => [...values.values()],
  }
}

function mergeObjects(): Accumulator {
  const merged: Doc = {}
  return {
    add: v => {
      if (v === undefined || v === null) return
      const doc = asDoc(v) ?? fail(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(v)}`)
      for (const key of fieldNames(doc)) setOwn(merged, key, doc[key])
    },
    result: () => merged,
  }
}

/** Welford's running variance; `spare` is 1 for a sample. */
function deviation(spare: 0 | 1): Accumulator {
  let count = 0
  let mean = 0
  let squares = 0
  return {
    add: v => {
      if (!isNumeric(v)) return
      const d = asNumber(v)
      count++
      const delta = d - mean
      mean += delta / count
      squares += delta * (d - mean)
    },
    result: () => (count <= spare ? null : new Double(Math.sqrt(squares / (count - spare)))),
  }
}
