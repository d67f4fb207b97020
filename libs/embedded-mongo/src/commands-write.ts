import { decode, encode, maxDocumentBytes, withIdFirst } from './bson-raw.ts'
import type { Command, Context } from './context.ts'
import { collectionName, flag, optionalDocs, variables } from './context.ts'
import { abortTxn } from './engine.ts'
import { fail, MongoError } from './errors.ts'
import { okReply } from './reply.ts'
import { asInteger, type Doc, isNumeric } from './values.ts'
import { insertDocument, type Writer } from './write.ts'
import { ensureCollection, type Progress, runWrite } from './write-run.ts'
import { type Done, deleteStatement, type StatementResult, updateStatement } from './write-statements.ts'

const maxStatements = 100_000

export const insert: Command = {
  run: context => {
    const name = collectionName(context)
    const documents = statements(context, 'documents').map(prepare)
    return runStatements(context, documents, (writer, raw) => {
      insertDocument(writer, ensureCollection(writer, context.db, name), raw instanceof MongoError ? refuse(raw) : raw)
      return { n: 1, nModified: 0 }
    })
  },
  fields: new Set(['documents', 'ordered', 'bypassDocumentValidation', 'encryptionInformation']),
  inTransaction: true,
  isRetryable: true,
}

export const update: Command = {
  run: context => {
    const name = collectionName(context)
    const parsed = statements(context, 'updates').map(raw => decode(raw))
    if (context.retryNumber !== undefined && parsed.some(({ multi }) => multi === true)) fail(72, 'Cannot use retryable writes with multi=true')
    return runStatements(context, parsed, (writer, statement, done) => updateStatement(context, writer, name, statement, done), true)
  },
  fields: new Set(['updates', 'ordered', 'bypassDocumentValidation', 'let']),
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
    return runStatements(context, parsed, (writer, statement, done) => deleteStatement(context, writer, name, statement, done))
  },
  fields: new Set(['deletes', 'ordered', 'let', 'bypassDocumentValidation']),
  inTransaction: true,
  isRetryable: true,
}

/** The statements of a write, from the sequence beside the body or from the body itself. */
export function statements(context: Context, field: string): Buffer[] {
  const list = context.sequences.get(field) ?? optionalDocs(context.body, field)?.map(encode)
  if (!list) return fail(40414, `BSON field '${context.name}.${field}' is missing but a required field`)
  if (list.length === 0 || list.length > maxStatements)
    fail(16, `Write batch sizes must be between 1 and ${maxStatements}. Got ${list.length} operations.`)
  variables(context)
  return list
}

/** A document that cannot be stored fails alone, in its turn. */
export function prepare(raw: Buffer): Buffer | MongoError {
  if (raw.length > maxDocumentBytes)
    return new MongoError(2, `object to insert too large. size in bytes: ${raw.length}, max size: ${maxDocumentBytes}`)
  return withIdFirst(raw)
}

export function refuse(error: MongoError): never {
  throw error
}

class Batch implements Progress {
  next = 0
  n = 0
  nModified = 0
  upserted: Doc[] = []
  writeErrors: Doc[] = []

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
}

function number(value: unknown): number {
  return asInteger(value) ?? 0
}

/** Runs the statements in turn; an error stops an ordered batch and is noted in an unordered one. */
async function runStatements<T>(
  context: Context,
  list: readonly T[],
  run: (writer: Writer, statement: T, done: Done) => StatementResult,
  reportsModified = false,
): Promise<Buffer> {
  const isOrdered = context.body.ordered === undefined || flag(context.body, 'ordered')
  const bypassValidation = flag(context.body, 'bypassDocumentValidation')
  const batch = new Batch()
  if (context.session?.progress && context.retryNumber !== undefined) batch.resume(context.session.progress)
  let done = freshDone()
  return runWrite(
    context,
    writer => {
      for (; batch.next < list.length; batch.next++) {
        const error = attempt(() => {
          const { n, nModified, upserted } = run({ ...writer, bypassValidation }, list[batch.next]!, done)
          batch.n += n
          batch.nModified += nModified
          if (upserted !== undefined) batch.upserted.push({ index: batch.next, _id: upserted })
        })
        if (error) {
          if (context.txn) abortInTransaction(context, error)
          batch.n += done.result.n
          batch.nModified += done.result.nModified
          batch.writeErrors.push({ index: batch.next, code: error.code, ...error.extra, errmsg: error.message })
        }
        done = freshDone()
        if (error && (isOrdered || context.txn)) break
      }
      const reply: Doc = { n: batch.n }
      if (batch.upserted.length > 0) reply.upserted = batch.upserted
      if (reportsModified) reply.nModified = batch.nModified
      if (batch.writeErrors.length > 0) reply.writeErrors = batch.writeErrors
      return okReply(reply)
    },
    batch,
  )
}

export function freshDone(): Done {
  return { keys: new Set(), result: { n: 0, nModified: 0 } }
}

export function attempt(action: () => void): MongoError | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    if (error instanceof MongoError) return error
    throw error
  }
}

/** A conflict fails the whole command, so that the client tries the transaction again; any other error is reported in place. */
export function abortInTransaction({ engine, txn }: Context, error: MongoError): void {
  if (error.code === 112) throw error
  abortTxn(engine, txn!)
}
