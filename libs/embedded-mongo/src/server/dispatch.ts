import { Timestamp } from 'bson'
import { decode, firstName, splitArray } from '../bson/raw.ts'
import { commands } from '../commands/commands.ts'
import { checkApi } from '../commands/versioned-api.ts'
import { applyReadConcern, concernError, waitForClusterTime } from '../engine/concerns.ts'
import type { Command, Context } from '../engine/context.ts'
import { abortTxn, type Engine } from '../engine/engine.ts'
import { type Failure, nextFailure, nextWriteFailure } from '../engine/fail-points.ts'
import { joinTransaction } from '../engine/transaction-state.ts'
import { refuseView } from '../engine/views.ts'
import { orOutOfTime } from '../sessions/deadline.ts'
import { reading } from '../sessions/history.ts'
import { type Session, sessionOf, transactionNumber } from '../sessions/session.ts'
import { fail, MongoError } from '../values/errors.ts'
import { asInteger, type Doc, isDoc, isNumeric, typeName } from '../values/values.ts'
import { buildReply, type Message, type ReplyTime } from '../wire/message.ts'
import { errorReply, withField } from '../wire/reply.ts'
import type { Connection } from '../wire/wire.ts'

/** Fields that every command may carry. */
const generalFields = new Set([
  '$db',
  'lsid',
  'txnNumber',
  'autocommit',
  'startTransaction',
  'stmtId',
  'stmtIds',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'comment',
  '$readPreference',
  '$clusterTime',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'rawData',
  'mayBypassWriteBlocking',
])

/** Errors after which the driver may send a write again. */
const retryableCodes = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])
/** Errors after which a change stream cannot resume. */
const nonResumableCodes = new Set([280, 286])
/** Errors after which a whole transaction may be tried again. */
const transientCodes = new Set([24, 112, 246, 251, 267])

/**
 * Answers one message: finds the command, its session and transaction, runs it, and dresses its error. What needs no waiting, as most
 * reads, is answered immediately: promises would cost as much as the reading itself.
 */
export function answer(engine: Engine, connection: Connection, message: Message): Buffer | undefined | Promise<Buffer | undefined> {
  let context: Context | undefined
  let failure: Failure | undefined
  try {
    const started = readContext(engine, connection, message)
    context = started
    engine.counts.set(started.name, (engine.counts.get(started.name) ?? 0) + 1)
    if (started.body.apiVersion !== undefined || started.body.apiStrict !== undefined) checkApi(started)
    const command = commands.get(started.name) ?? fail(59, `no such command: '${started.name}'`)
    failure = engine.failPoints && nextFailure(engine.failPoints, started)
    const reply = failure ? runFailing(command, started, failure) : run(command, started)
    if (!(reply instanceof Promise)) return finish(message, started, failure, reply)
    return reply.then(
      document => finish(message, started, failure, document),
      error => refuse(message, error, started, failure),
    )
  } catch (error) {
    return refuse(message, error, context, failure)
  }
}

async function runFailing(command: Command, context: Context, failure: Failure): Promise<Buffer | undefined> {
  if (failure.blockMs > 0) await new Promise(resolve => setTimeout(resolve, failure.blockMs))
  if (failure.closesConnection) return undefined
  if (failure.error) throw failure.error
  return run(command, context)
}

function refuse(message: Message, error: unknown, context: Context | undefined, failure: Failure | undefined): Buffer {
  const fault = error instanceof MongoError ? orOutOfTime(error, context?.deadline ?? Number.POSITIVE_INFINITY) : unexpected(error)
  return buildReply(message, errorReply(fault, labelsOf(fault, context, failure)), context && operationTime(context))
}

