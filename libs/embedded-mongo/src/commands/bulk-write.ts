import { Double } from 'bson'
import { decode, encode } from '../bson/raw.ts'
import { type Command, type Context, flag, optionalCount, optionalDoc } from '../engine/context.ts'
import { fullBatchBytes, openCursor } from '../sessions/cursors.ts'
import { checkNamespace } from '../storage/catalog.ts'
import { fail, type MongoError } from '../values/errors.ts'
import { asInteger, type Doc, isDoc, isNumeric } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { runBatch, type Tally } from '../write/batch.ts'
import { ensureCollection } from '../write/run.ts'
import { type Done, deleteStatement, type StatementResult, updateStatement } from '../write/statements.ts'
import { insertDocument, type Writer } from '../write/write.ts'
import { prepare, refuse, statements } from './write.ts'

const kinds = ['insert', 'update', 'delete'] as const
type Kind = (typeof kinds)[number]

/** One operation, its namespace found. */
interface Operation {
  kind: Kind
  db: string
  collection: string
  op: Doc
}

const resultNamespace = 'admin.$cmd.bulkWrite'
const opFields: Readonly<Record<Kind, ReadonlySet<string>>> = {
  insert: new Set(['insert', 'document']),
  update: new Set(['update', 'filter', 'updateMods', 'multi', 'upsert', 'arrayFilters', 'hint', 'collation', 'constants', 'sort']),
  delete: new Set(['delete', 'filter', 'multi', 'hint', 'collation']),
}

/** Writes to many collections in one command, as `MongoClient.bulkWrite` sends them. */
export const bulkWrite: Command = {
  run: context => {
    if (context.db !== 'admin') fail(13, 'bulkWrite may only be run against the admin database.')
    const namespaces = statements(context, 'nsInfo').map(raw => namespaceFrom(decode(raw)))
    const operations = statements(context, 'ops').map((raw, i) => operationFrom(decode(raw), i, namespaces))
    if (context.retryNumber !== undefined && operations.some(({ op }) => op.multi === true)) fail(72, 'Cannot use retryable writes with multi=true')
    return runBatch(context, operations, new Results(context), (writer, operation, done) => apply(context, writer, operation, done))
  },
  fields: new Set(['ops', 'nsInfo', 'errorsOnly', 'ordered', 'bypassDocumentValidation', 'bypassEmptyTsReplacement', 'let', 'cursor']),
  inTransaction: true,
  isRetryable: true,
}

function namespaceFrom({ ns }: Doc): { db: string; collection: string } {
  const dot = typeof ns === 'string' ? ns.indexOf('.') : -1
  if (typeof ns !== 'string' || dot < 0) return fail(73, `Invalid namespace specified '${String(ns)}'`)
  const namespace = { db: ns.slice(0, dot), collection: ns.slice(dot + 1) }
  checkNamespace(namespace.db, namespace.collection)
  return namespace
}

function operationFrom(op: Doc, i: number, namespaces: readonly { db: string; collection: string }[]): Operation {
  const [first] = Object.keys(op)
  const kind = kinds.find(name => name === first) ?? fail(40415, `BSON field 'bulkWrite.ops.${first}' is an unknown field.`)
  for (const field of Object.keys(op)) if (!opFields[kind].has(field)) fail(40415, `BSON field 'bulkWrite.${kind}.${field}' is an unknown field.`)
  const place = isNumeric(op[kind]) ? (asInteger(op[kind]) ?? -1) : -1
  const namespace = namespaces[place] ?? fail(2, `BulkWrite ops entry ${i} has an invalid nsInfo index.`)
  return { kind, ...namespace, op }
}

