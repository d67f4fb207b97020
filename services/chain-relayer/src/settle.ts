import type { mongo } from 'mongoose'
import type { Announcement } from './announce.ts'
import { effectIsThere } from './effect.ts'
import type { Lane } from './lane.ts'
import { judge, type OpOutcome, outcomesOf, type Receipt } from './outcome.ts'
import { confirm, countTry, fail, type OpStep, requeue, retry } from './outcome-writes.ts'
import { tokenMovesLater } from './public-authorization.ts'
import type { Block, OpRecord, TxRecord } from './records.ts'
import { revertReason } from './revert-reason.ts'
import type { Slot } from './slots.ts'

export interface Mined {
  slot: Slot
  receipt: Receipt
  block: Block
}
type TxWrite = mongo.AnyBulkWriteOperation<TxRecord>

/**
 * Carries what blocks say over to operations and transactions: operations first, then their events, then the transactions. A crash
 * in between finds the receipts again and repeats; every step is the same the second time.
 */
export async function settle(lane: Lane, mined: readonly Mined[]): Promise<void> {
  const opWrites: OpStep['write'][] = []
  const events: Announcement[] = []
  const txWrites: TxWrite[] = []
  const after: (() => void)[] = []

  for (const { slot, receipt, block } of mined) {
    const released: string[] = []
    const take = (step: OpStep) => {
      opWrites.push(step.write)
      if (step.event) events.push(step.event)
    }
    const isNoop = slot.tx.attempts.find(attempt => attempt.hash === receipt.transactionHash)?.noop === true
    if (isNoop) {
      for (const op of liveOps(slot)) {
        take(release(op, slot.tx))
        released.push(op._id)
      }
    } else {
      const outcomes = await readOutcomes(lane, slot, receipt, block)
      for (const op of liveOps(slot)) {
        const outcome = outcomes.get(op._id)!
        const step = await stepFor(lane, op, outcome, { slot, receipt, block })
        take(step)
        if (op.state !== 'CONFIRMED') released.push(op._id)
      }
    }
    const state = receipt.status === '0x1' ? 'MINED_OK' : 'MINED_REVERTED'
    const kept = (slot.tx.liveOps ?? []).filter(opKey => !released.includes(opKey))
    const fields = { state, block, minedHash: receipt.transactionHash, gasUsed: Number(receipt.gasUsed) } as const
    txWrites.push(txWrite(lane, slot.tx._id, fields, kept))
    after.push(() => {
      Object.assign(slot.tx, fields)
      setLive(slot.tx, kept)
      lane.slots.refresh(slot)
      for (const opKey of released) requeueInMemory(lane, slot.ops.get(opKey)!)
    })
  }
  await persist(
    lane,
    opWrites,
    events,
    txWrites,
    mined.map(({ slot }) => slot),
  )
  for (const done of after) done()
}

/** Operations first; their events and then the transactions follow without anybody waiting. */
export async function persist(
  lane: Lane,
  ops: readonly OpStep['write'][],
  events: readonly Announcement[],
  txs: readonly TxWrite[],
  slots: readonly Slot[],
): Promise<void> {
  if (ops.length) await lane.db.ops.bulkWrite([...ops], { ordered: false })
  lane.failPoint('after-mined')
  lane.after.start(slots, async () => {
    await lane.announce(events)
    lane.failPoint('after-outcome')
    if (txs.length === 0) return
    const result = await lane.db.txs.bulkWrite([...txs], { ordered: false })
    if (result.matchedCount < txs.length) lane.fail(new Error('another leader has taken these transactions over'))
  })
}

/** A guarded write: a leader of an older epoch matches nothing. */
export function txWrite(lane: Lane, _id: string, fields: Partial<TxRecord>, liveOps: readonly string[]): TxWrite {
  const filter = { _id, epoch: lane.lease.epoch }
  return liveOps.length
    ? { updateOne: { filter, update: { $set: { ...fields, liveOps: [...liveOps] } } } }
    : { updateOne: { filter, update: { $set: fields, $unset: { liveOps: '' } } } }
}

export function setLive(tx: TxRecord, liveOps: readonly string[]): void {
  if (liveOps.length) tx.liveOps = [...liveOps]
  else delete tx.liveOps
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
  if (outcome.kind === 'done') return confirm(op, { ...place, logs: decoded(lane, outcome.logs) }, slot.tx._id, now)
  if (await effectIsThere(lane, op)) return confirm(op, { ...place, logs: [], already: true }, slot.tx._id, now)
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
