import { Int32 } from 'bson'
import { type Selection, selectionOf } from '../bson/decode.ts'
import { compileFilter } from '../query/match.ts'
import { parseCollation } from '../values/collation.ts'
import { fail } from '../values/errors.ts'
import { asNumber, type Doc, fieldNames, getOwn, isDoc, isNumeric, isTruthy, setOwn } from '../values/values.ts'

interface IndexField {
  path: string
  parts: readonly string[]
  /** A part may be an array index, so that the entries do not describe the field alone. */
  isNumbered: boolean
  direction: 1 | -1
}

export interface Index {
  /** Names the index's range of the entry table. */
  id: number
  name: string
  /** As `listIndexes` shows it. */
  spec: Doc
  fields: readonly IndexField[]
  /** The parts of each field's path. */
  paths: readonly (readonly string[])[]
  directions: readonly (1 | -1)[]
  isUnique: boolean
  /** Duplicates that are there already may stay, new ones are refused: the step before `unique`. */
  isPreparedUnique: boolean
  isSparse: boolean
  partial: Doc | undefined
  /** Whether the index holds the document at all, by its partial filter. */
  holds: ((doc: Doc) => boolean) | undefined
  expireAfterSeconds: number | undefined
  isHidden: boolean
  /** False for text, geo and wildcard indexes and those with a collation: they are listed, but no entries are made and no query uses them. */
  hasEntries: boolean
  /** Top-level fields that decide the index's entries; undefined when the whole document may. */
  topFields: Selection | undefined
  /** By field: whether some document had an array there. */
  multikey: boolean[]
  /** Some entry was too long for an ordered key: no order can be read off the index. */
  isInexact: boolean
  /** False until the build is committed: writes maintain the index from the start, reads do not use it yet. */
  isReady: boolean
  /** Number of the newest snapshot that may be without some of its entries. */
  notIn: number
}

/** Options of an index and what their values must be. */
const options: Record<string, (value: unknown) => boolean> = {
  key: isDoc,
  name: value => typeof value === 'string' && value !== '',
  v: isNumeric,
  unique: isSwitch,
  sparse: isSwitch,
  background: () => true,
  hidden: isSwitch,
  dropDups: isSwitch,
  prepareUnique: isSwitch,
  clustered: isSwitch,
  partialFilterExpression: isDoc,
  expireAfterSeconds: isNumeric,
  storageEngine: isDoc,
  collation: isDoc,
  weights: value => isDoc(value) || typeof value === 'string',
  default_language: value => typeof value === 'string',
  language_override: value => typeof value === 'string',
  textIndexVersion: isNumeric,
  '2dsphereIndexVersion': isNumeric,
  bits: isNumeric,
  min: isNumeric,
  max: isNumeric,
  wildcardProjection: isDoc,
  ns: value => typeof value === 'string',
}

const plugins = new Set(['hashed', 'text', '2d', '2dsphere'])
const partialOperators = new Set(['$and', '$or', '$eq', '$in', '$gt', '$gte', '$lt', '$lte', '$exists', '$type', '$geoWithin', '$geoIntersects'])
const maxExpirySeconds = 2_147_483_647

/** Checks an index specification of `createIndexes` and gives the form in which it is listed and compared. */
export function normalizeSpec(given: Doc): Doc {
  for (const [option, value] of Object.entries(given)) {
    if (!Object.hasOwn(options, option))
      fail(197, `The field '${option}' is not valid for an index specification. Specification: ${JSON.stringify(given)}`)
    if (!options[option]!(value)) fail(14, `The field '${option}' has the wrong type`)
  }
  if (!isDoc(given.key)) return fail(9, "The 'key' field is a required property of an index specification")
  if (typeof given.name !== 'string') return fail(9, "The 'name' field is a required property of an index specification")
  checkKey(given.key)
  const collation = parseCollation(given.collation)
  if (collation && isTruthy(given.unique)) fail(115, 'a unique index with a collation is not supported by this server')
  const { key, name, v: _version, ns: _namespace, dropDups: _dropDups, ...rest } = given
  for (const option of ['unique', 'sparse', 'hidden', 'prepareUnique']) if (option in rest && !isTruthy(rest[option])) delete rest[option]
  const kinds = Object.values(key)
  if (isTruthy(rest.unique) && kinds.includes('hashed')) fail(16764, 'Currently hashed indexes cannot guarantee uniqueness. Use a regular index.')
  if (rest.partialFilterExpression !== undefined) {
    if (isTruthy(rest.sparse)) fail(67, 'cannot mix "partialFilterExpression" and "sparse" options')
    checkPartial(rest.partialFilterExpression as Doc)
  }
  if (rest.expireAfterSeconds !== undefined) checkExpiry(key, rest.expireAfterSeconds)
  const v = new Int32(2)
  if (kinds.includes('text')) return { v, key: textKey(key), name, ...rest, ...textOptions(key, rest) }
  return { v, key, name, ...(kinds.includes('2dsphere') ? { '2dsphereIndexVersion': new Int32(3) } : {}), ...rest }
}