/** How far the command has got. */
class Results implements Tally<Operation> {
  readonly context: Context
  next = 0
  counts = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 }
  results: Doc[] = []

  constructor(context: Context) {
    this.context = context
  }

  add({ kind }: Operation, { n, nModified, upserted }: StatementResult): void {
    const { counts, next: idx } = this
    if (kind === 'insert') counts.nInserted += n
    else if (kind === 'delete') counts.nDeleted += n
    else if (upserted !== undefined) counts.nUpserted += 1
    else counts.nMatched += n
    counts.nModified += nModified
    const result: Doc = { ok: new Double(1), idx, n }
    if (kind === 'update') result.nModified = nModified
    if (upserted !== undefined) result.upserted = { _id: upserted }
    this.results.push(result)
  }

  fail({ kind }: Operation, { code, message, extra }: MongoError, { n, nModified }: StatementResult): void {
    this.counts.nErrors += 1
    if (kind === 'delete') this.counts.nDeleted += n
    else if (kind === 'update') this.counts.nMatched += n
    this.counts.nModified += nModified
    const result: Doc = { ok: new Double(0), idx: this.next, code, errmsg: message, ...extra, n }
    if (kind === 'update') result.nModified = nModified
    this.results.push(result)
  }

  toDoc(): Doc {
    const { next, counts, results } = this
    return { next, counts: { ...counts }, results }
  }

  hasWritten(): boolean {
    const { nInserted, nMatched, nUpserted, nDeleted } = this.counts
    return nInserted + nMatched + nUpserted + nDeleted > 0
  }

  resume(doc: Doc): void {
    this.next = asInteger(doc.next) ?? 0
    const counts = isDoc(doc.counts) ? doc.counts : {}
    for (const name of Object.keys(this.counts) as (keyof Results['counts'])[]) this.counts[name] = asInteger(counts[name]) ?? 0
    this.results = Array.isArray(doc.results) ? doc.results : []
  }

  reply(): Buffer {
    return replyWith(this.context, this)
  }
}

function apply(context: Context, writer: Writer, { kind, db, collection, op }: Operation, done: Done): StatementResult {
  const inDatabase = { ...context, db }
  const { filter, collation, hint } = op
  if (kind === 'update') {
    const { updateMods, multi, upsert, arrayFilters, constants, sort } = op
    const statement = { q: filter, u: updateMods, c: constants, multi, upsert, arrayFilters, hint, collation, sort }
    return updateStatement(inDatabase, writer, collection, statement, done)
  }
  if (kind === 'delete')
    return deleteStatement(inDatabase, writer, collection, { q: filter, limit: flag(op, 'multi') ? 0 : 1, hint, collation }, done)
  const document = prepare(
    context,
    encode(optionalDoc(op, 'document') ?? fail(40414, "BSON field 'bulkWrite.insert.document' is missing but a required field")),
  )
  insertDocument(writer, ensureCollection(writer, db, collection), document instanceof Error ? refuse(document) : document)
  return { n: 1, nModified: 0 }
}

/** The results of the operations are the documents of a cursor; what does not fit into the reply is read with `getMore`. */
function replyWith(context: Context, { results, counts }: Pick<Results, 'results' | 'counts'>): Buffer {
  const { body, engine, session, txn, deadline } = context
  const wanted = flag(body, 'errorsOnly') ? results.filter(({ code }) => code !== undefined) : results
  const limit = optionalCount(optionalDoc(body, 'cursor') ?? {}, 'batchSize') ?? Number.POSITIVE_INFINITY
  let fitting = 0
  for (let bytes = 0; fitting < Math.min(wanted.length, limit); fitting++) {
    bytes += encode(wanted[fitting]!).length
    if (bytes > fullBatchBytes) break
  }
  const rest = wanted.slice(fitting).map(encode)
  const cursor = { namespace: resultNamespace, stream: rest.values(), sessionId: session?.id, txn, deadline, usedAt: Date.now() }
  const id = rest.length > 0 ? openCursor(engine.cursors, cursor).id : 0
  return okReply({ cursor: { firstBatch: wanted.slice(0, fitting), id: BigInt(id), ns: resultNamespace }, ...counts })
}
