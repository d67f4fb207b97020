import { liveOps, persist, requeueInMemory } from '../inbound/settle.ts'
import { reorged } from '../lane/announce.ts'
import type { Lane } from '../lane/lane.ts'
import { type OpStep, reverse } from '../lane/outcome-writes.ts'
import { lastAttempt, type OpRecord } from '../lane/records.ts'
import type { Slot } from '../lane/slots.ts'
import { transactionStates } from '../lane/transaction-states.ts'
import { applyTxStep } from '../lane/tx-writes.ts'
import { replaceByNoop } from '../outbound/replace.ts'

/**
 * Opens the slots again whose block was dropped, so that the same bytes are sent again. A slot that had released an operation is filled with
 * an empty transaction instead, because the operation may have been tried elsewhere or reported failed meanwhile.
 */
export async function reopen(lane: Lane, dropped: readonly Slot[]): Promise<void> {
  if (dropped.length === 0) return
  const steps: OpStep[] = []
  for (const slot of dropped) {
    const lost = slot.tx.block!
    for (const op of liveOps(slot)) {
      if (op.state !== 'CONFIRMED' && op.state !== 'FINAL') continue
      const step = reverse(op, Date.now())
      steps.push({ ...step, event: reorged(op, slot.tx.minedHash ?? lastAttempt(slot.tx).hash, lost.hash) })
    }
  }
  const txSteps = dropped.map(({ tx }) => ({
    tx,
    fields: { state: transactionStates.move(tx.state, 'reopen'), block: null, minedHash: null, gasUsed: null },
  }))
  await persist(lane, steps, txSteps, dropped)
  for (const step of txSteps) applyTxStep(step)
  for (const slot of dropped) {
    slot.storedAs = slot.tx.state
    lane.slots.refresh(slot)
    const hasReleased = slot.tx.ops.length > (slot.tx.liveOps?.length ?? 0)
    if (hasReleased) await replaceByNoop(lane, slot, null)
  }
}

/** Operations whose effect was found in a dropped block, without a transaction of theirs: they are carried out unless it is found again. */
export async function reopenFound(lane: Lane, ancestor: number): Promise<void> {
  const places = { lane: lane.id, 'result.already': true as const, 'result.blockNumber': { $gt: ancestor } }
  const held = (op: OpRecord) => lane.found.find(known => known._id === op._id) ?? op
  const stored = await lane.db.ops.find({ ...places, state: { $in: ['CONFIRMED', 'FINAL'] } }).toArray()
  // The operations of a slot are handled with their slot.
  const ops = stored.filter(op => !lane.slots.ofOp(op._id)).map(held)
  if (ops.length === 0) return
  const keys = ops.map(op => op._id)
  const steps = ops.map((op): OpStep => {
    const { txHash, blockHash } = op.result!
    const step = reverse(op, Date.now())
    return { ...step, event: reorged(op, txHash, blockHash) }
  })
  await persist(lane, steps, [], [])
  await lane.db.txs.updateMany({ liveOps: { $in: keys }, state: 'REPLACED' }, { $unset: { liveOps: '' } })
  lane.found.splice(0, lane.found.length, ...lane.found.filter(op => !keys.includes(op._id)))
  for (const op of ops) requeueInMemory(lane, op)
}
