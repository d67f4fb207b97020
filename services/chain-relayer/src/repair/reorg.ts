import { liveOps, persist, requeueInMemory } from '../inbound/settle.ts'
import { reorged } from '../lane/announce.ts'
import type { Lane } from '../lane/lane.ts'
import { type OpStep, reverse } from '../lane/outcome.ts'
import { hasEffect, lastAttempt } from '../lane/records.ts'
import type { Slot } from '../lane/slots.ts'
import { reopen } from '../lane/tx-writes.ts'
import { replaceByNoop } from '../outbound/send/replace.ts'

/**
 * Opens the slots again whose block was dropped, so that the same bytes are sent again. A slot that had released an operation is filled with
 * an empty transaction instead, because the operation may have been tried elsewhere or reported failed meanwhile.
 */
export async function reopenDropped(lane: Lane, dropped: readonly Slot[]): Promise<void> {
  if (dropped.length === 0) return
  const steps: OpStep[] = []
  for (const slot of dropped) {
    const lost = slot.tx.block!
    const reversed = liveOps(slot)
      .filter(hasEffect)
      .map((op): OpStep => {
        const step = reverse(op, Date.now())
        return { ...step, event: reorged(step.op, slot.tx.minedHash ?? lastAttempt(slot.tx).hash, lost.hash) }
      })
    lane.slots.replaceOps(
      slot,
      reversed.map(({ op }) => op),
    )
    steps.push(...reversed)
  }
  await persist(
    lane,
    steps,
    dropped.map(({ tx }) => reopen(tx)),
    dropped,
  )
  for (const slot of dropped) {
    lane.slots.replace(slot, reopen(slot.tx).tx)
    slot.storedAs = slot.tx.state
    const hasReleased = slot.tx.ops.length > (slot.tx.liveOps?.length ?? 0)
    if (hasReleased) await replaceByNoop(lane, slot, null)
  }
}

/**
 * Operations whose effect was found in a dropped block, without a transaction of theirs: they are carried out unless it is found again. What had been
 * reported failed is not: it fails again unless the new blocks have it.
 */
export async function reopenFound(lane: Lane, ancestor: number): Promise<void> {
  const places = { lane: lane.id, 'result.already': true as const, 'result.blockNumber': { $gt: ancestor } }
  const stored = await lane.db.ops.find({ ...places, state: { $in: ['CONFIRMED', 'FINAL'] } }).toArray()
  // The operations of a slot are handled with their slot.
  const ops = stored
    .filter(op => !lane.slots.ofOp(op._id))
    .map(op => lane.found.get(op._id) ?? op)
    .filter(hasEffect)
  if (ops.length === 0) return
  const keys = ops.map(op => op._id)
  const now = Date.now()
  const failsAt = now + lane.network.finality * lane.network.blockMs
  const steps = ops.map((op): OpStep => {
    const { txHash, blockHash } = op.result
    const step = reverse(op, now, failsAt)
    return { ...step, event: reorged(step.op, txHash, blockHash) }
  })
  await persist(lane, steps, [], [])
  await lane.db.txs.updateMany({ liveOps: { $in: keys }, state: 'REPLACED' }, { $unset: { liveOps: '' } })
  for (const opKey of keys) lane.found.delete(opKey)
  for (const { op } of steps) requeueInMemory(lane, op)
}
