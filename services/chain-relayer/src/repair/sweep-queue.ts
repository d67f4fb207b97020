import type { Lane } from '../lane/lane.ts'
import { loadOps } from './recovery.ts'

const windowMs = 60_000
const most = 2_000

/**
 * Finds operations that a former leader stored after this one had loaded the queue: it was paused between receiving and storing
 * a command.
 */
export async function sweepQueue(lane: Lane): Promise<void> {
  // While writes are pending the collection is older than memory.
  if (lane.queue.overflow || lane.after.pending > 0) return
  const since = (Date.now() - windowMs) * 1_000
  const waiting = await lane.db.ops
    .find({ lane: lane.id, state: 'QUEUED', order: { $gt: since } }, { projection: { _id: 1 } })
    .limit(most)
    .toArray()
  const unknown = waiting.map(op => op._id).filter(opKey => !lane.queue.get(opKey) && !lane.slots.ofOp(opKey))
  if (unknown.length === 0) return
  const found = await loadOps(lane, unknown)
  if (lane.after.pending > 0) return
  for (const op of found.values()) {
    if (op.state === 'QUEUED' && !lane.queue.get(op._id) && !lane.slots.ofOp(op._id)) lane.queue.add(op, false)
  }
  lane.wake()
}
