import { analyzeFilter } from '../query/conjuncts.ts'
import { compileMatcher } from '../query/match.ts'
import { fail } from '../values/errors.ts'
import { equal } from '../values/order.ts'
import { arrayIndex, type Position } from '../values/path.ts'
import { regexParts } from '../values/regex.ts'
import { asDoc, type Doc, fieldNames, getOwn, identical, isDoc, setOwn, typeName } from '../values/values.ts'
import { checkArrayFilters, compileArrayFilters } from './array-filters.ts'
import { type Clock, updateOperators } from './operators.ts'
import { depthOf, isPlaceholder, type Modification, maxDepth, modify, type Placeholders, parseUpdatePath } from './paths.ts'
import { compileUpdatePipeline } from './pipeline.ts'

export interface UpdateOptions extends Clock {
  readonly arrayFilters?: readonly Doc[] | undefined
  /** the filter that chose the document, for the positional operator `$` */
  readonly filter?: Doc | undefined
  /** the document is the seed of an upsert: `$setOnInsert` counts */
  readonly isUpsertInsert?: boolean | undefined
  /** the command's `let` variables, for pipeline updates and `$expr` */
  readonly vars?: Doc | undefined
}

export interface Updated {
  readonly doc: Doc
  readonly changed: boolean
  readonly isReplacement?: boolean
}

/** A part of an update: some make their modifications only when they see the document. */
type Step = (doc: Doc) => Modification[]

/** Whether an update replaces the whole document rather than modifying fields. */
export function isReplacement(update: Doc | readonly Doc[]): boolean {
  return !isPipeline(update) && !Object.keys(update)[0]?.startsWith('$')
}

function isPipeline(update: Doc | readonly Doc[]): update is readonly Doc[] {
  return Array.isArray(update)
}

/**
 * Compiles an update once; the result applies it to documents and does not change the given ones. Untouched values are shared and preserve
 * their types.
 * @throws MongoError 66 for a change of `_id`, 40 for paths in conflict, 28, 14, 9, 2 … as MongoDB does
 * @example compileUpdate({ $inc: { n: new Int32(1) } }, { now: new Date() })(doc).doc
 */
export function compileUpdate(update: Doc | readonly Doc[], options: UpdateOptions): (doc: Doc) => Updated {
  if (isPipeline(update)) return compilePipelineUpdate(update, options)
  return isReplacement(update) ? compileReplacement(update) : compileModifiers(update, options)
}

function compileReplacement(update: Doc): (doc: Doc) => Updated {
  const dollar = Object.keys(update).find(key => key.startsWith('$') && !['$ref', '$id', '$db'].includes(key))
  if (dollar)
    fail(
      52,
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    )
  return doc => ({ ...replaced(doc, update), isReplacement: true })
}

function compilePipelineUpdate(stages: readonly Doc[], options: UpdateOptions): (doc: Doc) => Updated {
  const transform = compileUpdatePipeline(stages, options.now, options.vars)
  return doc => {
    const next = replaced(doc, transform(doc))
    if (depthOf(next.doc) > maxDepth) fail(15, `The update would nest the document deeper than ${maxDepth} levels`)
    return next
  }
}

/** `_id` stays and is the first field. */
function replaced(doc: Doc, next: Doc): Updated {
  const id = getOwn(doc, '_id')
  const result: Doc = {}
  if (id !== undefined || Object.hasOwn(next, '_id')) result._id = id ?? next._id
  for (const key of fieldNames(next)) if (key !== '_id') setOwn(result, key, next[key])
  if (id !== undefined && Object.hasOwn(next, '_id') && !equal(id, next._id)) {
    fail(66, `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${String(next._id)}`)
  }
  return identical(doc, result) ? { doc, changed: false } : { doc: result, changed: true }
}

