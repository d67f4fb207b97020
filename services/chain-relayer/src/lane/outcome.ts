import { batchResults, decodeRevert, type RawLog, type Revert, revertClass, revertText } from '@carapace/chain'
import type { mongo } from 'mongoose'
import type { Receipt } from '../chain/reader.ts'
import { type Announcement, confirmed, failed, finalized } from './announce.ts'
import { nextOpState } from './command-states.ts'
import {
  type ConfirmedOp,
  type FailedOp,
  type FinalOp,
  hasFailed,
  type Op,
  type OpError,
  type OpResult,
  type OpState,
  type QueuedOp,
  type Tx,
  terminalFailures,
} from './records.ts'

/** What a mined transaction did for one operation. */
export type OpOutcome = { kind: 'done'; logs: readonly RawLog[] } | { kind: 'reverted'; revert: Revert; outOfGas: boolean }

/**
 * Reads a receipt, operation by operation. `revertOf` gives the revert data of a transaction that failed as a whole.
 * A transaction that ran out of gas has no readable reason.
 */
export function outcomesOf(tx: Tx, receipt: Receipt, batcher: string, revert: Revert): Map<string, OpOutcome> {
  if (receipt.status !== '0x1') {
    const outOfGas = Number(receipt.gasUsed) >= tx.gasLimit * 0.95 && (revert.name === 'unknown' || revert.name === 'Batcher_GasTooLow')
    return new Map(tx.ops.map(({ opKey }) => [opKey, { kind: 'reverted', revert, outOfGas }]))
  }
  if (!tx.ops.some(op => op.batchId !== null)) {
    // Every call of ours leaves a log. Without one there was no code to run: a call to an empty address succeeds and does nothing.
    const outcome: OpOutcome = isSilent(tx, receipt) ? { kind: 'reverted', revert, outOfGas: false } : { kind: 'done', logs: receipt.logs }
    return new Map(tx.ops.map(({ opKey }) => [opKey, outcome]))
  }
  const results = new Map(batchResults(receipt.logs, batcher).map(result => [result.id, result]))
  return new Map(
    tx.ops.map(({ opKey, batchId }): [string, OpOutcome] => {
      const result = results.get(batchId ?? '')
      if (!result || result.outcome === 'failed') {
        const reason = decodeRevert(result?.ret)
        return [opKey, { kind: 'reverted', revert: reason, outOfGas: result !== undefined && result.ret === '0x' }]
      }
      return [opKey, { kind: 'done', logs: result.logs }]
    }),
  )
}

const isSilent = (tx: Tx, receipt: Receipt) => tx.value === '0' && receipt.logs.length === 0

/** What follows for an operation whose try failed. */
export type FailureVerdict =
  | { next: 'retry'; delayMs: number; gasFactor: number }
  /** An effect may be missing on which it builds: see `afterMissing`. */
  | { next: 'wait'; error: OpError }
  /** No further try can help. */
  | { next: 'fail'; error: OpError }

/**
 * @param attempts tries that failed for reasons of their own, this one included
 * @param random 0..1, spreads the delays by a fifth either way
 */
export function judge(
  failure: { revert: Revert; outOfGas: boolean },
  op: { attempts: number; gasFactor: number },
  retries: readonly number[],
  finalReverts: readonly string[],
  random: number,
): FailureVerdict {
  const { revert, outOfGas } = failure
  const error: OpError = {
    code: outOfGas ? 'OUT_OF_GAS' : 'REVERTED',
    message: outOfGas ? 'the call ran out of gas' : revertText(revert),
    ...(revert.name === 'unknown' ? {} : { revert }),
  }
  const kind = outOfGas ? 'passing' : revertClass(revert, finalReverts)
  if (kind === 'missing') return { next: 'wait', error }
  if (kind === 'final' || op.attempts >= retries.length) return { next: 'fail', error }
  return { next: 'retry', delayMs: delayAfter(op.attempts, retries, random), gasFactor: outOfGas ? op.gasFactor * 2 : op.gasFactor }
}

/** Delay after so many tries, ms; the last one repeats. @param random 0..1, spreads it by a fifth either way */
export const delayAfter = (tries: number, retries: readonly number[], random: number): number =>
  Math.round((retries[tries - 1] ?? retries.at(-1)!) * (0.8 + 0.4 * random))

/** A transition of an operation: its next record, the fields to store and the event to publish. */
export interface OpStep<Next extends Op = Op> {
  op: Next
  fields: Partial<Next>
  event?: Announcement
  /** States in which the record may be for this step to be stored: a late leader changes nothing that has ended. */
  from: readonly OpState[]
}

const running: readonly OpState[] = ['QUEUED', 'CONFIRMED']
const notFailed: readonly OpState[] = ['QUEUED', 'CONFIRMED', 'FINAL']

/**
 * The effect is in a block. Its logs are not stored: they are read again from the chain on request. One that was reported failed has that failure
 * ahead of it again: nobody sends it any more, so it fails when its block is dropped.
 */
export function confirm(op: Op, result: OpResult, now: number): OpStep<ConfirmedOp> {
  const isKnown = op.state === 'CONFIRMED' && op.result.blockHash === result.blockHash
  const next: ConfirmedOp = {
    ...op,
    state: nextOpState(op.state, 'confirm'),
    seq: isKnown ? op.seq : op.seq + 1,
    result,
    txHash: result.txHash,
    error: null,
    waiting: null,
    updatedAt: now,
  }
  const step = stored(next)
  if (!hasFailed(op)) return { ...step, event: confirmed(next, op.updatedAt) }
  const late = { ...next, failLater: op.error }
  return { op: late, fields: { ...step.fields, failLater: op.error }, from: [...step.from, op.state], event: confirmed(late) }
}

