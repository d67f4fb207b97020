import { BSONSymbol, Double, Int32, ObjectId } from 'bson'
import { intersectsTest, withinTest } from '../geo/predicates.ts'
import { fail } from '../values/errors.ts'
import { identity } from '../values/key.ts'
import { compare, equal, typeOrder } from '../values/order.ts'
import type { Test } from '../values/path.ts'
import { compileRegex, regexParts } from '../values/regex.ts'
import { asInteger, asNumber, isDoc, isNumeric, isTypeCode, typeCode, typeCodeOf, typeName, type as types } from '../values/values.ts'
import { bitTests } from './bits.ts'

/** How an operator's test is applied to the values at a path. */
export interface Predicate {
  readonly test: Test
  /** an array at the path's end also means its elements */
  readonly expand: boolean
  /** the operator says that no value passes the test */
  readonly negated?: boolean
}

/** Operators that depend on their argument alone; `$elemMatch`, `$all` and `$not`, which hold further filters, are in match.ts. */
export const predicates: Readonly<Record<string, (arg: unknown, field: string) => Predicate>> = {
  $eq: arg => ({ test: equalityTest(arg), expand: true }),
  $ne: arg => ({ test: equalityTest(noRegex(arg, "Can't have regex as arg to $ne.")), expand: true, negated: true }),
  $gt: (arg, field) => ordering(arg, field, c => c > 0, types.minKey),
  $gte: (arg, field) => ordering(arg, field, c => c >= 0, types.minKey),
  $lt: (arg, field) => ordering(arg, field, c => c < 0, types.maxKey),
  $lte: (arg, field) => ordering(arg, field, c => c <= 0, types.maxKey),
  $in: arg => ({ test: memberTest(arg, '$in'), expand: true }),
  $nin: arg => ({ test: memberTest(arg, '$nin'), expand: true, negated: true }),
  $exists: arg => ({ test: v => v !== undefined, expand: false, negated: !(arg === undefined || truthy(arg)) }),
  $type: arg => ({ test: typeTest(arg), expand: true }),
  $size: arg => ({ test: sizeTest(arg), expand: false }),
  $mod: arg => ({ test: modTest(arg), expand: true }),
  $geoWithin: arg => ({ test: withinTest(arg), expand: true }),
  $within: arg => ({ test: withinTest(arg), expand: true }),
  $geoIntersects: arg => ({ test: intersectsTest(arg), expand: true }),
  $bitsAllSet: arg => ({ test: bitTests.allSet(arg, '$bitsAllSet'), expand: true }),
  $bitsAllClear: arg => ({ test: bitTests.allClear(arg, '$bitsAllClear'), expand: true }),
  $bitsAnySet: arg => ({ test: bitTests.anySet(arg, '$bitsAnySet'), expand: true }),
  $bitsAnyClear: arg => ({ test: bitTests.anyClear(arg, '$bitsAnyClear'), expand: true }),
}

/** Equality as a filter means it: by value across number types, null also for a missing field. */
export function equalityTest(value: unknown): Test {
  if (typeof value === 'string') return v => v === value || (v instanceof BSONSymbol && v.value === value)
  if (typeof value === 'boolean') return v => v === value
  if (value === null || value === undefined) return v => v === null || v === undefined
  if (value instanceof ObjectId) return v => v instanceof ObjectId && value.equals(v)
  if (value instanceof Int32 || value instanceof Double) {
    const n = value.value
    if (!Number.isNaN(n)) return v => (v instanceof Int32 || v instanceof Double ? v.value === n : isNumeric(v) && equal(v, value))
  }
  const order = typeOrder(value)
  return v => v !== undefined && typeOrder(v) === order && compare(v, value) === 0
}

/** Whether a string, or the same regular expression stored as a value, passes. */
export function regexTest(pattern: string, options: string): Test {
  const regex = compileRegex(pattern, options)
  return v => {
    if (typeof v === 'string') return regex.test(v)
    if (v instanceof BSONSymbol) return regex.test(v.value)
    const parts = typeof v === 'object' ? regexParts(v) : undefined
    return parts !== undefined && parts.pattern === pattern && parts.options === options
  }
}

