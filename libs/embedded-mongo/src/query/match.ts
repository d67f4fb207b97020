import { type Scope, scopeWith } from '../expressions/core.ts'
import { compileExpression } from '../expressions/expression.ts'
import { fail } from '../values/errors.ts'
import { anyAt, type Position, type Test } from '../values/path.ts'
import { regexParts } from '../values/regex.ts'
import { asDoc, asNumber, type Doc, isDoc, isNumeric, isTruthy } from '../values/values.ts'
import { equalityTest, type Predicate, predicates, regexTest } from './predicates.ts'
import { compileSchema } from './schema.ts'

/** A compiled filter; when it matches, `at` is the array element that matched. */
export type Matcher = (doc: Doc, at?: Position) => boolean

export interface FilterOptions {
  /** the command's `let` variables, for `$expr` */
  readonly vars?: Doc | undefined
  /** what `$$NOW` is in `$expr`; the present time when absent */
  readonly now?: Date | undefined
  /** the variables of a pipeline, in the place of `vars` and `now` */
  readonly scope?: Scope | undefined
}

/** Known to MongoDB, not to this engine. */
const unsupported = new Set(['$where'])
/** Operators that order a whole query by distance; a query removes them from its filter before it compiles the rest. */
const nearness = new Set(['$near', '$nearSphere', '$geoNear', '$minDistance', '$maxDistance'])
/** Fields of a DBRef, the only names that begin with a dollar and are no operators. */
export const dbRefKeys = new Set(['$ref', '$id', '$db'])
/** Operators whose arguments are whole filters. */
const logical = new Set(['$and', '$or', '$nor', '$expr', '$where'])

/**
 * Compiles a filter into a test of documents.
 * @throws MongoError 2 for an unknown or malformed operator, 115 for one that this engine leaves out
 * @example compileFilter({ age: { $gte: new Int32(18) } })(doc)
 */
export function compileFilter(filter: Doc, options: FilterOptions = {}): (doc: Doc) => boolean {
  return compileMatcher(filter, options)
}

/** Like `compileFilter`, but the test can also report the position of the match. */
export function compileMatcher(filter: Doc, options: FilterOptions = {}): Matcher {
  return all(Object.keys(filter).map(key => (key.startsWith('$') ? topLevel(key, filter[key], options) : field(key, filter[key], options))))
}

