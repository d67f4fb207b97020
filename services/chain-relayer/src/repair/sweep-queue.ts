import type { Lane } from '../lane/lane.ts'
import { loadOps } from './recovery.ts'

/** A former leader stores a command so long after it gave the command its place in the queue, at most: longer than any pause of a process. */
const lateMs = 600_000
const most = 2_000

/**
 * Finds operations that a former leader stored after this one had loaded the queue: it was paused between receiving and storing
 * a command.
 * @param sweptAt start of the last complete search, Unix ms
 * @returns whether this one was complete
 */
export async function sweepQueue(lane: Lane, sweptAt: number): Promise<boolean> {
  // While writes are pending the collection is older than memory.
  if (lane.queue.overflow || lane.after.pending > 0) return false
  const since = (sweptAt - lateMs) * 1_000
  const waiting = await lane.db.ops
    .find({ lane: lane.id, state: 'QUEUED', order: { $gt: since } }, { projection: { _id: 1 } })
    .limit(most)
    .toArray()
  const unknown = waiting.map(op => op._id).filter(opKey => !lane.queue.get(opKey) && !lane.slots.ofOp(opKey))
  const isComplete = waiting.length < most
  if (unknown.length === 0) return isComplete
  const found = await loadOps(lane, unknown)
  if (lane.after.pending > 0) return false
  for (const op of found.values()) {
    if (op.state === 'QUEUED' && !lane.queue.get(op._id) && !lane.slots.ofOp(op._id)) lane.queue.add(op, false)
  }
  lane.wake()
  return isComplete
}
