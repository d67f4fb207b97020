import { fail } from './errors.ts'
import { compare } from './order.ts'
import { asInteger, type Doc, fieldNames, isDoc, isNumeric, setOwn, typeName } from './values.ts'

/** Language-specific comparison of strings, for one command. */
export type Collation = Intl.Collator

const fields = new Set(['locale', 'strength', 'caseLevel', 'caseFirst', 'numericOrdering', 'alternate', 'maxVariable', 'normalization', 'backwards'])
const sensitivities: Record<number, 'base' | 'accent' | 'variant'> = { 1: 'base', 2: 'accent', 3: 'variant' }
/** Under a collation these would need more than equality of strings. */
const unfoldable = new Set([
  '$regex',
  '$options',
  '$expr',
  '$jsonSchema',
  '$where',
  '$text',
  '$near',
  '$nearSphere',
  '$geoWithin',
  '$geoIntersects',
  '$within',
])
const ranges = new Set(['$gt', '$gte', '$lt', '$lte'])

/**
 * Reads a collation. Undefined means simple binary comparison.
 * @throws MongoError 115 for an option that cannot be obeyed, 2 for an unknown locale
 */
export function parseCollation(value: unknown): Collation | undefined {
  if (value === undefined || value === null) return undefined
  if (!isDoc(value)) return fail(14, `BSON field 'collation' is the wrong type '${typeName(value)}', expected type 'object'`)
  for (const field of Object.keys(value)) if (!fields.has(field)) fail(40415, `BSON field 'collation.${field}' is an unknown field.`)
  const { locale, strength, caseLevel, caseFirst, numericOrdering, alternate, backwards } = value
  if (typeof locale !== 'string') return fail(40414, "BSON field 'collation.locale' is missing but a required field")
  if (locale === 'simple') return undefined
  const level = strength === undefined ? 3 : isNumeric(strength) ? asInteger(strength) : undefined
  const sensitivity = level === undefined ? undefined : sensitivities[level]
  if (!sensitivity || backwards === true)
    return fail(115, 'this collation is not supported by this server: strength must be 1, 2 or 3, and backwards false')
  const tag = locale.replaceAll('_', '-').replace(/@.*/, '')
  try {
    return new Intl.Collator(tag, {
      sensitivity: level === 1 && caseLevel === true ? 'case' : sensitivity,
      numeric: numericOrdering === true,
      ignorePunctuation: alternate === 'shifted',
      ...(caseFirst === 'upper' || caseFirst === 'lower' ? { caseFirst } : {}),
    })
  } catch {
    return fail(2, `Field 'locale' is invalid in: { locale: "${locale}" }`)
  }
}

/** The collation that a command gives, or else the one that its collection was created with. */
export function collationOf(collection: { options: Doc } | undefined, given: unknown): Collation | undefined {
  return parseCollation(given ?? collection?.options.collation)
}

export interface Folded {
  filter: Doc
  /** The document with each string that equals one of the filter's under the collation written as the filter has it. */
  fold(doc: Doc): Doc
}

/**
 * Converts a filter under a collation into one that compares binary. Undefined when the filter has no strings and stays as it is.
 * @throws MongoError 115 for operators that need more than equality
 */
export function foldFilter(filter: Doc, collation: Collation): Folded | undefined {
  const literals: string[] = []
  const canonical = (text: string) => literals.find(literal => collation.compare(literal, text) === 0)
  const collect = (value: unknown, operator: string): unknown => {
    if (typeof value === 'string') {
      if (ranges.has(operator)) fail(115, `${operator} with a string under a collation is not supported by this server`)
      const cached = canonical(value)
      if (cached === undefined) literals.push(value)
      return cached ?? value
    }
    if (Array.isArray(value)) return value.map(element => collect(element, operator))
    if (!isDoc(value)) return value
    return mapDoc(value, (field, inner) => {
      if (unfoldable.has(field)) fail(115, `${field} under a collation is not supported by this server`)
      return field === '$type' || field === '$comment' ? inner : collect(inner, field.startsWith('$') ? field : '$eq')
    })
  }
  const folded = collect(filter, '$eq') as Doc
  if (literals.length === 0) return undefined
  const fold = (value: unknown): unknown => {
    if (typeof value === 'string') return canonical(value) ?? value
    if (Array.isArray(value)) return value.map(fold)
    return isDoc(value) ? mapDoc(value, (_, inner) => fold(inner)) : value
  }
  return { filter: folded, fold: doc => fold(doc) as Doc }
}

/** The order of two values, of which strings are compared by the collation. */
export function compareCollated(a: unknown, b: unknown, collation: Collation | undefined): number {
  if (!collation) return compare(a, b)
  if (typeof a === 'string' && typeof b === 'string') return collation.compare(a, b)
  if ((isDoc(a) && isDoc(b)) || (Array.isArray(a) && Array.isArray(b)))
    return fail(115, 'comparing documents or arrays under a collation is not supported by this server')
  return compare(a, b)
}

/** Refuses updates in which a collation would change more than the choice of the documents. */
export function checkCollatedUpdate(update: unknown, arrayFilters: unknown, collation: Collation | undefined): void {
  if (!collation) return
  if (arrayFilters !== undefined) fail(115, 'arrayFilters under a collation are not supported by this server')
  if (Array.isArray(update)) fail(115, 'pipeline updates under a collation are not supported by this server')
  if (!isDoc(update)) return
  for (const operator of ['$pull', '$pullAll', '$addToSet', '$push', '$max', '$min'])
    if (Object.hasOwn(update, operator)) fail(115, `${operator} under a collation is not supported by this server`)
}

function mapDoc(doc: Doc, change: (field: string, value: unknown) => unknown): Doc {
  const mapped: Doc = {}
  for (const field of fieldNames(doc)) setOwn(mapped, field, change(field, doc[field]))
  return mapped
}
