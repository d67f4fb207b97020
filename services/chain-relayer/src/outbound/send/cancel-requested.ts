import type { Lane } from '../../lane/lane.ts'
import { isOpen } from '../../lane/records.ts'
import { replaceByNoop } from './replace.ts'

/** Carries out the cancellations that operators requested: unsigned operations end with the next pass, signed ones get an empty transaction in their slot. */
export async function cancelRequested(lane: Lane): Promise<void> {
  const wanted = await lane.db.ops.find({ lane: lane.id, cancelRequested: true, state: 'QUEUED' }, { projection: { _id: 1 } }).toArray()
  for (const { _id } of wanted) {
    const waiting = lane.queue.get(_id)
    if (waiting) {
      lane.queue.replace({ ...waiting, cancelRequested: true })
      lane.wake()
      continue
    }
    const slot = lane.slots.ofOp(_id)
    if (!slot || !isOpen(slot.tx)) continue
    lane.slots.replaceOps(slot, [{ ...slot.ops.get(_id)!, cancelRequested: true }])
    await replaceByNoop(lane, slot, null)
  }
}
