import { fail } from '../values/errors.ts'
import { identity } from '../values/key.ts'
import { modulo } from '../values/numbers.ts'
import { compare, equal } from '../values/order.ts'
import { compileRegex } from '../values/regex.ts'
import {
  asDoc,
  asInteger,
  asNumber,
  type Doc,
  getOwn,
  isDoc,
  isNumeric,
  isTruthy,
  type Numeric,
  typeCode,
  typeName,
  type as types,
} from '../values/values.ts'
import { typeCodes } from './predicates.ts'

type Check = (v: unknown) => boolean
type Keyword = (arg: unknown, schema: Doc) => Check

/** JSON Schema names of `type`, with their BSON types. */
const jsonTypes: Readonly<Record<string, readonly number[]>> = {
  object: [types.object],
  array: [types.array],
  number: [types.int, types.long, types.double, types.decimal],
  boolean: [types.bool],
  string: [types.string],
  null: [types.null],
}

/** Keywords that only describe. */
const annotations = new Set(['title', 'description', 'exclusiveMinimum', 'exclusiveMaximum', 'additionalItems'])
const refused = new Set(['$ref', '$schema', 'default', 'definitions', 'format', 'id', '$id'])

/** Each keyword's check; a check passes values of types that its keyword does not speak of. */
const keywords: Readonly<Record<string, Keyword>> = {
  bsonType: arg => ofTypes(list(arg).flatMap(typeCodes)),
  type: arg =>
    ofTypes(
      list(arg).flatMap(name =>
        typeof name === 'string' && Object.hasOwn(jsonTypes, name) ? jsonTypes[name]! : fail(9, `Unknown type name alias: ${String(name)}`),
      ),
    ),
  enum: arg => {
    const allowed = array(arg, 'enum')
    return v => allowed.some(member => equal(member, v))
  },
  required: arg => {
    const names = array(arg, 'required').map(String)
    if (names.length === 0) fail(9, "$jsonSchema keyword 'required' cannot be an empty array")
    return onDoc(doc => names.every(name => Object.hasOwn(doc, name)))
  },
  properties: arg => {
    const checks = Object.entries(document(arg, 'properties')).map(([name, inner]) => [name, compile(inner)] as const)
    return onDoc(doc => checks.every(([name, check]) => !Object.hasOwn(doc, name) || check(doc[name])))
  },
  patternProperties: arg => {
    const checks = Object.entries(document(arg, 'patternProperties')).map(([pattern, inner]) => [compileRegex(pattern, ''), compile(inner)] as const)
    return onDoc(doc => Object.keys(doc).every(name => checks.every(([regex, check]) => !regex.test(name) || check(doc[name]))))
  },
  additionalProperties: (arg, schema) => {
    const check = arg === false ? () => false : isDoc(arg) ? compile(arg) : () => true
    const properties = new Set(Object.keys(asDoc(schema.properties) ?? {}))
    const patterns = Object.keys(asDoc(schema.patternProperties) ?? {}).map(pattern => compileRegex(pattern, ''))
    return onDoc(doc => Object.keys(doc).every(name => properties.has(name) || patterns.some(regex => regex.test(name)) || check(doc[name])))
  },
  dependencies: arg => {
    const checks = Object.entries(document(arg, 'dependencies')).map(
      ([name, needed]) => [name, Array.isArray(needed) ? keywords.required!(needed, {}) : compile(needed)] as const,
    )
    return onDoc(doc => checks.every(([name, check]) => !Object.hasOwn(doc, name) || check(doc)))
  },
  minProperties: arg => atLeast(arg, 'minProperties', v => sizeOf(asDoc(v))),
  maxProperties: arg => atMost(arg, 'maxProperties', v => sizeOf(asDoc(v))),
  minimum: (arg, schema) => bounded(arg, 'minimum', c => (isTruthy(schema.exclusiveMinimum) ? c > 0 : c >= 0)),
  maximum: (arg, schema) => bounded(arg, 'maximum', c => (isTruthy(schema.exclusiveMaximum) ? c < 0 : c <= 0)),
  multipleOf: arg => {
    const divisor = isNumeric(arg) && asNumber(arg) > 0 ? arg : fail(9, "$jsonSchema keyword 'multipleOf' must have a positive value")
    return v => !isNumeric(v) || !isTruthy(modulo(v, divisor))
  },
  minLength: arg => atLeast(arg, 'minLength', v => (typeof v === 'string' ? [...v].length : undefined)),
  maxLength: arg => atMost(arg, 'maxLength', v => (typeof v === 'string' ? [...v].length : undefined)),
  pattern: arg => {
    const regex = compileRegex(typeof arg === 'string' ? arg : fail(14, "$jsonSchema keyword 'pattern' must be a string"), '')
    return v => typeof v !== 'string' || regex.test(v)
  },
  items: (arg, schema) => {
    if (!Array.isArray(arg))
      return onArray(
        (
          check => (a: unknown[]) =>
            a.every(check)
        )(compile(arg)),
      )
    const checks = arg.map(compile)
    const rest = schema.additionalItems === false ? () => false : isDoc(schema.additionalItems) ? compile(schema.additionalItems) : () => true
    return onArray(a => a.every((v, i) => (checks[i] ?? rest)(v)))
  },
  minItems: arg => atLeast(arg, 'minItems', v => (Array.isArray(v) ? v.length : undefined)),
  maxItems: arg => atMost(arg, 'maxItems', v => (Array.isArray(v) ? v.length : undefined)),
  uniqueItems: arg => onArray(a => !isTruthy(arg) || new Set(a.map(identity)).size === a.length),
  allOf: arg => all(array(arg, 'allOf').map(compile)),
  anyOf: arg => {
    const checks = array(arg, 'anyOf').map(compile)
    return v => checks.some(check => check(v))
  },
  oneOf: arg => {
    const checks = array(arg, 'oneOf').map(compile)
    return v => checks.filter(check => check(v)).length === 1
  },
  not: arg => {
    const check = compile(arg)
    return v => !check(v)
  },
}