function truthy(v: unknown): boolean {
  return isNumeric(v) ? asNumber(v) !== 0 : v !== false && v !== null
}

function noRegex(arg: unknown, message: string): unknown {
  return regexParts(arg) ? fail(2, message) : arg
}

/** Range operators compare within one type only; MinKey and MaxKey bound all types, and NaN meets only itself. */
function ordering(arg: unknown, field: string, holds: (c: number) => boolean, unboundedCode: number): Predicate {
  noRegex(arg, `Can't have RegEx as arg to predicate over field '${field}'.`)
  const order = typeOrder(arg)
  if (typeCode(arg) === unboundedCode) return { test: v => typeOrder(v) !== order || holds(0), expand: true }
  const nan = isNumeric(arg) && Number.isNaN(asNumber(arg))
  const test: Test = v => {
    if (typeOrder(v) !== order) return false
    const c = compare(v, arg)
    return holds(c) && (c === 0 || (!nan && !(isNumeric(v) && Number.isNaN(asNumber(v)))))
  }
  return { test, expand: true }
}

function memberTest(arg: unknown, name: string): Test {
  if (!Array.isArray(arg)) return fail(2, `${name} needs an array`)
  const regexes: Test[] = []
  const members = new Set<unknown>()
  for (const member of arg) {
    const parts = regexParts(member)
    if (parts) regexes.push(regexTest(parts.pattern, parts.options))
    else if (isDoc(member) && Object.keys(member)[0]?.startsWith('$')) fail(2, `cannot nest $ under ${name}`)
    else members.add(identity(member))
  }
  if (regexes.length === 0 && members.size === 1) return equalityTest(arg[0])
  return (v, at) => members.has(identity(v)) || regexes.some(test => test(v, at))
}

function typeTest(arg: unknown): Test {
  const wanted = (Array.isArray(arg) ? arg : [arg]).flatMap(typeCodes)
  if (wanted.length === 0) fail(9, '$type must match at least one type')
  const codes = new Set(wanted)
  return v => v !== undefined && codes.has(typeCode(v))
}

/** The type codes of an argument of `$type` or `bsonType`. */
export function typeCodes(arg: unknown): number[] {
  if (arg === 'number') return [types.int, types.long, types.double, types.decimal]
  if (typeof arg === 'string') return [typeCodeOf(arg) ?? fail(2, `Unknown type name alias: ${arg}`)]
  if (!isNumeric(arg)) return fail(14, 'type must be represented as a number or a string')
  const code = asInteger(arg) ?? fail(2, `Invalid numerical type code: ${arg}`)
  return isTypeCode(code) ? [code] : fail(2, `Invalid numerical type code: ${code}`)
}

function sizeTest(arg: unknown): Test {
  const size = asInteger(arg)
  if (size === undefined) return fail(2, `Failed to parse $size. Expected an integer, but got a value of type ${typeName(arg)}`)
  if (size < 0) fail(2, 'Failed to parse $size. Expected a non-negative number')
  return v => Array.isArray(v) && v.length === size
}

function modTest(arg: unknown): Test {
  if (!Array.isArray(arg)) return fail(2, 'malformed mod, needs to be an array')
  if (arg.length < 2) fail(2, 'malformed mod, not enough elements')
  if (arg.length > 2) fail(2, 'malformed mod, too many elements')
  const [divisor, remainder] = arg.map((v, i) => whole(v) ?? fail(2, `malformed mod, ${i ? 'remainder' : 'divisor'} value is invalid`))
  if (divisor === 0n) fail(2, 'divisor cannot be 0')
  return v => {
    const n = whole(v)
    return n !== undefined && n % divisor! === remainder
  }
}

/** A number cut to its whole part; undefined for what is no finite number. */
function whole(v: unknown): bigint | undefined {
  if (!isNumeric(v)) return undefined
  if (!(v instanceof Int32 || v instanceof Double) && /^-?\d+$/.test(String(v))) return BigInt(String(v))
  const n = Math.trunc(asNumber(v))
  return Number.isFinite(n) ? BigInt(n) : undefined
}
