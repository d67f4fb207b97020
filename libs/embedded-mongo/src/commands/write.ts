import { decode, encode, maxDocumentBytes, withIdFirst } from '../bson/raw.ts'
import { isUnacknowledged } from '../engine/concerns.ts'
import type { Command, Context } from '../engine/context.ts'
import { collectionName, optionalDocs, variables } from '../engine/context.ts'
import { fail, MongoError } from '../values/errors.ts'
import { asInteger, type Doc, isNumeric } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { runBatch, type Tally } from '../write/batch.ts'
import { fillTimestamps } from '../write/empty-timestamps.ts'
import { ensureCollection } from '../write/run.ts'
import { deleteStatement, type StatementResult, updateStatement } from '../write/statements.ts'
import { insertDocument } from '../write/write.ts'

const maxStatements = 100_000

export const insert: Command = {
  run: context => {
    const name = collectionName(context)
    const documents = statements(context, 'documents').map(raw => prepare(context, raw))
    return runBatch(context, documents, new Batch(context.body), (writer, raw) => {
      insertDocument(writer, ensureCollection(writer, context.db, name), raw instanceof MongoError ? refuse(raw) : raw)
      return { n: 1, nModified: 0 }
    })
  },
  fields: new Set(['documents', 'ordered', 'bypassDocumentValidation', 'bypassEmptyTsReplacement', 'encryptionInformation']),
  inTransaction: true,
  isRetryable: true,
}

export const update: Command = {
  run: context => {
    const name = collectionName(context)
    const parsed = statements(context, 'updates').map(raw => decode(raw))
    if (context.retryNumber !== undefined && parsed.some(({ multi }) => multi === true)) fail(72, 'Cannot use retryable writes with multi=true')
    return runBatch(context, parsed, new Batch(context.body, true), (writer, statement, done) =>
      updateStatement(context, writer, name, statement, done),
    )
  },
  fields: new Set(['updates', 'ordered', 'bypassDocumentValidation', 'bypassEmptyTsReplacement', 'let']),
  inTransaction: true,
  isRetryable: true,
}

/** `delete` is a reserved word. */
export const remove: Command = {
  run: context => {
    const name = collectionName(context)
    const parsed = statements(context, 'deletes').map(raw => decode(raw))
    if (context.retryNumber !== undefined && parsed.some(({ limit }) => isNumeric(limit) && asInteger(limit) === 0))
      fail(72, 'Cannot use retryable writes with limit=0')
    return runBatch(context, parsed, new Batch(context.body), (writer, statement, done) => deleteStatement(context, writer, name, statement, done))
  },
  fields: new Set(['deletes', 'ordered', 'let', 'bypassDocumentValidation']),
  inTransaction: true,
  isRetryable: true,
}

/** The statements of a write, from the document sequence of the message or from the body. */
export function statements(context: Context, field: string): Buffer[] {
  const list = context.sequences.get(field) ?? optionalDocs(context.body, field)?.map(encode)
  if (!list) return fail(40414, `BSON field '${context.name}.${field}' is missing but a required field`)
  if (list.length === 0 || list.length > maxStatements)
    fail(16, `Write batch sizes must be between 1 and ${maxStatements}. Got ${list.length} operations.`)
  variables(context)
  return list
}

/** A document that cannot be stored fails alone, in statement order. */
export function prepare(context: Context, raw: Buffer): Buffer | MongoError {
  if (raw.length > maxDocumentBytes)
    return new MongoError(2, `object to insert too large. size in bytes: ${raw.length}, max size: ${maxDocumentBytes}`)
  return fillTimestamps(context, withIdFirst(raw))
}

export function refuse(error: MongoError): never {
  throw error
}

class Batch implements Tally<unknown> {
  readonly reportsModified: boolean
  private readonly isSilent: boolean
  next = 0
  n = 0
  nModified = 0
  upserted: Doc[] = []
  writeErrors: Doc[] = []

  constructor(body: Doc, reportsModified = false) {
    this.isSilent = isUnacknowledged(body)
    this.reportsModified = reportsModified
  }

  add(_statement: unknown, { n, nModified, upserted }: StatementResult): void {
    this.n += n
    this.nModified += nModified
    if (upserted !== undefined) this.upserted.push({ index: this.next, _id: upserted })
  }

  fail(_statement: unknown, { code, message, extra }: MongoError, { n, nModified }: StatementResult): void {
    this.n += n
    this.nModified += nModified
    this.writeErrors.push({ index: this.next, code, ...extra, errmsg: message })
  }

  toDoc(): Doc {
    const { next, n, nModified, upserted, writeErrors } = this
    return { next, n, nModified, upserted, writeErrors }
  }

  hasWritten(): boolean {
    return this.n > 0 || this.upserted.length > 0
  }

  resume(doc: Doc): void {
    this.next = number(doc.next)
    this.n = number(doc.n)
    this.nModified = number(doc.nModified)
    this.upserted = (doc.upserted as Doc[]) ?? []
    this.writeErrors = (doc.writeErrors as Doc[]) ?? []
  }

  reply(): Buffer {
    if (this.isSilent) return okReply({ n: 0, ...(this.reportsModified ? { nModified: 0 } : {}) })
    const reply: Doc = { n: this.n }
    if (this.upserted.length > 0) reply.upserted = this.upserted
    if (this.reportsModified) reply.nModified = this.nModified
    if (this.writeErrors.length > 0) reply.writeErrors = this.writeErrors
    return okReply(reply)
  }
}

function number(value: unknown): number {
  return asInteger(value) ?? 0
}
