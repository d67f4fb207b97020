import type { Collection } from '../storage/catalog.ts'
import type { Index } from '../storage/index-spec.ts'
import { fail } from '../values/errors.ts'
import { asDoc, asNumber, type Doc, getOwn, isDoc, isNumeric } from '../values/values.ts'
import { stem } from './text-stem.ts'

/** A text search, ready to be put to documents. */
export interface TextSearch {
  /** The score of a document; 0 when it does not match. */
  score(doc: Doc): number
}

interface Wanted {
  terms: string[]
  phrases: string[]
  unwanted: string[]
}

const options = new Set(['$search', '$language', '$caseSensitive', '$diacriticSensitive'])
const stemmed = new Set(['english', 'en'])
const everyField = '$**'
/** Words that say nothing. */
const stopWords = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can did do does doing don down
  during each few for from further had has have having he her here hers herself him himself his how i if in into is it its itself just me more most my
  myself no nor not now of off on once only or other our ours ourselves out over own s same she should so some such t than that the their theirs them
  themselves then there these they this those through to too under until up very was we were what when where which while who whom why will with you your
  yours yourself yourselves`.split(/\s+/),
)

/** Splits `$text` off a filter, from the top level or a top-level `$and`; undefined when there is none. */
export function splitText(filter: Doc): { text: unknown; rest: Doc } | undefined {
  if (Object.hasOwn(filter, '$text')) {
    const { $text: text, ...rest } = filter
    return { text, rest }
  }
  if (!Array.isArray(filter.$and)) return undefined
  for (const [i, clause] of filter.$and.entries()) {
    const inner = isDoc(clause) ? splitText(clause) : undefined
    if (inner) return { text: inner.text, rest: { ...filter, $and: filter.$and.with(i, inner.rest) } }
  }
  return undefined
}

/** Reads `$text`. Throws 27 when the collection has no text index, 115 for a language other than English or none. */
export function compileText(collection: Collection, spec: unknown): TextSearch {
  if (!isDoc(spec) || typeof spec.$search !== 'string') return fail(14, "'$search' must be a string")
  for (const option of Object.keys(spec)) if (!options.has(option)) fail(9, `extra fields in $text: ${option}`)
  if (spec.$caseSensitive === true || spec.$diacriticSensitive === true)
    fail(115, 'a text search that is sensitive to case or diacritics is not supported by this server')
  const index = collection.indexes.find(({ spec: { weights } }) => isDoc(weights)) ?? fail(27, 'text index required for $text query')
  const reduce = reducer(spec.$language ?? index.spec.default_language)
  const wanted = parse(spec.$search, reduce)
  return { score: doc => score(doc, index, wanted, reduce) }
}

/** What is left of a word to be compared: in English its stem, and nothing of a stop word. */
function reducer(language: unknown): (word: string) => string | undefined {
  if (language === 'none') return word => word
  if (typeof language !== 'string' || !stemmed.has(language))
    fail(115, `text search in the language '${String(language)}' is not supported by this server`)
  return word => (stopWords.has(word) ? undefined : stem(word))
}

function parse(search: string, reduce: (word: string) => string | undefined): Wanted {
  const phrases = [...search.matchAll(/"([^"]+)"/g)].map(([, phrase]) => plain(phrase!))
  const negated = /(?:^|\s)-(?=\S)/
  const parts = search.replaceAll('"', ' ').split(/\s+/)
  const reduced = (texts: readonly string[]) => [...new Set(texts.flatMap(text => words(text)).flatMap(word => reduce(word) ?? []))]
  return {
    phrases,
    terms: reduced(parts.filter(part => !negated.test(part))),
    unwanted: reduced(parts.filter(part => negated.test(part))),
  }
}

function score(doc: Doc, { spec }: Index, { terms, phrases, unwanted }: Wanted, reduce: (word: string) => string | undefined): number {
  const language = getOwn(doc, String(spec.language_override))
  if (typeof language === 'string' && language !== spec.default_language)
    fail(115, `documents in the language '${language}' cannot be searched by this server`)
  const texts: string[] = []
  let total = 0
  for (const [path, weight] of Object.entries(spec.weights as Doc)) {
    for (const text of path === everyField ? stringsIn(doc) : stringsAt(doc, path.split('.'))) {
      texts.push(plain(text))
      total += scoreOf(text, terms, unwanted, reduce) * (isNumeric(weight) ? asNumber(weight) : 1)
    }
  }
  return total > 0 && phrases.every(phrase => texts.some(text => text.includes(phrase))) ? total : 0
}

/** A term counts for more in a short text, and each time it is met again for half as much. */
function scoreOf(text: string, terms: readonly string[], unwanted: readonly string[], reduce: (word: string) => string | undefined): number {
  const found = words(text).flatMap(word => reduce(word) ?? [])
  if (unwanted.some(term => found.includes(term))) return Number.NEGATIVE_INFINITY
  let total = 0
  for (const term of terms) {
    const count = found.filter(word => word === term).length
    if (count === 0) continue
    const frequency = 2 - 2 ** (1 - count)
    const whole = text.length === term.length ? 1.1 : 1
    total += frequency * ((0.5 * count) / found.length + 0.5) * whole
  }
  return total
}

function words(text: string): string[] {
  return plain(text).match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** Without capitals and diacritics. */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

function stringsAt(value: unknown, [part, ...rest]: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap(element => stringsAt(element, part === undefined ? [] : [part, ...rest]))
  if (part === undefined) return typeof value === 'string' ? [value] : []
  const doc = asDoc(value)
  return doc ? stringsAt(getOwn(doc, part), rest) : []
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  const doc = isDoc(value) ? value : {}
  return Object.keys(doc).flatMap(key => stringsIn(doc[key]))
}