function readContext(engine: Engine, connection: Connection, message: Message): Context {
  const name = firstName(message.body) ?? fail(59, 'no command was given')
  const isInsert = name === 'insert' && !message.sequences.has('documents')
  const { body, sequences } = isInsert ? splitInsert(message) : { body: decode(message.body), sequences: message.sequences }
  const db = message.isLegacy ? 'admin' : body.$db
  if (typeof db !== 'string') return fail(40414, 'OP_MSG requests require a $db argument')
  const maxTime = body.maxTimeMS === undefined ? 0 : maxTimeOf(body.maxTimeMS)
  const now = new Date()
  const deadline = maxTime > 0 ? now.getTime() + maxTime : Number.POSITIVE_INFINITY
  return {
    engine,
    connection,
    name,
    db,
    body,
    sequences,
    session: undefined,
    txn: undefined,
    moment: undefined,
    retryNumber: undefined,
    deadline,
    now,
  }
}

function splitInsert(message: Message): { body: Doc; sequences: Message['sequences'] } {
  const { rest, documents } = splitArray(message.body, 'documents')
  return { body: rest, sequences: documents ? new Map([['documents', documents]]) : message.sequences }
}

function maxTimeOf(value: unknown): number {
  if (!isNumeric(value))
    return fail(14, `BSON field 'maxTimeMS' is the wrong type '${typeName(value)}', expected types '[long, int, decimal, double]'`)
  const ms = asInteger(value)
  if (ms === undefined) return fail(9, 'maxTimeMS has non-integral value')
  return ms < 0 || ms > 0x7fff_ffff ? fail(2, `${ms} value for maxTimeMS is out of range [0, 2147483647]`) : ms
}

function run(command: Command, context: Context): Buffer | undefined | Promise<Buffer | undefined> {
  checkFields(command, context)
  const waiting = waitForClusterTime(context)
  return waiting === undefined ? runNow(command, context) : waiting.then(() => runNow(command, context))
}

function runNow(command: Command, context: Context): Buffer | undefined | Promise<Buffer | undefined> {
  const { body, engine } = context
  if (engine.catalog.hasViews()) refuseView(context)
  if (body.autocommit === undefined) applyReadConcern(context)
  const reply = runInSession(command, context)
  return context.moment && reply instanceof Promise ? reading(context.moment, reply) : reply
}

function runInSession(command: Command, context: Context): Buffer | undefined | Promise<Buffer | undefined> {
  const { body, engine } = context
  if (body.lsid === undefined) {
    if (body.txnNumber !== undefined) fail(72, 'Transaction number requires a session ID to also be specified')
    return command.run(context)
  }
  const session = sessionOf(engine.sessions, engine.storage, body.lsid, context.now.getTime())
  context.session = session
  if (body.txnNumber === undefined) {
    if (body.autocommit !== undefined || body.startTransaction !== undefined)
      fail(72, "'autocommit' and 'startTransaction' need a transaction number")
    return command.run(context)
  }
  return runNumbered(command, context, session)
}

/** The commands of one session that carry a number run one after the other. */
async function runNumbered(command: Command, context: Context, session: Session): Promise<Buffer | undefined> {
  while (session.running !== undefined) await session.running.catch(() => {})
  const running = context.body.autocommit === undefined ? runRetryable(command, context) : runInTransaction(command, context)
  session.running = running
  try {
    return await running
  } finally {
    session.running = undefined
  }
}

function checkFields({ fields }: Command, { body, name }: Context): void {
  if (!fields) return
  for (const field of Object.keys(body))
    if (field !== name && !fields.has(field) && !generalFields.has(field)) fail(40415, `BSON field '${name}.${field}' is an unknown field.`)
}

/** A write with a number is done once: a repetition gets the answer that the first one got. */
async function runRetryable(command: Command, context: Context): Promise<Buffer | undefined> {
  const session = context.session!
  const number = transactionNumber(context.body.txnNumber)
  if (!command.isRetryable)
    return fail(50768, `txnNumber may only be provided for multi-document transactions and retryable write commands. '${context.name}' is neither`)
  if (number < session.number)
    fail(
      225,
      `Retryable write with txnNumber ${number} is prohibited on session because a newer retryable write with txnNumber ${session.number} has already started on this session.`,
    )
  if (number > session.number) {
    if (session.txn) abortTxn(context.engine, session.txn)
    Object.assign(session, { number, reply: undefined, progress: undefined, isCommitted: false, isTransaction: false, txn: undefined })
  } else if (session.isTransaction) fail(217, `Cannot retry a retryable write that has been converted into a transaction`)
  else if (session.reply) return session.reply
  context.retryNumber = number
  const failure = context.engine.failPoints && nextWriteFailure(context.engine.failPoints, statementCount(context))
  if (failure === 'before') return undefined
  const reply = await command.run(context)
  return failure ? undefined : reply
}

