import type { Block, Receipt } from '../chain/reader.ts'
import type { Announcement } from '../lane/announce.ts'
import { hasten } from '../lane/hasten.ts'
import { assertLeading, type Lane } from '../lane/lane.ts'
import { judge, type OpOutcome, outcomesOf } from '../lane/outcome.ts'
import { confirm, countTry, endOf, fail, hasFailed, type OpStep, repeatFailure, requeue, retry, stored, storeSteps } from '../lane/outcome-writes.ts'
import type { OpRecord, TxRecord } from '../lane/records.ts'
import type { Slot } from '../lane/slots.ts'
import { transactionStates } from '../lane/transaction-states.ts'
import { applyTxStep, storeTxSteps, type TxStep } from '../lane/tx-writes.ts'
import { effectIsThere } from '../outbound/effect.ts'
import { afterMissing } from '../outbound/needs.ts'
import { tokenMovesLater } from '../outbound/public-authorization.ts'
import { revertReason } from '../outbound/revert-reason.ts'

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
    const state = transactionStates.move(slot.tx.state, receipt.status === '0x1' ? 'succeed' : 'revert')
    const steps = await stepsOf(lane, one)
    const released = steps.filter(({ op }) => op.state !== 'CONFIRMED').map(({ op }) => op)
    const fields = { state, block, minedHash: receipt.transactionHash, gasUsed: Number(receipt.gasUsed) }
    if (released.length === 0) {
      events.push(...steps.flatMap(({ event }) => (event ? [event] : [])))
      settleInMemory(lane, slot, { tx: slot.tx, fields })
      continue
    }
    const liveOps = slot.tx.liveOps?.filter(opKey => !released.some(op => op._id === opKey)) ?? []
    const txStep = { tx: slot.tx, fields, liveOps }
    // An operation that is tried again must not meet its own old claim.
    await persist(lane, steps, [txStep], [slot])
    settleInMemory(lane, slot, txStep)
    slot.storedAs = state
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

function settleInMemory(lane: Lane, slot: Slot, step: TxStep): void {
  applyTxStep(step)
  lane.slots.refresh(slot)
}

/** Stores what was published and is not final yet: transactions that wait long in the pool, and successes that wait for their depth. */
export function catchUp(lane: Lane): void {
  const slots = [...lane.slots.open().filter(slot => slot.tx.state === 'ACCEPTED'), ...lane.slots.mined()].filter(
    slot => slot.storedAs !== slot.tx.state,
  )
  if (slots.length === 0) return
  const steps = slots.flatMap(liveOps).flatMap(op => (op.state === 'CONFIRMED' && op.result ? [stored(op, op.result)] : []))
  const txSteps = slots.map(({ tx }) => ({ tx, fields: { state: tx.state, block: tx.block, minedHash: tx.minedHash } }))
  for (const slot of slots) slot.storedAs = slot.tx.state
  void lane.after.start(slots, async () => {
    assertLeading(lane)
    await storeSteps(lane.db.ops, steps)
    await storeTxSteps(lane, txSteps)
  })
}

/** Stores operations, publishes their events, stores the transactions. A caller that does not need the result need not wait. */
export function persist(lane: Lane, steps: readonly OpStep[], txSteps: readonly TxStep[], slots: readonly Slot[]): Promise<void> {
  const copies = steps.map(step => ({ ...step, op: { ...step.op } }))
  return lane.after.start(slots, async () => {
    assertLeading(lane)
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
  const now = Date.now()
  const isBatched = slot.tx.ops.some(carried => carried.batchId !== null)
  for (const op of liveOps(slot)) {
    const outcome = outcomes.get(op._id)!
    op.viaBatcher ||= isBatched
    steps.push(outcome.kind === 'done' ? success(lane, op, outcome.logs, one, now) : await failure(lane, op, outcome, one))
  }
  return steps
}

/** Operations for which this is the live transaction. */
export const liveOps = (slot: Slot): OpRecord[] => (slot.tx.liveOps ?? []).map(opKey => slot.ops.get(opKey)!)

export function requeueInMemory(lane: Lane, op: OpRecord): void {
  if (op.state !== 'QUEUED') return
  lane.queue.add(op, false)
  lane.wake()
}

/** An empty transaction used the slot: the operations were not carried out. */
function release(op: OpRecord, tx: TxRecord): OpStep {
  const now = Date.now()
  if (hasFailed(op)) return repeatFailure(op)
  if (op.cancelRequested) return fail(op, { code: 'CANCELLED', message: 'cancelled by an operator' }, now)
  return tx.failWith ? fail(op, tx.failWith, now) : requeue(op, 'its transaction was replaced by an empty one', now)
}

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

function success(lane: Lane, op: OpRecord, logs: Receipt['logs'], one: Mined, now: number): OpStep {
  lane.onConfirmed(now - op.createdAt)
  return confirm(op, { ...placeOf(one), logs: lane.network.decodeLogs(logs, one.receipt.logs[0]) as unknown as Record<string, unknown>[] }, now)
}

async function failure(lane: Lane, op: OpRecord, outcome: OpOutcome & { kind: 'reverted' }, one: Mined): Promise<OpStep> {
  const now = Date.now()
  const { slot, receipt } = one
  if (await effectIsThere(lane, op)) return confirm(op, { ...placeOf(one), logs: [], already: true }, now)
  if (hasFailed(op)) return repeatFailure(op)
  countTry(op, slot.tx._id, receipt.transactionHash)
  const { finalReverts = [] } = lane.commandOf(op.kind) ?? {}
  const own = { attempts: op.attempts - (op.waiting?.tries ?? 0), gasFactor: op.gasFactor }
  const verdict = judge(outcome, own, lane.timings.retryDelaysMs, finalReverts, Math.random())
  const why = outcome.outOfGas ? 'out of gas' : outcome.revert.name
  const openMs = tokenMovesLater(lane, op, slot.tx)
  op.openUntil = openMs > 0 ? now + openMs : 0
  if (verdict.next === 'retry') return retry(op, verdict, why, now)
  if (verdict.next === 'wait') {
    const then = await afterMissing(lane, op, verdict.error)
    return 'end' in then ? endOf(op, then.end, now) : retry(op, { ...then, gasFactor: op.gasFactor }, why, now)
  }
  return endOf(op, verdict.error, now)
}
