import type { Announcement } from './announce.ts'
import { effectIsThere } from './effect.ts'
import type { Lane } from './lane.ts'
import { judge, type OpOutcome, outcomesOf, type Receipt } from './outcome.ts'
import { confirm, countTry, fail, type OpStep, requeue, retry, storeSteps } from './outcome-writes.ts'
import { tokenMovesLater } from './public-authorization.ts'
import type { Block, OpRecord, TxRecord } from './records.ts'
import { revertReason } from './revert-reason.ts'
import type { Slot } from './slots.ts'
import { applyTxStep, storeTxSteps, type TxStep } from './tx-writes.ts'

export interface Mined {
  slot: Slot
  receipt: Receipt
  block: Block
}

/**
 * Carries what blocks say over to operations and transactions: operations first, then their events, then the transactions. A crash
 * in between finds the receipts again and repeats; every step is the same the second time.
 */
export async function settle(lane: Lane, mined: readonly Mined[]): Promise<void> {
  const steps: OpStep[] = []
  const txSteps: TxStep[] = []
  const freed: OpRecord[] = []
  for (const one of mined) {
    const { slot, receipt, block } = one
    const own = await stepsOf(lane, one)
    steps.push(...own)
    const released = own.filter(({ op }) => op.state !== 'CONFIRMED').map(({ op }) => op)
    freed.push(...released)
    const state = receipt.status === '0x1' ? ('MINED_OK' as const) : ('MINED_REVERTED' as const)
    // The usual transaction stores only what it shares with its block, so that one statement serves them all.
    const usual = released.length === 0 && slot.tx.attempts.length === 1
    const fields = usual ? { state, block } : { state, block, minedHash: receipt.transactionHash, gasUsed: Number(receipt.gasUsed) }
    const kept = slot.tx.liveOps?.filter(opKey => !released.some(op => op._id === opKey))
    txSteps.push({ tx: slot.tx, fields, ...(released.length ? { liveOps: kept ?? [] } : {}) })
  }
  lane.failPoint('after-mined')
  const stored = persist(
    lane,
    steps,
    txSteps,
    mined.map(({ slot }) => slot),
  )
  // An operation that goes again must not meet its own old claim.
  if (freed.length) await stored
  for (const [index, step] of txSteps.entries()) {
    applyTxStep(step)
    const { slot, receipt } = mined[index]!
    slot.tx.minedHash = receipt.transactionHash
    lane.slots.refresh(slot)
  }
  for (const op of freed) requeueInMemory(lane, op)
}

/** Stores operations, tells their events, stores the transactions. Whoever need not know the end does not wait for it. */
export function persist(lane: Lane, steps: readonly OpStep[], txSteps: readonly TxStep[], slots: readonly Slot[]): Promise<void> {
  const copies = steps.map(step => ({ ...step, op: { ...step.op } }))
  return lane.after.start(slots, async () => {
    await storeSteps(lane.db.ops, copies)
    await lane.announce(steps.flatMap((step): Announcement[] => (step.event ? [step.event] : [])))
    lane.failPoint('after-outcome')
    await storeTxSteps(lane, txSteps)
  })
}

async function stepsOf(lane: Lane, one: Mined): Promise<OpStep[]> {
  const { slot, receipt, block } = one
  const isNoop = slot.tx.attempts.find(attempt => attempt.hash === receipt.transactionHash)?.noop === true
  if (isNoop) return liveOps(slot).map(op => release(op, slot.tx))
  const outcomes = await readOutcomes(lane, slot, receipt, block)
  const steps: OpStep[] = []
  for (const op of liveOps(slot)) steps.push(await stepFor(lane, op, outcomes.get(op._id)!, one))
  return steps
}

/** Operations for which this is the live transaction. */
export const liveOps = (slot: Slot): OpRecord[] => (slot.tx.liveOps ?? []).map(opKey => slot.ops.get(opKey)!)

export function requeueInMemory(lane: Lane, op: OpRecord): void {
  if (op.state !== 'QUEUED') return
  lane.queue.add(op, false)
  lane.wake()
}

/** The slot went to an empty transaction: the operations were not carried out. */
function release(op: OpRecord, tx: TxRecord): OpStep {
  const now = Date.now()
  if (op.cancelRequested) return fail(op, { code: 'CANCELLED', message: 'cancelled by an operator' }, now)
  return tx.failWith ? fail(op, tx.failWith, now) : requeue(op, 'its transaction was replaced by an empty one', now)
}

async function readOutcomes(lane: Lane, slot: Slot, receipt: Receipt, block: Block): Promise<Map<string, OpOutcome>> {
  const revert = receipt.status === '0x1' ? { name: 'unknown', args: [] } : await revertReason(lane, slot.tx, block.number)
  return outcomesOf(slot.tx, receipt, lane.network.addresses.Batcher, revert)
}

async function stepFor(lane: Lane, op: OpRecord, outcome: OpOutcome, { slot, receipt, block }: Mined): Promise<OpStep> {
  const now = Date.now()
  const place = { txHash: receipt.transactionHash, blockNumber: block.number, blockHash: block.hash, blockTime: block.time }
  if (slot.tx.ops.some(carried => carried.opKey === op._id && carried.batchId)) op.viaBatcher = true
  if (outcome.kind === 'done') return confirm(op, { ...place, logs: decoded(lane, outcome.logs) }, now)
  if (await effectIsThere(lane, op)) return confirm(op, { ...place, logs: [], already: true }, now)
  countTry(op, slot.tx._id, receipt.transactionHash)
  const verdict = judge(outcome, op, lane.timings.retries, lane.commandOf(op.kind)?.transient ?? [], Math.random())
  const waitMs = tokenMovesLater(lane, op, slot.tx)
  if (verdict.next === 'retry') return retry(op, verdict, outcome.outOfGas ? 'out of gas' : outcome.revert.name, now)
  if (waitMs > 0) {
    op.failLater = verdict.error
    return retry(op, { delayMs: waitMs, gasFactor: op.gasFactor }, `${verdict.error.message}; ends when its authorisation has expired`, now)
  }
  return fail(op, verdict.error, now)
}

const decoded = (lane: Lane, logs: Receipt['logs']) => lane.network.decodeLogs(logs) as unknown as Record<string, unknown>[]
