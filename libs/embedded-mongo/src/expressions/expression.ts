import { fail } from '../values/errors.ts'
import { asDoc, type Doc, fieldNames, fieldReader, getOwn, isDoc, setOwn } from '../values/values.ts'
import { arithmeticOperators } from './arithmetic.ts'
import { arrayOperators } from './array.ts'
import { conversionOperators } from './convert.ts'
import type { Compile, Expr, Operator, Scope } from './core.ts'
import { dateOperators } from './date.ts'
import { logicOperators } from './logic.ts'
import { objectOperators } from './object.ts'
import { setOperators } from './set.ts'
import { stringOperators } from './string.ts'

/** Expression operators by name. */
export const operators: ReadonlyMap<string, Operator> = new Map(
  Object.entries({
    ...arithmeticOperators,
    ...arrayOperators,
    ...conversionOperators,
    ...dateOperators,
    ...logicOperators,
    ...objectOperators,
    ...setOperators,
    ...stringOperators,
  }),
)

/** Known to MongoDB, not to this engine. */
const unsupported = new Set([
  '$function',
  '$accumulator',
  '$meta',
  '$toHashedIndexKey',
  '$encStrStartsWith',
  '$encStrEndsWith',
  '$encStrContains',
  '$encStrNormalizedEq',
  '$createObjectId',
])

/**
 * Compiles an aggregation expression. The result is called with the document; a missing value is `undefined`.
 * @throws MongoError 168 for an unknown operator, 115 for one that this engine leaves out, 17276 for an unknown variable
 * @example compileExpression({ $add: ['$a', new Int32(1)] }, scopeWith(new Date()))(doc)
 */
export function compileExpression(expression: unknown, scope: Scope): Expr {
  if (typeof expression === 'string') return expression.startsWith('$') ? reference(expression, scope) : () => expression
  if (Array.isArray(expression)) return arrayExpression(expression, scope)
  if (!isDoc(expression)) return () => expression
  const keys = Object.keys(expression)
  const operator = keys.find(key => key.startsWith('$'))
  if (operator === undefined) return objectExpression(expression, scope)
  if (keys.length > 1) fail(15983, `an object representing an expression must have exactly one field, found ${keys.length}`)
  return operatorExpression(operator, expression[operator], scope)
}

/** Whether the expression is an operator such as `{$add: …}` rather than an object of expressions. */
export function isOperatorExpression(expression: unknown): boolean {
  return isDoc(expression) && Object.keys(expression)[0]?.startsWith('$') === true
}

function operatorExpression(name: string, arg: unknown, scope: Scope): Expr {
  const operator = operators.get(name)
  if (operator) return operator(arg, compileIn(scope), scope)
  return unsupported.has(name) ? fail(115, `${name} is not supported by this engine`) : fail(168, `Unrecognized expression '${name}'`)
}

function compileIn(scope: Scope): Compile {
  return (expression, inner = scope) => compileExpression(expression, inner)
}

function arrayExpression(elements: unknown[], scope: Scope): Expr {
  const compiled = elements.map(element => compileExpression(element, scope))
  return root => compiled.map(element => element(root) ?? null)
}

function objectExpression(doc: Doc, scope: Scope): Expr {
  const fields = fieldNames(doc).map(key => {
    if (key.includes('.')) fail(16412, `FieldPath field names may not contain '.'. Consider using $getField or $setField. The field was '${key}'.`)
    return { key, value: compileExpression(doc[key], scope) }
  })
  return root => {
    const result: Doc = {}
    for (const { key, value } of fields) {
      const v = value(root)
      if (v !== undefined) setOwn(result, key, v)
    }
    return result
  }
}

function reference(text: string, scope: Scope): Expr {
  if (!text.startsWith('$$')) {
    const current = scope.vars.get('CURRENT')
    return current ? along(() => current.value, parts(text.slice(1))) : fieldPath(parts(text.slice(1)))
  }
  const [name, ...path] = parts(text.slice(2)) as [string, ...string[]]
  return path.length === 0 ? variable(name, scope) : along(variable(name, scope), path)
}

function parts(path: string): string[] {
  if (path === '') fail(16872, "'$' by itself is not a valid FieldPath")
  const split = path.split('.')
  if (split.includes(''))
    fail(
      path.endsWith('.') ? 40353 : 15998,
      path.endsWith('.') ? "FieldPath must not end with a '.'." : 'FieldPath field names may not be empty strings.',
    )
  const dollar = split.find(part => part.startsWith('$'))
  if (dollar) fail(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`)
  return split
}

function variable(name: string, scope: Scope): Expr {
  const box = scope.vars.get(name)
  if (box) return () => box.value
  switch (name) {
    case 'ROOT':
    case 'CURRENT':
      return root => root
    case 'NOW':
      return () => scope.now
    case 'REMOVE':
      return () => undefined
    case 'KEEP':
    case 'PRUNE':
    case 'DESCEND':
      return () => `$$${name}`
    case 'CLUSTER_TIME':
    case 'SEARCH_META':
    case 'USER_ROLES':
      return fail(115, `$$${name} is not supported by this engine`)
  }
  return fail(17276, `Use of undefined variable: ${name}`)
}

function fieldPath(path: string[]): Expr {
  const [first, second] = path as [string, string | undefined]
  if (second === undefined) return fieldReader(first)
  return root => valueAlong(root, path, 0)
}

function along(start: Expr, path: string[]): Expr {
  return root => valueAlong(start(root), path, 0)
}

/** The value at a path; through an array it is the array of the values that its documents have there. */
function valueAlong(value: unknown, path: string[], i: number): unknown {
  if (i === path.length) return value
  if (Array.isArray(value)) {
    const values: unknown[] = []
    for (const element of value) {
      const v = Array.isArray(element) || asDoc(element) ? valueAlong(element, path, i) : undefined
      if (v !== undefined) values.push(v)
    }
    return values
  }
  const doc = asDoc(value)
  return doc ? valueAlong(getOwn(doc, path[i]!), path, i + 1) : undefined
}
