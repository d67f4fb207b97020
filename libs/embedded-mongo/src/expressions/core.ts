import { fail } from '../values/errors.ts'
import { compare } from '../values/order.ts'
import { asInteger, type Doc, isDoc, typeCode, typeName, type as types } from '../values/values.ts'

/** A compiled expression: from the document to a value, `undefined` if missing. */
export type Expr = (root: Doc) => unknown

/** Holds a variable's current value while an expression runs. */
export interface Box {
  value: unknown
}

export interface Scope {
  readonly now: Date
  readonly vars: ReadonlyMap<string, Box>
}

export type Compile = (expression: unknown, scope?: Scope) => Expr

/** Makes an expression of an operator's argument. */
export type Operator = (arg: unknown, compile: Compile, scope: Scope) => Expr

/** The scope of a whole command: its time and its `let` variables. */
export function scopeWith(now: Date, vars: Doc = {}): Scope {
  return { now, vars: new Map(Object.keys(vars).map(name => [name, { value: vars[name] }])) }
}

/** A scope with one more variable; the variable is set through its box. */
export function withVariable(scope: Scope, name: string, box: Box): Scope {
  return { now: scope.now, vars: new Map(scope.vars).set(name, box) }
}

/** Refuses a variable name that `let`, `as` and the like may not introduce. */
export function checkVariableName(name: string): string {
  if (name === 'CURRENT' || /^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name)) return name
  return fail(16867, `'${name}' starts with an invalid character for a user variable name`)
}

/** An operator of a fixed number of arguments, given as an array, or bare if there is one only. */
export function fixed(name: string, count: number, apply: (...values: unknown[]) => unknown): Operator {
  return ranged(name, count, count, apply)
}

/** An operator of `least` to `most` arguments. */
export function ranged(name: string, least: number, most: number, apply: (...values: unknown[]) => unknown): Operator {
  return (arg, compile) => {
    const args = Array.isArray(arg) ? arg : [arg]
    if (args.length < least || args.length > most) {
      if (least === most) fail(16020, `Expression ${name} takes exactly ${least} arguments. ${args.length} were passed in.`)
      fail(28667, `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${args.length} were passed in.`)
    }
    const [a, b] = args.map(expression => compile(expression)) as [Expr, Expr]
    if (args.length === 1) return root => apply(a(root))
    if (args.length === 2) return root => apply(a(root), b(root))
    const compiled = args.map(expression => compile(expression))
    return root => apply(...compiled.map(expression => expression(root)))
  }
}

/** An operator of any number of arguments. */
export function variadic(apply: (values: unknown[]) => unknown): Operator {
  return (arg, compile) => {
    const compiled = (Array.isArray(arg) ? arg : [arg]).map(expression => compile(expression))
    return root => apply(compiled.map(expression => expression(root)))
  }
}

/** An operator whose argument is a document of named expressions. */
export function named(name: string, required: readonly string[], optional: readonly string[], apply: (values: Doc) => unknown): Operator {
  return (arg, compile) => {
    const fields = namedArguments(name, arg, required, optional)
    const compiled = Object.keys(fields).map(key => [key, compile(fields[key])] as const)
    return root => apply(Object.fromEntries(compiled.map(([key, expression]) => [key, expression(root)])))
  }
}

/** Checks the names of an operator's arguments. */
export function namedArguments(name: string, arg: unknown, required: readonly string[], optional: readonly string[]): Doc {
  if (!isDoc(arg)) return fail(9, `${name} only supports an object as its argument, not ${typeName(arg)}`)
  const unknown = Object.keys(arg).find(key => !required.includes(key) && !optional.includes(key))
  if (unknown !== undefined) fail(9, `Unrecognized argument to ${name}: ${unknown}`)
  const missing = required.find(key => !Object.hasOwn(arg, key))
  if (missing !== undefined) fail(9, `Missing '${missing}' parameter to ${name}`)
  return arg
}

/** Null, missing, or the undefined of old documents. */
export function nullish(v: unknown): v is null | undefined {
  return v === null || v === undefined
}

/** Like `compare`, but as expressions do it: a missing value is less than null. */
export function compareValues(a: unknown, b: unknown): number {
  if (a !== undefined && b !== undefined) return compare(a, b)
  if (a === b) return 0
  if (a === undefined) return typeCode(b) === types.minKey ? 1 : -1
  return typeCode(a) === types.minKey ? -1 : 1
}

/** A whole-number argument, or a refusal with the given code. */
export function integerArgument(v: unknown, code: number, message: string): number {
  return asInteger(v) ?? fail(code, `${message}, found ${typeName(v)}`)
}