/**
 * Compiles a `$jsonSchema` into a test of documents.
 * @throws MongoError 9 for an unknown or malformed keyword
 */
export function compileSchema(schema: unknown): (doc: Doc) => boolean {
  return compile(isDoc(schema) ? schema : fail(14, '$jsonSchema must be an object'))
}

function compile(schema: unknown): Check {
  const doc = document(schema, '$jsonSchema')
  return all(
    Object.keys(doc).flatMap(keyword => {
      if (Object.hasOwn(keywords, keyword)) return [keywords[keyword]!(getOwn(doc, keyword), doc)]
      if (annotations.has(keyword)) return []
      return fail(9, refused.has(keyword) ? `$jsonSchema keyword '${keyword}' is not currently supported` : `Unknown $jsonSchema keyword: ${keyword}`)
    }),
  )
}

function all(checks: Check[]): Check {
  return v => checks.every(check => check(v))
}

function list(arg: unknown): unknown[] {
  return Array.isArray(arg) ? arg : [arg]
}

function array(arg: unknown, name: string): unknown[] {
  return Array.isArray(arg) ? arg : fail(14, `$jsonSchema keyword '${name}' must be an array`)
}

function document(arg: unknown, name: string): Doc {
  return isDoc(arg) ? arg : fail(14, `$jsonSchema keyword '${name}' must be an object, but got an object of type ${typeName(arg)}`)
}

function ofTypes(codes: readonly number[]): Check {
  return v => codes.includes(typeCode(v))
}

function onDoc(check: (doc: Doc) => boolean): Check {
  return v => {
    const doc = asDoc(v)
    return doc === undefined || check(doc)
  }
}

function onArray(check: (array: unknown[]) => boolean): Check {
  return v => !Array.isArray(v) || check(v)
}

function sizeOf(doc: Doc | undefined): number | undefined {
  return doc && Object.keys(doc).length
}

function count(arg: unknown, name: string): number {
  const n = asInteger(arg)
  return n === undefined || n < 0 ? fail(9, `$jsonSchema keyword '${name}' must be a non-negative integer`) : n
}

function atLeast(arg: unknown, name: string, measure: (v: unknown) => number | undefined): Check {
  const least = count(arg, name)
  return v => (measure(v) ?? least) >= least
}

function atMost(arg: unknown, name: string, measure: (v: unknown) => number | undefined): Check {
  const most = count(arg, name)
  return v => (measure(v) ?? most) <= most
}

function bounded(arg: unknown, name: string, holds: (c: number) => boolean): Check {
  const bound: Numeric = isNumeric(arg) ? arg : fail(14, `$jsonSchema keyword '${name}' must be a number`)
  return v => !isNumeric(v) || holds(compare(v, bound))
}