function topLevel(operator: string, arg: unknown, options: FilterOptions): Matcher {
  switch (operator) {
    case '$and':
      return all(clauses(operator, arg, options))
    case '$or': {
      const branches = clauses(operator, arg, options)
      return (doc, at) => branches.some(branch => branch(doc, at))
    }
    case '$nor': {
      const branches = clauses(operator, arg, options)
      return doc => !branches.some(branch => branch(doc))
    }
    case '$expr': {
      const value = compileExpression(arg, options.scope ?? scopeWith(options.now ?? new Date(), options.vars))
      return doc => isTruthy(value(doc))
    }
    case '$jsonSchema':
      return compileSchema(arg)
    case '$sampleRate': {
      const rate = isNumeric(arg) ? asNumber(arg) : fail(2, 'argument to $sampleRate must be a numeric type')
      return () => Math.random() < rate
    }
    case '$comment':
    case '$alwaysTrue':
      return () => true
    case '$alwaysFalse':
      return () => false
  }
  if (operator === '$text') return fail(2, '$text must be at the top of a filter, or in an $and there')
  if (unsupported.has(operator)) return refuse(operator)
  if (dbRefKeys.has(operator)) return field(operator, arg, options)
  return fail(
    2,
    `unknown top level operator: ${operator}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  )
}

function refuse(operator: string): never {
  return fail(115, `${operator} is not supported by this engine`)
}

function all(matchers: Matcher[]): Matcher {
  const [first, second] = matchers
  if (!first) return () => true
  if (!second) return first
  if (matchers.length === 2) return (doc, at) => first(doc, at) && second(doc, at)
  return (doc, at) => matchers.every(matcher => matcher(doc, at))
}

function clauses(operator: string, arg: unknown, options: FilterOptions): Matcher[] {
  if (!Array.isArray(arg)) return fail(2, `${operator} must be an array`)
  if (arg.length === 0) fail(2, `${operator} must be a nonempty array`)
  return arg.map(clause => compileMatcher(asDoc(clause) ?? fail(2, '$or/$and/$nor entries need to be full objects'), options))
}

/** Whether a value in a filter holds operators rather than standing for itself. */
export function isOperatorDoc(value: unknown): value is Doc {
  if (!isDoc(value)) return false
  const first = Object.keys(value)[0]
  return first?.startsWith('$') === true && !dbRefKeys.has(first)
}

/** One operator with its argument, ready to be put to a path or to a value. */
interface Condition {
  readonly on: (path: string) => Matcher
  readonly value: Test
}

function field(path: string, condition: unknown, options: FilterOptions): Matcher {
  return all(conditionsOf(condition, path, options).map(({ on }) => on(path)))
}

function plain({ test, expand, negated = false }: Predicate): Condition {
  return {
    on: path => {
      const any = anyAt(path, test, expand)
      return negated ? doc => !any(doc) : any
    },
    value: negated ? v => !test(v) : test,
  }
}

/** All of these hold where a condition holds. */
function conditionsOf(condition: unknown, path: string, options: FilterOptions): Condition[] {
  const regex = regexParts(condition)
  if (regex) return [plain({ test: regexTest(regex.pattern, regex.options), expand: true })]
  if (!isOperatorDoc(condition)) return [plain({ test: equalityTest(condition), expand: true })]
  return Object.keys(condition).flatMap(operator => operatorConditions(operator, condition, path, options))
}

function operatorConditions(operator: string, condition: Doc, path: string, options: FilterOptions): Condition[] {
  const arg = condition[operator]
  switch (operator) {
    case '$not':
      return [negation(arg, path, options)]
    case '$elemMatch':
      return [plain({ test: elementTest(arg, options), expand: false })]
    case '$all':
      return allOf(arg, path, options)
    case '$regex':
      return [plain(regexOf(arg, condition.$options))]
    case '$options':
      return Object.hasOwn(condition, '$regex') ? [] : fail(2, '$options needs a $regex')
    case '$comment':
      return []
  }
  if (Object.hasOwn(predicates, operator)) return [plain(predicates[operator]!(arg, path))]
  if (nearness.has(operator)) return fail(2, `geo ${operator} must be top-level expr`)
  return unsupported.has(operator) ? refuse(operator) : fail(2, `unknown operator: ${operator}`)
}

function regexOf(arg: unknown, options: unknown): Predicate {
  const parts = regexParts(arg)
  if (options !== undefined && typeof options !== 'string') fail(2, '$options has to be a string')
  if (parts?.options && options) fail(51075, 'options set in both $regex and $options')
  const pattern = parts?.pattern ?? (typeof arg === 'string' ? arg : fail(2, '$regex has to be a string'))
  return { test: regexTest(pattern, parts?.options || ((options as string | undefined) ?? '')), expand: true }
}

function negation(arg: unknown, path: string, options: FilterOptions): Condition {
  if (!regexParts(arg) && !isDoc(arg)) fail(2, '$not needs a regex or a document')
  if (isDoc(arg) && Object.keys(arg).length === 0) fail(2, '$not cannot be empty')
  if (isDoc(arg) && !isOperatorDoc(arg)) fail(2, `unknown operator: ${Object.keys(arg)[0]}`)
  const inner = conditionsOf(arg, path, options)
  return {
    on: path => {
      const matchers = inner.map(({ on }) => on(path))
      return doc => !matchers.every(matcher => matcher(doc))
    },
    value: v => !inner.every(({ value }) => value(v)),
  }
}

/** `$elemMatch`: some element passes the operators, or is a document that passes the filter. */
function elementTest(arg: unknown, options: FilterOptions): Test {
  const inner = asDoc(arg) ?? fail(2, '$elemMatch needs an Object')
  const first = Object.keys(inner)[0]
  const ofValues = isOperatorDoc(inner) && !logical.has(first!)
  const test = ofValues ? valueTest(inner, options) : docTest(inner, options)
  return (v, at) => {
    const index = Array.isArray(v) ? v.findIndex(element => test(element)) : -1
    if (index >= 0 && at) at.index = index
    return index >= 0
  }
}

function valueTest(condition: Doc, options: FilterOptions): Test {
  const inner = conditionsOf(condition, '', options)
  return v => inner.every(({ value }) => value(v))
}

function docTest(filter: Doc, options: FilterOptions): Test {
  const matcher = compileMatcher(filter, options)
  return v => {
    const doc = Array.isArray(v) ? { ...v } : asDoc(v)
    return doc !== undefined && matcher(doc as Doc)
  }
}

function allOf(arg: unknown, path: string, options: FilterOptions): Condition[] {
  if (!Array.isArray(arg)) return fail(2, '$all needs an array')
  if (arg.length === 0) return [plain({ test: () => false, expand: false })]
  return arg.flatMap(member => {
    if (isOperatorDoc(member) && !Object.hasOwn(member, '$elemMatch')) fail(2, 'no $ expressions in $all')
    return conditionsOf(member, path, options)
  })
}

/** What `$pull` removes: a document without operators is a filter of the element's fields, anything else a condition on the element. */
export function compileElementFilter(condition: unknown): (element: unknown) => boolean {
  if (isDoc(condition) && (!isOperatorDoc(condition) || logical.has(Object.keys(condition)[0]!))) {
    const matcher = compileMatcher(condition)
    return element => {
      const doc = asDoc(element)
      return doc !== undefined && matcher(doc)
    }
  }
  const conditions = conditionsOf(condition, '', {})
  return element => conditions.every(({ value }) => value(element))
}