function statementCount({ sequences, body }: Context): number {
  for (const field of ['documents', 'updates', 'deletes', 'ops']) {
    const list = sequences.get(field) ?? body[field]
    if (Array.isArray(list)) return list.length
  }
  return 1
}

async function runInTransaction(command: Command, context: Context): Promise<Buffer | undefined> {
  joinTransaction(command, context)
  const { txn, engine, name } = context
  try {
    return await command.run(context)
  } catch (error) {
    // It may have been aborted while the command read: by its age, for example.
    const isLost = txn?.state === 'aborted' && error instanceof MongoError && error.code === 239
    if (txn && name !== 'getMore' && name !== 'commitTransaction') abortTxn(engine, txn)
    throw isLost ? new MongoError(251, `Transaction ${txn.number} has been aborted.`) : error
  }
}

/** Adds the common fields of successful replies and builds the message. */
function finish(message: Message, context: Context, failure: Failure | undefined, reply: Buffer | undefined): Buffer | undefined {
  if (!reply) return undefined
  const time = operationTime(context)
  const concern = failure?.writeConcernError ?? concernError(context)
  if (!concern && !context.moment) return buildReply(message, reply, time)
  const extra: Doc = {}
  if (concern) {
    extra.writeConcernError = concern
    const code = isNumeric(concern.code) ? asInteger(concern.code) : undefined
    const labels = Array.isArray(concern.errorLabels)
      ? concern.errorLabels
      : (failure?.labels ?? (code !== undefined && isRetryableWrite(context) && retryableCodes.has(code) ? ['RetryableWriteError'] : []))
    if (labels.length > 0) extra.errorLabels = labels
  }
  if (context.moment) extra.atClusterTime = context.moment.at
  return buildReply(message, withField(reply, extra), time)
}

/** Sessions save the time of their last operation, also of failed ones, so that later reads see nothing older. */
function operationTime({ engine, body }: Context): ReplyTime {
  const { seconds, counter } = engine.log.time()
  const clusterTime = isDoc(body.$clusterTime) ? body.$clusterTime.clusterTime : undefined
  return { seconds, counter, isNews: !(clusterTime instanceof Timestamp && clusterTime.t === seconds && clusterTime.i === counter) }
}

function isRetryableWrite({ body, name }: Context): boolean {
  return (body.txnNumber !== undefined && body.autocommit === undefined) || name === 'commitTransaction' || name === 'abortTransaction'
}

function labelsOf(error: MongoError, context: Context | undefined, failure: Failure | undefined): string[] {
  if (failure?.error === error && failure.labels) return failure.labels
  const labels = new Set(error.labels)
  if (nonResumableCodes.has(error.code)) labels.add('NonResumableChangeStreamError')
  if (!context) return [...labels]
  const { name, body } = context
  const isInTransaction = body.autocommit !== undefined
  if (isRetryableWrite(context) && retryableCodes.has(error.code)) labels.add('RetryableWriteError')
  const isEnding = name === 'commitTransaction' || name === 'abortTransaction'
  if (isInTransaction && name !== 'abortTransaction' && (transientCodes.has(error.code) || (!isEnding && retryableCodes.has(error.code))))
    labels.add('TransientTransactionError')
  if (!isInTransaction) labels.delete('TransientTransactionError')
  return [...labels]
}

/** A fault of the engine itself: the client receives an error and the process continues. */
function unexpected(error: unknown): MongoError {
  const text = error instanceof Error ? error.message : String(error)
  return new MongoError(error instanceof RangeError ? 15 : 8, `The command failed unexpectedly: ${text}`)
}
