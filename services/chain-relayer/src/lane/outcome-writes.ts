import type { mongo } from 'mongoose'
import { type Announcement, confirmed, failed } from './announce.ts'
import { commandStates } from './command-states.ts'
import { type OpError, type OpRecord, type OpResult, type OpState, terminalFailures } from './records.ts'

type OpFields = Partial<Omit<OpRecord, '_id'>>

/** A step of an operation: the record in memory is changed already; these are the fields to store and the event to publish. */
export interface OpStep {
  op: OpRecord
  fields: OpFields
  event?: Announcement
  /** States in which the record may be for this step to be stored: a late leader changes nothing that has ended. */
  from: readonly OpState[]
}

const running: readonly OpState[] = ['QUEUED', 'CONFIRMED']
const notFailed: readonly OpState[] = ['QUEUED', 'CONFIRMED', 'FINAL']

/** The effect is in a block. Its logs are not stored: they are read again from the chain on request. */
export function confirm(op: OpRecord, result: OpResult, now: number): OpStep {
  const state = commandStates.move(op.state, 'confirm')
  if (op.state !== 'CONFIRMED' || op.result?.blockHash !== result.blockHash) op.seq++
  Object.assign(op, { state, result, txHash: result.txHash, error: null, waiting: null, updatedAt: now })
  return { ...stored(op, result), event: confirmed(op) }
}

/** The fields of a success. What the live transaction or the chain has is left out, so that many operations share a statement. */
export function stored(op: OpRecord, result: OpResult): OpStep {
  const { blockNumber, blockHash, blockTime } = result
  const saved = result.already ? { ...result, logs: [] } : { txHash: '', blockNumber, blockHash, blockTime, logs: [] }
  return {
    op,
    fields: { state: op.state, seq: op.seq, result: saved, error: null, updatedAt: op.updatedAt },
    from: op.state === 'FINAL' ? notFailed : running,
  }
}

/** A try failed and another one follows. */
export function retry(op: OpRecord, verdict: { delayMs: number; gasFactor: number }, reason: string, now: number): OpStep {
  Object.assign(op, { state: commandStates.move(op.state, 'retry'), nextAt: now + verdict.delayMs, gasFactor: verdict.gasFactor })
  return unusual(op, `try ${op.attempts} failed: ${reason}`, now)
}

/** It was not carried out; it returns to its old place in the queue. */
export function requeue(op: OpRecord, why: string, now: number): OpStep {
  Object.assign(op, { state: commandStates.move(op.state, 'requeue'), nextAt: now, result: null })
  return unusual(op, why, now)
}

/** The end of a round without effect. A round that has ended so already repeats its event and nothing else. */
export function fail(op: OpRecord, error: OpError, now: number): OpStep {
  if (hasFailed(op)) return repeatFailure(op)
  const trigger = error.code === 'EXPIRED' ? 'expire' : error.code === 'CANCELLED' ? 'cancel' : 'fail'
  const state = commandStates.move(op.state, trigger)
  op.seq++
  Object.assign(op, { state, error })
  return { ...unusual(op, `${state.toLowerCase()}: ${error.message}`, now), event: failed(op, error) }
}

export const hasFailed = (op: OpRecord) => terminalFailures.includes(op.state)

/** A crash may lie between the stored failure and the release of its transaction. */
export function repeatFailure(op: OpRecord): OpStep {
  const error = op.error!
  return { op, fields: { state: op.state, error }, from: [op.state], event: failed(op, error) }
}

/** The same, unless a block holds an authorisation of it: anybody may submit that until it has expired, so only then the end is certain. */
export function endOf(op: OpRecord, error: OpError, now: number): OpStep {
  const openMs = (op.openUntil ?? 0) - now
  if (openMs <= 0 || hasFailed(op)) return fail(op, error, now)
  op.failLater = error
  return retry(op, { delayMs: openMs, gasFactor: op.gasFactor }, `${error.message}; ends when its authorisation has expired`, now)
}

/** Its block was dropped; the same transaction is sent again. */
export function reverse(op: OpRecord, now: number): OpStep {
  const state = commandStates.move(op.state, 'reverse')
  op.seq++
  Object.assign(op, { state, result: null, reversedAt: now, updatedAt: now })
  return { op, fields: { state, seq: op.seq, result: null, waiting: null, reversedAt: now, updatedAt: now }, from: notFailed }
}

/** Its block is deep enough to be final. */
export function finish(op: OpRecord, now: number): OpStep {
  const state = commandStates.move(op.state, 'finalize')
  if (op.state !== state) op.seq++
  Object.assign(op, { state, updatedAt: now })
  return op.result ? stored(op, op.result) : { op, fields: { state, seq: op.seq, updatedAt: now }, from: notFailed }
}

/** A try that failed in a block is counted once, however often its receipt is read. */
export function countTry(op: OpRecord, txId: string, hash: string): void {
  const counted = `${txId}/${hash}`
  if (op.countedTx === counted) return
  op.countedTx = counted
  op.attempts++
}

/** A rare change is stored with all fields that may have changed. */
function unusual(op: OpRecord, what: string, now: number): OpStep {
  op.updatedAt = now
  op.history = [...op.history.slice(-19), { at: now, what }]
  const {
    history,
    state,
    attempts,
    nextAt,
    gasFactor,
    viaBatcher,
    seq,
    countedTx,
    txHash,
    result,
    error,
    updatedAt,
    failLater,
    waiting = null,
    openUntil = 0,
  } = op
  const fields = { history, state, attempts, nextAt, gasFactor, viaBatcher, seq, countedTx, txHash, result, error, updatedAt, waiting, openUntil }
  return { op, fields: failLater ? { ...fields, failLater } : fields, from: running }
}

/** Equal for fields that are equal. A success is identified by its block. */
function likeness(fields: OpFields): string {
  const { result, history, state, seq, updatedAt } = fields
  if (!result || result.already || history) return JSON.stringify(fields)
  return `${state}/${seq}/${updatedAt}/${result.blockHash}`
}

/** Stores steps, one statement for all that change in the same way: a statement costs more than a document. */
export async function storeSteps(ops: mongo.Collection<OpRecord>, steps: readonly OpStep[]): Promise<void> {
  const groups = new Map<string, { keys: string[]; round: number; fields: OpFields; from: readonly OpState[] }>()
  for (const { op, fields, from } of steps) {
    const key = `${op.round}${from}${likeness(fields)}`
    const group = groups.get(key)
    if (group) group.keys.push(op._id)
    else groups.set(key, { keys: [op._id], round: op.round, fields, from })
  }
  if (groups.size === 0) return
  await ops.bulkWrite(
    [...groups.values()].map(({ keys, round, fields, from }) => ({
      updateMany: { filter: { _id: { $in: keys }, round, state: { $in: [...from] } }, update: { $set: fields } },
    })),
    { ordered: false },
  )
}
