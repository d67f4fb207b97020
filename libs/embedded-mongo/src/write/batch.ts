import { type Context, flag } from '../engine/context.ts'
import { abortTxn } from '../engine/engine.ts'
import { orOutOfTime } from '../sessions/deadline.ts'
import { MongoError } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { Pause, sliceOf } from './pause.ts'
import { type Progress, runWrite } from './run.ts'
import type { Done, StatementResult } from './statements.ts'
import type { Writer } from './write.ts'

/** What the statements of one command have done so far, in the form in which the command reports it. */
export interface Tally<T> extends Progress {
  /** The index of the next statement. */
  next: number
  add(statement: T, result: StatementResult): void
  /** `partial` is what the statement has done before it failed. */
  fail(statement: T, error: MongoError, partial: StatementResult): void
  /** Restores the progress that `toDoc` returned. */
  resume(progress: Doc): void
  reply(): Buffer
}

/** Runs the statements one by one; an error stops an ordered batch and is noted in an unordered one. */
export async function runBatch<T>(
  context: Context,
  statements: readonly T[],
  tally: Tally<NoInfer<T>>,
  run: (writer: Writer, statement: T, done: Done) => StatementResult,
): Promise<Buffer> {
  const isOrdered = context.body.ordered === undefined || flag(context.body, 'ordered')
  const bypassValidation = flag(context.body, 'bypassDocumentValidation')
  if (context.session?.progress && context.retryNumber !== undefined) tally.resume(context.session.progress)
  let done = freshDone()
  return runWrite(
    context,
    writer => {
      const first = tally.next
      const isOver = sliceOf(writer)
      for (; tally.next < statements.length; tally.next++) {
        if (tally.next > first && isOver()) throw new Pause()
        const statement = statements[tally.next]!
        const fault = attempt(() => tally.add(statement, run({ ...writer, bypassValidation }, statement, done)))
        const error = fault && orOutOfTime(fault, context.deadline)
        if (error) {
          if (context.txn) abortInTransaction(context, error)
          tally.fail(statement, error, done.result)
        }
        done = freshDone()
        if (error && (isOrdered || context.txn)) break
      }
      return tally.reply()
    },
    tally,
  )
}

function freshDone(): Done {
  return { keys: new Set(), result: { n: 0, nModified: 0 }, search: {} }
}

function attempt(action: () => void): MongoError | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    if (error instanceof MongoError) return error
    throw error
  }
}

/** A conflict fails the whole command, so that the client tries the transaction again; any other error is reported in place. */
function abortInTransaction({ engine, txn }: Context, error: MongoError): void {
  if (error.code === 112) throw error
  abortTxn(engine, txn!)
}
