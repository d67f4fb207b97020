import type { Lane } from '../lane/lane.ts'

/** Records that the node contradicts itself: the lane plans and decides nothing until this is cleared. */
export function markContradicted(lane: Lane, reason: string): void {
  if (lane.contradiction === undefined) lane.log.warn({ lane: lane.id, reason }, 'the node contradicts itself: the lane waits')
  lane.contradiction = reason
}

/** The node's answers are consistent again. */
export function clearContradiction(lane: Lane): void {
  if (lane.contradiction === undefined) return
  lane.contradiction = undefined
  lane.log.info({ lane: lane.id }, 'the node agrees with itself again')
  lane.wake()
}