/** The working form of a normalized specification. */
export function indexFrom(id: number, spec: Doc): Index {
  const key = spec.key as Doc
  const fields = fieldNames(key).map(path => {
    const parts = path.split('.')
    return { path, parts, isNumbered: parts.some(part => /^\d+$/.test(part)), direction: directionOf(key[path]) }
  })
  const partial = spec.partialFilterExpression as Doc | undefined
  return {
    id,
    name: String(spec.name),
    spec,
    fields,
    paths: fields.map(field => field.parts),
    directions: fields.map(field => field.direction),
    isUnique: isTruthy(spec.unique),
    isPreparedUnique: isTruthy(spec.prepareUnique) && !isTruthy(spec.unique),
    isSparse: isTruthy(spec.sparse),
    partial,
    holds: partial && compileFilter(partial),
    expireAfterSeconds: isNumeric(spec.expireAfterSeconds) ? asNumber(spec.expireAfterSeconds) : undefined,
    isHidden: isTruthy(spec.hidden),
    hasEntries:
      Object.entries(key).every(([path, kind]) => isNumeric(kind) || (kind === 'hashed' && !path.includes('$**'))) &&
      !fields.some(isWildcard) &&
      !parseCollation(spec.collation),
    topFields: topFieldsOf(fields, partial),
    multikey: fields.map(() => false),
    isInexact: false,
    isReady: false,
    notIn: 0,
  }
}

/** The index that every collection has by the order of its documents. */
export const idIndexSpec: Doc = { v: new Int32(2), key: { _id: new Int32(1) }, name: '_id_' }

function isSwitch(value: unknown): boolean {
  return typeof value === 'boolean' || isNumeric(value)
}

function isWildcard(field: IndexField): boolean {
  return field.parts.includes('$**')
}

function directionOf(kind: unknown): 1 | -1 {
  return isNumeric(kind) && asNumber(kind) < 0 ? -1 : 1
}

function checkKey(key: Doc): void {
  const entries = Object.entries(key)
  if (entries.length === 0) fail(67, 'Index keys cannot be an empty document')
  if (entries.length > 32) fail(13103, 'Index key pattern has too many fields')
  for (const [path, kind] of entries) {
    if (path === '' || path.split('.').includes('')) fail(67, `Index keys cannot contain an empty field: '${path}'`)
    if (path.split('.').some(isDollarName)) fail(67, `Index key contains an illegal field name: '${path}'`)
    if (isNumeric(kind)) {
      if (asNumber(kind) === 0 || Number.isNaN(asNumber(kind))) fail(67, 'Values in the index key pattern cannot be 0.')
    } else if (typeof kind !== 'string') fail(67, `Values in v:2 index key pattern cannot be of this type: '${path}'`)
    else if (!plugins.has(kind)) fail(67, `Unknown index plugin '${kind}'`)
  }
}

/** Fields of references may be indexed, and `$**` at the end is a wildcard. */
function isDollarName(part: string, i: number, { length }: { length: number }): boolean {
  if (!part.startsWith('$') || (part === '$**' && i === length - 1)) return false
  return i === 0 || !['$ref', '$id', '$db'].includes(part)
}

function checkPartial(filter: Doc): void {
  for (const [field, value] of Object.entries(filter)) {
    if (field.startsWith('$') && !partialOperators.has(field)) fail(67, `unsupported expression in partial index: ${field}`)
    if (Array.isArray(value) && field.startsWith('$') && field !== '$in') for (const part of value) if (isDoc(part)) checkPartial(part)
    if (!isDoc(value)) continue
    for (const operator of Object.keys(value)) {
      if (operator.startsWith('$') && !partialOperators.has(operator)) fail(67, `unsupported expression in partial index: ${operator}`)
      if (operator === '$exists' && !isTruthy(value[operator])) fail(67, 'unsupported expression in partial index: $not')
    }
  }
  compileFilter(filter)
}

function checkExpiry(key: Doc, expiry: unknown): void {
  const seconds = isNumeric(expiry) ? asNumber(expiry) : Number.NaN
  if (!(seconds >= 0 && seconds <= maxExpirySeconds))
    fail(67, `TTL index 'expireAfterSeconds' option must be within an acceptable range, got ${seconds}`)
  if (Object.keys(key).length > 1) fail(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL')
  if (Object.hasOwn(key, '_id')) fail(72, "The field 'expireAfterSeconds' is not valid for an _id index specification")
}

/** All text fields are one field of the key, as MongoDB stores it; the weights name them. */
function textKey(key: Doc): Doc {
  const placed: Doc = {}
  for (const path of fieldNames(key)) {
    if (key[path] === 'text') Object.assign(placed, { _fts: 'text', _ftsx: new Int32(1) })
    else setOwn(placed, path, key[path])
  }
  return placed
}

/** What MongoDB adds to the options of a text index, and clients compare. */
function textOptions(key: Doc, { weights, default_language: language = 'english', language_override: override = 'language' }: Doc): Doc {
  const given = isDoc(weights) ? weights : {}
  const paths = Object.keys(key).filter(path => key[path] === 'text' && path !== '_fts')
  const merged: Doc = {}
  for (const path of [...new Set([...paths, ...Object.keys(given)])].sort()) setOwn(merged, path, getOwn(given, path) ?? new Int32(1))
  return { weights: merged, default_language: language, language_override: override, textIndexVersion: new Int32(3) }
}

function topFieldsOf(fields: readonly IndexField[], partial: Doc | undefined): Selection | undefined {
  const tops = new Set(fields.map(field => field.parts[0]!))
  return collectTops(partial ?? {}, tops) ? selectionOf(tops) : undefined
}

function collectTops(filter: Doc, tops: Set<string>): boolean {
  for (const [field, value] of Object.entries(filter)) {
    if (!field.startsWith('$')) tops.add(field.split('.')[0]!)
    else if ((field === '$and' || field === '$or') && Array.isArray(value)) {
      for (const part of value) if (!isDoc(part) || !collectTops(part, tops)) return false
    } else return false
  }
  return true
}
