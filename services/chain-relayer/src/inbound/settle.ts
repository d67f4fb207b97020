import type { RawLog } from '@carapace/chain'
import type { Block, Receipt } from '../chain/reader.ts'
import type { Announcement } from '../lane/announce.ts'
import { hasten } from '../lane/hasten.ts'
import { assertLeading, type Lane } from '../lane/lane.ts'
import {
  confirm,
  countTry,
  delayAfter,
  endOf,
  isLate,
  judge,
  type OpOutcome,
  type OpStep,
  outcomesOf,
  repeatFailure,
  requeue,
  retry,
  stored,
  storeSteps,
} from '../lane/outcome.ts'
import { type ConfirmedOp, hasFailed, lastAttempt, type Op, type OpResult, type Tx } from '../lane/records.ts'
import type { Slot } from '../lane/slots.ts'
import { mine, present, storeTxSteps, type TxStep } from '../lane/tx-writes.ts'
import { findEffect } from '../outbound/effect.ts'
import { afterMissing } from '../outbound/needs.ts'
import { anyoneMaySubmit, blockMs } from '../outbound/public-authorization.ts'
import { revertReason } from '../outbound/revert-reason.ts'
import { classifySend } from '../outbound/send/send-error.ts'
import { lateEffects } from './late-effects.ts'

export interface Mined {
  slot: Slot
  receipt: Receipt
  block: Block
}

/**
 * Applies the contents of blocks to operations and transactions. A success is published immediately and stored when it is final, or when that is
 * delayed: after a crash the receipts still have it. A step that releases an operation is stored before anything else happens to it.
 */
export async function settle(lane: Lane, mined: readonly Mined[]): Promise<void> {
  assertLeading(lane)
  const events: Announcement[] = []
  for (const one of mined) {
    const { slot, receipt, block } = one
    const { steps, found } = await stepsOf(lane, one)
    lane.slots.replaceOps(
      slot,
      [...steps, ...found].map(({ op }) => op),
    )
    const released = steps.filter(({ op }) => op.state !== 'CONFIRMED').map(({ op }) => op)
    if (released.length + found.length === 0) {
      events.push(...steps.flatMap(({ event }) => (event ? [event] : [])))
      lane.slots.replace(slot, mine(slot.tx, receipt, block).tx)
      continue
    }
    const ended = [...released, ...found.map(({ op }) => op)]
    const liveOps = slot.tx.liveOps?.filter(opKey => !ended.some(op => op._id === opKey)) ?? []
    const txStep = mine(slot.tx, receipt, block, liveOps)
    // An operation that is tried again must not meet its own old claim.
    await persist(lane, [...steps, ...found], [txStep], [slot])
    // The sender may have added an attempt meanwhile.
    lane.slots.replace(slot, mine(slot.tx, receipt, block, liveOps).tx)
    slot.storedAs = txStep.tx.state
    for (const { op } of found) lane.found.set(op._id, op)
    for (const op of released) requeueInMemory(lane, op)
  }
  for (const { slot } of mined) hasten(lane, [...slot.ops.values()])
  lane.failPoint('after-mined')
  const slots = mined.map(({ slot }) => slot)
  void lane.after.start(slots, async () => {
    await lane.announce(events)
    lane.failPoint('after-outcome')
  })
}

/** Stores what was published and is not final yet: transactions that wait long in the pool, and successes that wait for their depth. */
export function catchUp(lane: Lane): void {
  const slots = [...lane.slots.open().filter(slot => slot.tx.state === 'ACCEPTED'), ...lane.slots.mined()].filter(
    slot => slot.storedAs !== slot.tx.state,
  )
  if (slots.length === 0) return
  const steps = slots.flatMap(liveOps).flatMap(op => (op.state === 'CONFIRMED' ? [stored(op)] : []))
  const txSteps = slots.map(({ tx }) => present(tx))
  for (const slot of slots) slot.storedAs = slot.tx.state
  void lane.after.start(slots, async () => {
    assertLeading(lane)
    await storeSteps(lane.db.ops, steps)
    await storeTxSteps(lane, txSteps)
  })
}

/** Stores operations, publishes their events, stores the transactions. A caller that does not need the result need not wait. */
export function persist(lane: Lane, steps: readonly OpStep[], txSteps: readonly TxStep[], slots: readonly Slot[]): Promise<void> {
  return lane.after.start(slots, async () => {
    assertLeading(lane)
    await storeSteps(lane.db.ops, steps)
    await lane.announce(steps.flatMap((step): Announcement[] => (step.event ? [step.event] : [])))
    lane.failPoint('after-outcome')
    await storeTxSteps(lane, txSteps)
  })
}

interface Steps {
  /** Of the operations that the transaction holds. */
  steps: OpStep[]
  /** Of those that were reported failed and that it carried out after all: it holds them no longer. */
  found: OpStep<ConfirmedOp>[]
}

