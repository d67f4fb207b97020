import { Binary, BSONSymbol, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson'
import { checkedDate, parseDate } from '../values/dates.ts'
import { exactOf, exactOfDecimal, roundExact } from '../values/decimal.ts'
import { fail, MongoError } from '../values/errors.ts'
import { longOf, toDecimal } from '../values/numbers.ts'
import { asInteger, asNumber, isNumeric, isTruthy, type Numeric, typeName } from '../values/values.ts'
import { fixed, namedArguments, nullish, type Operator } from './core.ts'

const conversionFailure = 241

type Conversion = (v: unknown) => unknown

/** Conversions by the name of the target type; each refuses with 241 what it cannot convert. */
const conversions: Readonly<Record<string, Conversion>> = {
  double: v =>
    typeof v === 'string'
      ? new Double(parsedNumber(v))
      : v instanceof Date
        ? new Double(v.getTime())
        : typeof v === 'boolean'
          ? new Double(Number(v))
          : new Double(asNumber(numeric(v, 'double'))),
  string: v => (v instanceof Binary || toText(v) === undefined ? unsupported(v, 'string') : toText(v)),
  objectId: v => (v instanceof ObjectId ? v : typeof v === 'string' ? objectId(v) : unsupported(v, 'objectId')),
  bool: v => isTruthy(v),
  date: toDate,
  int: v => toInteger(v, 'int'),
  long: v => toInteger(v, 'long'),
  decimal: v =>
    typeof v === 'string'
      ? parsedDecimal(v)
      : typeof v === 'boolean'
        ? Decimal128.fromString(v ? '1' : '0')
        : v instanceof Date
          ? Decimal128.fromString(String(v.getTime()))
          : toDecimal(numeric(v, 'decimal')),
}

const typeNumbers: Readonly<Record<number, string>> = {
  1: 'double',
  2: 'string',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  16: 'int',
  18: 'long',
  19: 'decimal',
}

const shorthand = (name: string, to: string) => fixed(name, 1, v => (nullish(v) ? null : conversions[to]!(v)))

export const conversionOperators: Readonly<Record<string, Operator>> = {
  $toDouble: shorthand('$toDouble', 'double'),
  $toString: shorthand('$toString', 'string'),
  $toObjectId: shorthand('$toObjectId', 'objectId'),
  $toBool: shorthand('$toBool', 'bool'),
  $toDate: shorthand('$toDate', 'date'),
  $toInt: shorthand('$toInt', 'int'),
  $toLong: shorthand('$toLong', 'long'),
  $toDecimal: shorthand('$toDecimal', 'decimal'),
  $convert: (arg, compile) => {
    const fields = namedArguments('$convert', arg, ['input', 'to'], ['onError', 'onNull'])
    const [input, to, onNull] = [fields.input, fields.to, fields.onNull].map(expression => compile(expression))
    const onError = Object.hasOwn(fields, 'onError') ? compile(fields.onError) : undefined
    return root => {
      const v = input!(root)
      const target = to!(root)
      if (nullish(target)) return null
      if (nullish(v)) return onNull!(root) ?? null
      const conversion = conversionTo(target)
      try {
        return conversion(v)
      } catch (error) {
        if (onError && error instanceof MongoError && error.code === conversionFailure) return onError(root)
        throw error
      }
    }
  },
}

function conversionTo(target: unknown): Conversion {
  const name = typeof target === 'string' ? target : typeNumbers[asInteger(target) ?? 0]
  return name !== undefined && Object.hasOwn(conversions, name) ? conversions[name]! : fail(2, `Unknown type name: ${String(target)}`)
}

function unsupported(v: unknown, target: string): never {
  return fail(conversionFailure, `Unsupported conversion from ${typeName(v)} to ${target} in $convert with no onError value`)
}

function numeric(v: unknown, target: string): Numeric {
  return isNumeric(v) ? v : unsupported(v, target)
}

/** The text of a scalar as `$toString` writes it; undefined for what has none. */
export function toText(v: unknown): string | undefined {
  if (typeof v === 'string' || typeof v === 'boolean') return String(v)
  if (v instanceof Date) return checkedDate(v).toISOString()
  if (v instanceof ObjectId || v instanceof BSONSymbol || isNumeric(v)) return v.toString()
  return undefined
}

function toDate(v: unknown): Date {
  if (v instanceof Date) return v
  if (v instanceof ObjectId) return v.getTimestamp()
  if (v instanceof Timestamp) return new Date(v.t * 1000)
  if (typeof v === 'string') return parseDate(v)
  if (v instanceof Int32 || !isNumeric(v)) return unsupported(v, 'date')
  return checkedDate(new Date(Math.trunc(asNumber(v))))
}

function objectId(text: string): ObjectId {
  if (!/^[0-9a-f]{24}$/i.test(text)) fail(conversionFailure, `Failed to parse objectId '${text}' in $convert with no onError value`)
  return new ObjectId(text)
}

function parsedNumber(text: string): number {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^-?(nan|inf|infinity)$/i.test(text))
    fail(conversionFailure, `Failed to parse number '${text}' in $convert with no onError value`)
  return Number(text.replace(/^(-?)inf.*$/i, '$1Infinity'))
}

function parsedDecimal(text: string): Decimal128 {
  parsedNumber(text)
  return Decimal128.fromStringWithRounding(text)
}

function toInteger(v: unknown, target: 'int' | 'long'): Int32 | Long {
  if (typeof v === 'boolean') return target === 'int' ? new Int32(Number(v)) : Long.fromNumber(Number(v))
  if (v instanceof Date && target === 'long') return Long.fromNumber(v.getTime())
  if (typeof v === 'string')
    return fitted(
      /^[+-]?\d+$/.test(v) ? BigInt(v) : fail(conversionFailure, `Failed to parse number '${v}' in $convert with no onError value`),
      target,
    )
  return fitted(whole(numeric(v, target)), target)
}

function whole(v: Numeric): bigint {
  if (!(v instanceof Decimal128) && !Number.isFinite(asNumber(v)))
    return fail(conversionFailure, `Attempt to convert ${String(v)} to integer value in $convert with no onError value`)
  const exact = v instanceof Decimal128 ? exactOfDecimal(v) : exactOf(v)
  if (typeof exact === 'number' || exact.exp > 40)
    return fail(conversionFailure, `Conversion would overflow target type in $convert with no onError value: ${String(v)}`)
  const cut = roundExact(exact, 0, 'truncate')
  return cut.coef * 10n ** BigInt(Math.max(cut.exp, 0))
}

function fitted(n: bigint, target: 'int' | 'long'): Int32 | Long {
  const overflow = () => fail(conversionFailure, `Conversion would overflow target type in $convert with no onError value: ${n}`)
  if (target === 'long') return longOf(n) ?? overflow()
  return n === BigInt.asIntN(32, n) ? new Int32(Number(n)) : overflow()
}
