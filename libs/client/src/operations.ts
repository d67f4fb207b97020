import { type CallOptions, call, type LooseArgs, type Row, type Transport } from './call.ts'
import { operations } from './generated/operations.ts'
import type { Operations } from './generated/types.ts'
import { pagesOf } from './pages.ts'

type Table = typeof operations
/** A number or a choice is written as it is; a list with commas; yes or no also as a boolean. */
type QueryValues<Q> = { [K in keyof Q]: Q[K] | (string extends Q[K] ? readonly string[] : never) | ('true' extends Q[K] ? boolean : never) }
type Input<P> = { [K in keyof P as K extends 'response' ? never : K]: K extends 'query' ? QueryValues<P[K]> : P[K] } & CallOptions
type Reading<Kind, Answer> = Kind extends 'bytes'
  ? Uint8Array
  : Kind extends 'text'
    ? string
    : Kind extends 'stream'
      ? ReadableStream<Uint8Array>
      : Answer
type Answer<R, P extends { response?: unknown }> = R extends { reads: infer Kind } ? Reading<Kind, P['response']> : P['response']
type Entry<R, A> = R extends { items: '' }
  ? A extends readonly (infer I)[]
    ? I
    : never
  : R extends { items: infer Field extends string }
    ? A extends Record<Field, readonly (infer I)[]>
      ? I
      : never
    : never
// biome-ignore lint/complexity/noBannedTypes: {} extends T tests whether every key of T may be left out
type Given<I, A> = {} extends I ? (args?: I) => A : (args: I) => A
/** Every entry of the list, over all its pages. */
type All<I, A> = { all: Given<I, AsyncIterable<A>> }
type Operation<R, P extends { response?: unknown }> = Given<Input<P>, Promise<Answer<R, P>>> &
  (R extends { items: string } ? All<Input<P>, Entry<R, Answer<R, P>>> : unknown)

/** Every public operation, by service: `client.marketplace.createGig({ body })`; lists also page by page: `client.marketplace.listGigs.all()`. */
export type OperationsByService = {
  readonly [Service in keyof Table]: {
    readonly [Name in keyof Table[Service]]: Name extends keyof Operations ? Operation<Table[Service][Name], Operations[Name]> : never
  }
}

/** The operations of the table as functions. */
export function operationsOver(transport: Transport): OperationsByService {
  const operation = (row: Row) => {
    const once = (args: LooseArgs = {}) => call(row, args, transport)
    return row.items === undefined ? once : Object.assign(once, { all: (args: LooseArgs = {}) => pagesOf(row, args, once) })
  }
  const services = Object.entries(operations).map(([service, rows]) => [
    service,
    Object.fromEntries(Object.entries(rows as Record<string, Row>).map(([name, row]) => [name, operation(row)])),
  ])
  return Object.fromEntries(services) as OperationsByService
}