async function stepsOf(lane: Lane, one: Mined): Promise<Steps> {
  const { slot, receipt, block } = one
  const isNoop = slot.tx.attempts.find(attempt => attempt.hash === receipt.transactionHash)?.noop === true
  if (isNoop) return { steps: liveOps(slot).map(op => release(lane, op, slot.tx)), found: [] }
  const outcomes = await readOutcomes(lane, slot, receipt, block)
  const steps: OpStep[] = []
  const now = Date.now()
  const isBatched = slot.tx.ops.some(carried => carried.batchId !== null)
  for (const op of liveOps(slot)) {
    const outcome = outcomes.get(op._id)!
    const tried: Op = { ...op, viaBatcher: op.viaBatcher || isBatched }
    steps.push(outcome.kind === 'done' ? success(lane, tried, outcome.logs, one, now) : await failure(lane, tried, outcome, one))
  }
  const found = await lateEffects(lane, slot.tx, outcomes, logs => resultOf(lane, one, logs))
  return { steps: steps.filter(step => !isLate(step)), found: [...steps.filter(isLate), ...found] }
}

/** Operations for which this is the live transaction. */
export const liveOps = (slot: Slot): Op[] => (slot.tx.liveOps ?? []).map(opKey => slot.ops.get(opKey)!)

export function requeueInMemory(lane: Lane, op: Op): void {
  if (op.state !== 'QUEUED') return
  lane.queue.add(op, false)
  lane.wake()
}

/** An empty transaction used the slot: the operations were not carried out. */
function release(lane: Lane, op: Op, tx: Tx): OpStep {
  const now = Date.now()
  if (hasFailed(op)) return repeatFailure(op)
  const error = op.cancelRequested ? { code: 'CANCELLED' as const, message: 'cancelled by an operator' } : tx.failWith
  if (!error) return requeue(op, 'its transaction was replaced by an empty one', now)
  const isTooLarge = error.code === 'REJECTED_BY_NODE' && classifySend({ message: error.message }) === 'too-large'
  const tried = isTooLarge ? countTry(op, tx._id, lastAttempt(tx).hash) : op
  const delays = lane.timings.retryDelaysMs
  if (isTooLarge && tried.attempts < delays.length)
    return retry(tried, { delayMs: delayAfter(tried.attempts, delays, Math.random()), gasFactor: op.gasFactor }, error.message, now)
  // its node has shown the transaction to others
  return endOf({ ...tried, openUntil: openUntil(lane, op, now) }, error, now)
}

/** When the end of an operation is checked that would fail now, Unix ms. 0 = nobody but the platform can submit what its transaction has shown. */
const openUntil = (lane: Lane, op: Op, now: number): number => (anyoneMaySubmit(lane, op) ? now + blockMs : 0)

async function readOutcomes(lane: Lane, slot: Slot, receipt: Receipt, block: Block): Promise<Map<string, OpOutcome>> {
  const revert = receipt.status === '0x1' ? { name: 'unknown', args: [] } : await revertReason(lane, slot.tx, block.number)
  return outcomesOf(slot.tx, receipt, lane.network.addresses.Batcher, revert)
}

const placeOf = ({ receipt, block }: Mined) => ({
  txHash: receipt.transactionHash,
  blockNumber: block.number,
  blockHash: block.hash,
  blockTime: block.time,
})

function resultOf(lane: Lane, one: Mined, logs: readonly RawLog[]): OpResult {
  return { ...placeOf(one), logs: lane.network.decodeLogs(logs, one.receipt.logs[0]) as unknown as Record<string, unknown>[] }
}

function success(lane: Lane, op: Op, logs: readonly RawLog[], one: Mined, now: number): OpStep {
  lane.onConfirmed(now - op.createdAt)
  // a crash came between the stored failure and the release of its transaction
  const late = hasFailed(op) ? ({ already: true } as const) : {}
  return confirm(op, { ...resultOf(lane, one, logs), ...late }, now)
}

async function failure(lane: Lane, carried: Op, outcome: OpOutcome & { kind: 'reverted' }, one: Mined): Promise<OpStep> {
  const now = Date.now()
  const { slot, receipt } = one
  const effect = await findEffect(lane, carried, { ...one.block, txHash: receipt.transactionHash })
  if (effect) return confirm(carried, effect, now)
  if (hasFailed(carried)) return repeatFailure(carried)
  const op = { ...countTry(carried, slot.tx._id, receipt.transactionHash), openUntil: openUntil(lane, carried, now) }
  const { finalReverts = [] } = lane.commandOf(op.kind) ?? {}
  const own = { attempts: op.attempts - (op.waiting?.tries ?? 0), gasFactor: op.gasFactor }
  const verdict = judge(outcome, own, lane.timings.retryDelaysMs, finalReverts, Math.random())
  const why = outcome.outOfGas ? 'out of gas' : outcome.revert.name
  if (verdict.next === 'retry') return retry(op, verdict, why, now)
  if (verdict.next === 'wait') {
    const then = await afterMissing(lane, op, verdict.error)
    return 'end' in then ? endOf(then.op, then.end, now) : retry(then.op, { delayMs: then.delayMs, gasFactor: op.gasFactor }, why, now)
  }
  return endOf(op, verdict.error, now)
}