function compileModifiers(update: Doc, options: UpdateOptions): (doc: Doc) => Updated {
  const filters = compileArrayFilters(options.arrayFilters ?? [], { vars: options.vars, now: options.now })
  const paths: { path: string; parts: string[]; step: Step }[] = []
  for (const operator of Object.keys(update)) {
    const fields = update[operator]
    if (!isUpdateOperator(operator))
      return fail(9, `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`)
    if (!isDoc(fields))
      return fail(
        9,
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${String(fields)}}`,
      )
    for (const path of fieldNames(fields)) paths.push(...steps(operator, path, fields[path], options))
  }
  paths.sort((a, b) => comparePaths(a.parts, b.parts))
  for (let i = 1; i < paths.length; i++) refuseConflict(paths[i - 1]!, paths[i]!)
  checkArrayFilters(paths, filters)
  const needsPosition = paths.some(({ parts }) => parts.includes('$'))
  const matcher = needsPosition ? compileMatcher(options.filter ?? {}, { vars: options.vars, now: options.now }) : undefined
  return doc =>
    applyModifications(
      doc,
      paths.flatMap(({ step }) => step(doc)),
      { arrayFilters: filters, position: positionIn(doc, matcher) },
    )
}

function applyModifications(doc: Doc, modifications: Modification[], placeholders: Placeholders): Updated {
  let result = doc
  for (const modification of modifications) result = modify(result, modification, placeholders)
  const id = getOwn(doc, '_id')
  if (id !== undefined && result !== doc && !equal(getOwn(result, '_id'), id))
    fail(66, "Performing an update on the path '_id' would modify the immutable field '_id'")
  return { doc: result, changed: result !== doc }
}

function positionIn(doc: Doc, matcher: ((doc: Doc, at: Position) => boolean) | undefined): () => number {
  return () => {
    const at: Position = {}
    matcher?.(doc, at)
    return at.index ?? fail(2, 'The positional operator did not find the match needed from the query.')
  }
}

function isUpdateOperator(name: string): boolean {
  return Object.hasOwn(updateOperators, name) || name === '$rename' || name === '$setOnInsert'
}

function steps(operator: string, path: string, arg: unknown, options: UpdateOptions): { path: string; parts: string[]; step: Step }[] {
  const parts = parseUpdatePath(path)
  if (operator === '$rename') return rename(path, parts, arg)
  const change = updateOperators[operator === '$setOnInsert' ? '$set' : operator]!(arg, path, options)
  const modification: Modification = { path, parts, ...change }
  const made = operator === '$setOnInsert' && !options.isUpsertInsert ? [] : [modification]
  return [{ path, parts, step: () => made }]
}

function rename(from: string, parts: string[], to: unknown): { path: string; parts: string[]; step: Step }[] {
  if (typeof to !== 'string') return fail(2, `The 'to' field for $rename must be a string: ${from}: ${String(to)}`)
  const target = parseUpdatePath(to)
  if (to === from) fail(2, `The source and target field for $rename must differ: ${from}: "${to}"`)
  if ([...parts, ...target].some(isPlaceholder)) fail(2, `The source and target field for $rename may not be dynamic: ${from}: "${to}"`)
  const source: Step = doc =>
    fieldOutsideArrays(doc, parts, 'source') === undefined ? [] : [{ path: from, parts, creates: false, apply: () => undefined }]
  const destination: Step = doc => {
    const value = fieldOutsideArrays(doc, parts, 'source')
    if (value === undefined) return []
    fieldOutsideArrays(doc, target, 'destination')
    return [{ path: to, parts: target, creates: true, apply: old => (identical(old, value) ? old : value) }]
  }
  return [
    { path: from, parts, step: source },
    { path: to, parts: target, step: destination },
  ]
}

function fieldOutsideArrays(doc: Doc, parts: readonly string[], role: string): unknown {
  let value: unknown = doc
  for (const part of parts) {
    if (Array.isArray(value)) fail(2, `The ${role} field of $rename cannot be an array element, '${parts.join('.')}'`)
    const inner = asDoc(value)
    if (!inner) return undefined
    value = getOwn(inner, part)
  }
  return value
}

/** New fields are added in this order: array indexes as numbers, then names as text. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] === b[i]) continue
    const x = arrayIndex(a[i]!)
    const y = arrayIndex(b[i]!)
    if (x !== undefined && y !== undefined) return x - y
    if (x !== undefined || y !== undefined) return x !== undefined ? -1 : 1
    return a[i]! < b[i]! ? -1 : 1
  }
  return a.length - b.length
}

/** In path order a path that contains another is directly before it or its siblings, so a check of adjacent paths finds each conflict. */
function refuseConflict(a: { path: string; parts: string[] }, b: { path: string; parts: string[] }): void {
  if (a.parts.every((part, i) => part === b.parts[i])) fail(40, `Updating the path '${b.path}' would create a conflict at '${a.path}'`)
}

/**
 * The document from which an upsert starts: the equalities of its filter; of a replacement only `_id`.
 * @throws MongoError 54 for a path that is given twice
 */
export function upsertSeed(filter: Doc, update: Doc | readonly Doc[]): Doc {
  let seed: Doc = {}
  const seen: string[][] = []
  for (const { path, value } of seedFields(filter)) {
    const parts = path.split('.')
    if (isReplacement(update) && parts[0] !== '_id') continue
    const clash = seen.find(other => other.every((part, i) => parts[i] === part) || parts.every((part, i) => other[i] === part))
    if (clash) fail(54, `cannot infer query fields to set, path '${path}' is matched twice`)
    seen.push(parts)
    seed = modify(
      seed,
      { path, parts: parseUpdatePath(path), creates: true, apply: () => value },
      { arrayFilters: new Map(), position: () => fail(2, 'no position') },
    )
  }
  return Object.hasOwn(seed, '_id') ? { _id: seed._id, ...seed } : seed
}

function seedFields(filter: Doc): { path: string; value: unknown }[] {
  const equalities = analyzeFilter(filter).conjuncts.flatMap(({ path, op, value }) => {
    if (op === '$eq' && !regexParts(value)) return [{ path, value }]
    return op === '$in' && Array.isArray(value) && value.length === 1 ? [{ path, value: value[0] }] : []
  })
  const single = Array.isArray(filter.$or) && filter.$or.length === 1 ? seedFields(asDoc(filter.$or[0]) ?? {}) : []
  return [...equalities, ...single]
}
