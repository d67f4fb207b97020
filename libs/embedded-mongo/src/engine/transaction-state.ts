import { transactionNumber } from '../sessions/session.ts'
import { beginTxn } from '../storage/txn.ts'
import { fail } from '../values/errors.ts'
import { applyReadConcern } from './concerns.ts'
import type { Command, Context } from './context.ts'
import { abortTxn } from './engine.ts'

const endings = new Set(['commitTransaction', 'abortTransaction'])

/** Joins the command to its session's transaction: begins it, continues it, or refuses with its outcome. */
export function joinTransaction(command: Command, context: Context): void {
  const { body, engine, name, now } = context
  const session = context.session!
  const number = transactionNumber(body.txnNumber)
  if (body.autocommit !== false) fail(72, "'autocommit' must be false in a multi-document transaction")
  if (!command.inTransaction) fail(263, `Cannot run '${name}' in a multi-document transaction.`)
  if (number < session.number)
    fail(225, `Cannot start transaction ${number} on session because a newer transaction ${session.number} has already started.`)
  if (body.startTransaction === true) {
    if (number === session.number) fail(117, `Cannot start transaction at given txnNumber ${number} which has already started`)
    if (session.txn) abortTxn(engine, session.txn)
    Object.assign(session, { number, reply: undefined, progress: undefined, isCommitted: false, isTransaction: true })
    session.txn = beginTxn(engine.storage, session.id, number, now.getTime())
    context.txn = session.txn
    checkStart(context)
    return
  }
  if (number > session.number || !session.isTransaction)
    fail(251, `Given transaction number ${number} does not match any in-progress transactions. The active transaction number is ${session.number}`)
  const { txn } = session
  if (session.isCommitted) {
    if (name !== 'commitTransaction') fail(256, `Transaction with { txnNumber: ${number} } has been committed.`)
    return
  }
  if (txn?.state !== 'open') fail(251, `Transaction with { txnNumber: ${number} } has been aborted.`)
  context.txn = txn
  if (!endings.has(name) && body.readConcern !== undefined) fail(72, 'Only the first command in a transaction may specify a readConcern')
}

function checkStart(context: Context): void {
  try {
    applyReadConcern(context)
  } catch (error) {
    abortTxn(context.engine, context.txn!)
    throw error
  }
}
