import { Timestamp } from 'bson'
import { checkDeadline } from '../sessions/deadline.ts'
import { momentOf } from '../sessions/history.ts'
import { codeNames, fail, MongoError } from '../values/errors.ts'
import { asNumber, type Doc, isDoc, isNumeric, isTruthy, typeName } from '../values/values.ts'
import type { OperationTime } from '../wire/message.ts'
import type { Context } from './context.ts'

const snapshotReads = new Set(['find', 'aggregate', 'distinct'])
/** Of a replica set. */
const maxMembers = 50
const levels = new Set(['local', 'available', 'majority', 'linearizable', 'snapshot'])

/** On one member every level reads the newest state, except `snapshot`: outside transactions it gives queries a moment that later reads can name. */
export function applyReadConcern(context: Context): void {
  const { body, txn, name, engine, now } = context
  const concern = body.readConcern
  if (concern === undefined) return
  if (!isDoc(concern)) throw new MongoError(14, `BSON field 'readConcern' is the wrong type '${typeName(concern)}', expected type 'object'`)
  const { level } = concern
  if (level === undefined) return
  if (typeof level !== 'string' || !levels.has(level))
    fail(9, `Read concern level must be one of 'local', 'majority', 'linearizable', 'available', or 'snapshot'`)
  if (txn && (level === 'available' || level === 'linearizable'))
    fail(72, `The readConcern level must be either 'local' (default), 'majority' or 'snapshot' in a transaction`)
  // A cursor has the moment of the command that opened it.
  if (txn || level !== 'snapshot' || name === 'getMore') return
  if (!snapshotReads.has(name)) fail(72, `Command ${name} does not support readConcern { level: "snapshot" } outside a transaction`)
  context.moment = momentOf(engine.history, engine.storage, concern.atClusterTime, now.getTime())
}

const clockPollMs = 100

/** The wait until the time that a causal read must have seen; undefined when that has come. Ends with 50 at the deadline of the command. */
export function waitForClusterTime({ body, engine, deadline, connection }: Context): Promise<void> | undefined {
  const after = isDoc(body.readConcern) ? body.readConcern.afterClusterTime : undefined
  if (!(after instanceof Timestamp) || hasCome(after, engine.log.time())) return undefined
  const wait = async () => {
    while (!hasCome(after, engine.log.time())) {
      checkDeadline(deadline)
      if (connection.isClosed()) fail(279, 'the client has disconnected')
      if (engine.log.isClosed()) fail(91, 'The server is shutting down')
      await engine.log.change(clockPollMs)
    }
  }
  return wait()
}

function hasCome({ t, i }: Timestamp, { seconds, counter }: OperationTime): boolean {
  return t < seconds || (t === seconds && i <= counter)
}

/** What a reply says when the write concern cannot be met: the write itself is done and durable. */
export function concernError({ body }: Context): Doc | undefined {
  const concern = body.writeConcern
  if (!isDoc(concern)) return undefined
  const { w } = concern
  if (isNumeric(w) && asNumber(w) > 1)
    return {
      code: 100,
      codeName: codeNames[100],
      errmsg: 'Not enough data-bearing nodes',
      errInfo: { writeConcern: { ...concern, wtimeout: concern.wtimeout ?? 0, provenance: 'clientSupplied' } },
    }
  if (typeof w === 'string' && w !== 'majority')
    return { code: 79, codeName: codeNames[79], errmsg: `No write concern mode named '${w}' found in replica set configuration` }
  return undefined
}

/** With `w: 0` the client wants no result of its write; some clients still wait for a reply. */
export function isUnacknowledged({ writeConcern }: Doc): boolean {
  return isDoc(writeConcern) && isNumeric(writeConcern.w) && asNumber(writeConcern.w) === 0 && !isTruthy(writeConcern.j)
}

/** Refuses a malformed write concern before anything is written. */
export function checkWriteConcern({ body, txn, name }: Context): void {
  const concern = body.writeConcern
  if (concern === undefined) return
  if (!isDoc(concern)) fail(14, `BSON field 'writeConcern' is the wrong type '${typeName(concern)}', expected type 'object'`)
  if (isNumeric(concern.w) && (asNumber(concern.w) < 0 || asNumber(concern.w) > maxMembers))
    fail(9, `w has to be a non-negative number and not greater than ${maxMembers}; found: ${asNumber(concern.w)}`)
  if (txn && name !== 'commitTransaction' && name !== 'abortTransaction') fail(72, 'writeConcern is not allowed within a multi-statement transaction')
}
