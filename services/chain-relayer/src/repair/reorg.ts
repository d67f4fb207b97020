import { liveOps, persist, requeueInMemory } from '../inbound/settle.ts'
import { reorged } from '../lane/announce.ts'
import type { Lane } from '../lane/lane.ts'
import { type OpStep, undo } from '../lane/outcome-writes.ts'
import { lastAttempt, type OpRecord } from '../lane/records.ts'
import type { Slot } from '../lane/slots.ts'
import { replaceByNoop } from '../outbound/replace.ts'

/**
 * Opens the slots again whose block is gone, so that the same bytes go out once more. A slot that had let an operation go is filled with an
 * empty transaction instead, because the operation may have been tried elsewhere or reported failed meanwhile.
 */
export async function reopen(lane: Lane, gone: readonly Slot[]): Promise<void> {
  if (gone.length === 0) return
  const steps: OpStep[] = []
  for (const slot of gone) {
    const lost = slot.tx.block!
    for (const op of liveOps(slot)) {
      if (op.state !== 'CONFIRMED' && op.state !== 'FINAL') continue
      const step = undo(op, Date.now())
      steps.push({ ...step, event: reorged(op, slot.tx.minedHash ?? lastAttempt(slot.tx).hash, lost.hash) })
    }
  }
  const fields = { state: 'ACCEPTED', block: null, minedHash: null, gasUsed: null } as const
  await persist(
    lane,
    steps,
    gone.map(({ tx }) => ({ tx, fields })),
    gone,
  )
  for (const slot of gone) {
    Object.assign(slot.tx, fields)
    slot.storedAs = 'ACCEPTED'
    lane.slots.refresh(slot)
    const hasReleased = slot.tx.ops.length > (slot.tx.liveOps?.length ?? 0)
    if (hasReleased) await replaceByNoop(lane, slot, null)
  }
}

/** Operations whose effect was found in a block that is gone, without a transaction of theirs: they are carried out if it is not there again. */
export async function reopenFound(lane: Lane, ancestor: number): Promise<void> {
  const places = { lane: lane.id, 'result.already': true as const, 'result.blockNumber': { $gt: ancestor } }
  const held = (op: OpRecord) => lane.found.find(known => known._id === op._id) ?? op
  const states = lane.network.devnet ? (['CONFIRMED', 'FINAL'] as const) : (['CONFIRMED'] as const)
  const stored = await lane.db.ops.find({ ...places, state: { $in: [...states] } }).toArray()
  // Those of a slot go with their slot.
  const ops = stored.filter(op => !lane.slots.ofOp(op._id)).map(held)
  if (ops.length === 0) return
  const keys = ops.map(op => op._id)
  const steps = ops.map((op): OpStep => {
    const { txHash, blockHash } = op.result!
    const step = undo(op, Date.now())
    return { ...step, event: reorged(op, txHash, blockHash) }
  })
  await persist(lane, steps, [], [])
  await lane.db.txs.updateMany({ liveOps: { $in: keys }, state: 'REPLACED' }, { $unset: { liveOps: '' } })
  lane.found.splice(0, lane.found.length, ...lane.found.filter(op => !keys.includes(op._id)))
  for (const op of ops) requeueInMemory(lane, op)
}
