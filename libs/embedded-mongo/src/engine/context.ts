import { checkVariableName, scopeWith } from '../expressions/core.ts'
import { compileExpression } from '../expressions/expression.ts'
import type { Moment } from '../sessions/history.ts'
import type { Session } from '../sessions/session.ts'
import { type Collection, checkNamespace } from '../storage/catalog.ts'
import type { View } from '../storage/store-view.ts'
import { type Txn, viewOf } from '../storage/txn.ts'
import { fail } from '../values/errors.ts'
import { asInteger, type Doc, isDoc, isNumeric, isTruthy, setOwn, typeName } from '../values/values.ts'
import type { Connection } from '../wire/wire.ts'
import type { Engine } from './engine.ts'

/** One command on its way through the server. */
export interface Context {
  engine: Engine
  connection: Connection
  name: string
  db: string
  body: Doc
  /** The document sequences of the message, or, for `insert`, the array in the body; still raw. */
  sequences: ReadonlyMap<string, Buffer[]>
  session: Session | undefined
  txn: Txn | undefined
  /** The state to read at, for `readConcern: snapshot` outside transactions. */
  moment: Moment | undefined
  /** Set when the reply is stored under the session's number. */
  retryNumber: number | undefined
  /** Milliseconds since the epoch; infinite without `maxTimeMS`. */
  deadline: number
  now: Date
}

export interface Command {
  run(context: Context): Buffer | undefined | Promise<Buffer | undefined>
  /** Fields that the command understands, other than the general ones; undefined accepts all fields. */
  fields: ReadonlySet<string> | undefined
  /** May be part of a transaction. */
  inTransaction?: boolean
  /** Accepts `txnNumber` and stores its reply. */
  isRetryable?: boolean
}

/** A view of the store as the command is to see it. */
export function viewFor({ engine, txn, moment }: Context): View {
  if (moment) return { storage: engine.storage, snapshot: moment.snapshot }
  return viewOf(engine.storage, txn)
}

/** The collection's name that is the value of the command itself. Throws 73 when it is none. */
export function collectionName(context: Context): string {
  const name = context.body[context.name]
  if (typeof name !== 'string') return fail(73, `collection name has invalid type ${typeName(name)}`)
  checkNamespace(context.db, name)
  return name
}

export function findCollection(context: Context, name: string): Collection | undefined {
  return context.engine.catalog.find(context.db, name, context.txn)
}

/** The command's `let` variables: each is an expression that is evaluated once. */
export function variables({ body, now }: Context): Doc | undefined {
  const given = optionalDoc(body, 'let')
  if (!given) return undefined
  const scope = scopeWith(now)
  const values: Doc = {}
  for (const name of Object.keys(given)) setOwn(values, checkVariableName(name), compileExpression(given[name], scope)({}) ?? null)
  return values
}

export function optionalDoc(body: Doc, field: string): Doc | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  return isDoc(value) ? value : fail(14, `BSON field '${field}' is the wrong type '${typeName(value)}', expected type 'object'`)
}

export function optionalDocs(body: Doc, field: string): Doc[] | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return fail(14, `BSON field '${field}' is the wrong type '${typeName(value)}', expected type 'array'`)
  return value.map((element, i) =>
    isDoc(element) ? element : fail(14, `BSON field '${field}.${i}' is the wrong type '${typeName(element)}', expected type 'object'`),
  )
}

/** A whole number that must not be negative. */
export function optionalCount(body: Doc, field: string): number | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (!isNumeric(value))
    return fail(14, `BSON field '${field}' is the wrong type '${typeName(value)}', expected types '[long, int, decimal, double]'`)
  const number = asInteger(value)
  if (number === undefined) return fail(9, `BSON field '${field}' must be a whole number`)
  return number < 0 ? fail(51024, `BSON field '${field}' value must be >= 0, actual value '${number}'`) : number
}

export function flag(body: Doc, field: string): boolean {
  const value = body[field]
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean' && !isNumeric(value))
    fail(14, `BSON field '${field}' is the wrong type '${typeName(value)}', expected types '[bool, long, int, decimal, double]'`)
  return isTruthy(value)
}