/** The step confirms what was reported failed. It is stored before it is published: until then every reader gets the failure. */
export const isLate = (step: OpStep): step is OpStep<ConfirmedOp> =>
  step.op.state === 'CONFIRMED' && step.from.some(state => terminalFailures.includes(state))

/** The fields of a success. What the live transaction or the chain has is left out, so that many operations share a statement. */
export function stored<Next extends ConfirmedOp | FinalOp>(op: Next): OpStep<Next> {
  const { state, seq, result, updatedAt }: ConfirmedOp | FinalOp = op
  const { blockNumber, blockHash, blockTime } = result
  const saved = result.already ? result : { txHash: '', blockNumber, blockHash, blockTime, logs: [] }
  const fields = { state, seq, result: saved, error: null, updatedAt } as Partial<Next>
  return { op, fields, from: state === 'FINAL' ? notFailed : running }
}

/** A try failed and another one follows. */
export function retry(op: Op, verdict: { delayMs: number; gasFactor: number }, reason: string, now: number): OpStep<QueuedOp> {
  const { delayMs, gasFactor } = verdict
  const next: QueuedOp = { ...op, state: nextOpState(op.state, 'retry'), nextAt: now + delayMs, gasFactor, result: null, error: null }
  return unusual(next, `try ${op.attempts} failed: ${reason}`, now)
}

/** It was not carried out; it returns to its old place in the queue. */
export function requeue(op: Op, why: string, now: number): OpStep<QueuedOp> {
  return unusual({ ...op, state: nextOpState(op.state, 'requeue'), nextAt: now, result: null, error: null }, why, now)
}

/** The end of a round without effect. A round that has ended so already repeats its event and nothing else. */
export function fail(op: Op, error: OpError, now: number): OpStep<FailedOp> {
  if (hasFailed(op)) return repeatFailure(op)
  const trigger = error.code === 'EXPIRED' ? 'expire' : error.code === 'CANCELLED' ? 'cancel' : 'fail'
  const state = nextOpState(op.state, trigger)
  const step = unusual({ ...op, state, seq: op.seq + 1, result: null, error }, `${state.toLowerCase()}: ${error.message}`, now)
  return { ...step, event: failed(step.op, error) }
}

/** A crash may lie between the stored failure and the release of its transaction. */
export function repeatFailure(op: FailedOp): OpStep<FailedOp> {
  const { state, error } = op
  return { op, fields: { state, error }, from: [state], event: failed(op, error) }
}

/** The same, unless a transaction has shown an authorisation of it: anybody may submit that until it has expired, so only then the end is certain. */
export function endOf(op: Op, error: OpError, now: number): OpStep<QueuedOp | FailedOp> {
  const openMs = (op.openUntil ?? 0) - now
  if (openMs <= 0 || hasFailed(op)) return fail(op, error, now)
  const why = `${error.message}; ends when its authorisation has expired`
  return retry({ ...op, failLater: error }, { delayMs: openMs, gasFactor: op.gasFactor }, why, now)
}

/**
 * Its block was dropped; the same transaction is sent again.
 * @param failsAt when one that had failed before fails again, unless a block has its effect by then
 */
export function reverse(op: Op, now: number, failsAt = 0): OpStep<QueuedOp> {
  const changes = {
    state: nextOpState(op.state, 'reverse'),
    seq: op.seq + 1,
    result: null,
    nextAt: op.failLater ? failsAt : op.nextAt,
    waiting: null,
    reversedAt: now,
    updatedAt: now,
  }
  return { op: { ...op, ...changes, error: null }, fields: changes, from: notFailed }
}

/** Its block is deep enough to be final. */
export function finish(op: Op, result: OpResult, now: number): OpStep<FinalOp> {
  const state = nextOpState(op.state, 'finalize')
  const next: FinalOp = { ...op, state, seq: op.state === state ? op.seq : op.seq + 1, result, error: null, updatedAt: now }
  return { ...stored(next), event: finalized(next, op.updatedAt) }
}

/** A try that failed in a block is counted once, however often its receipt is read. */
export function countTry<Tried extends Op>(op: Tried, txId: string, hash: string): Tried {
  const countedTx = `${txId}/${hash}`
  return op.countedTx === countedTx ? op : { ...op, countedTx, attempts: op.attempts + 1 }
}

/** A rare change is stored with all fields that may have changed. A line of the history that repeats the last one replaces it. */
function unusual<Next extends Op>(changed: Next, what: string, now: number): OpStep<Next> {
  const before = changed.history.at(-1)?.what === what ? changed.history.slice(0, -1) : changed.history
  const op: Next = { ...changed, updatedAt: now, history: [...before.slice(-19), { at: now, what }] }
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
  return { op, fields: (failLater ? { ...fields, failLater } : fields) as Partial<Next>, from: running }
}

/** Equal for fields that are equal. A success is identified by its block. */
function likeness(fields: Partial<Op>): string {
  const { result, history, state, seq, updatedAt, failLater } = fields
  if (!result || result.already || history || failLater) return JSON.stringify(fields)
  return `${state}/${seq}/${updatedAt}/${result.blockHash}`
}

/** Stores steps, one statement for all that change in the same way: a statement costs more than a document. */
export async function storeSteps(ops: mongo.Collection<Op>, steps: readonly OpStep[]): Promise<void> {
  const groups = new Map<string, { keys: string[]; round: number; fields: Partial<Op>; from: readonly OpState[] }>()
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
