import { reorged } from './announce.ts'
import type { Lane } from './lane.ts'
import { type OpStep, undo } from './outcome-writes.ts'
import { replaceByNoop } from './replace.ts'
import { liveOps, persist } from './settle.ts'
import type { Slot } from './slots.ts'

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
      steps.push({ ...step, event: reorged(op, slot.tx.minedHash!, lost.hash) })
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
