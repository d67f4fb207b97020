import type { mongo } from 'mongoose'
import { type Announcement, confirmed, failed } from './announce.ts'
import type { OpError, OpRecord, OpResult } from './records.ts'

type OpWrite = mongo.AnyBulkWriteOperation<OpRecord>

/** A step of an operation: changes the record in memory and says which write and which event carry it. */
export interface OpStep {
  write: OpWrite
  event?: Announcement
}

const note = (op: OpRecord, what: string, now: number) => {
  op.updatedAt = now
  op.history.push({ at: now, what })
  if (op.history.length > 20) op.history.splice(0, op.history.length - 20)
}
const keep = (op: OpRecord): OpWrite => {
  const { _id, round, history, state, attempts, nextAt, gasFactor, viaBatcher, seq, countedTx, txId, txHash, result, error, updatedAt, failLater } =
    op
  return {
    updateOne: {
      filter: { _id, round },
      update: {
        $set: {
          history,
          state,
          attempts,
          nextAt,
          gasFactor,
          viaBatcher,
          seq,
          countedTx,
          txId,
          txHash,
          result,
          error,
          updatedAt,
          ...(failLater ? { failLater } : {}),
        },
      },
    },
  }
}

/** The effect is in a block. */
export function confirm(op: OpRecord, result: OpResult, txId: string | null, now: number): OpStep {
  const known = op.state === 'CONFIRMED' && op.result?.blockHash === result.blockHash
  Object.assign(op, { state: 'CONFIRMED', result, txId, txHash: result.txHash, error: null })
  if (!known) {
    op.seq++
    note(op, `confirmed in block ${result.blockNumber}`, now)
  }
  return { write: keep(op), event: confirmed(op) }
}

/** A try failed and another one follows. */
export function retry(op: OpRecord, verdict: { delayMs: number; gasFactor: number }, reason: string, now: number): OpStep {
  Object.assign(op, { state: 'QUEUED', nextAt: now + verdict.delayMs, gasFactor: verdict.gasFactor, txId: null })
  note(op, `try ${op.attempts} failed: ${reason}`, now)
  return { write: keep(op) }
}

/** Nothing was done for it after all; it takes its old place in the queue. */
export function requeue(op: OpRecord, why: string, now: number): OpStep {
  Object.assign(op, { state: 'QUEUED', nextAt: now, txId: null, result: null })
  note(op, why, now)
  return { write: keep(op) }
}

/** The end of a round without effect. */
export function fail(op: OpRecord, error: OpError, now: number): OpStep {
  const state = error.code === 'EXPIRED' ? 'EXPIRED' : error.code === 'CANCELLED' ? 'CANCELLED' : 'FAILED'
  if (op.state !== state) {
    op.seq++
    note(op, `${state.toLowerCase()}: ${error.message}`, now)
  }
  Object.assign(op, { state, error })
  return { write: keep(op), event: failed(op, error) }
}

/** Its block is gone; the same transaction goes out again. */
export function undo(op: OpRecord, now: number): OpStep {
  op.seq++
  Object.assign(op, { state: 'QUEUED', result: null })
  note(op, 'its block was reorganised away', now)
  return { write: keep(op) }
}

/** Deep enough to stay. */
export function finish(op: OpRecord, now: number): OpWrite {
  if (op.state !== 'FINAL') op.seq++
  op.state = 'FINAL'
  op.updatedAt = now
  return { updateOne: { filter: { _id: op._id, round: op.round }, update: { $set: { state: 'FINAL', seq: op.seq, updatedAt: now } } } }
}

/** A try that failed in a block is counted once, however often its receipt is read. */
export function countTry(op: OpRecord, txId: string, hash: string): void {
  const counted = `${txId}/${hash}`
  if (op.countedTx === counted) return
  op.countedTx = counted
  op.attempts++
}
