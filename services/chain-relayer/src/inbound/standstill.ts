import type { Lane } from '../lane/lane.ts'

/** The node contradicts itself: the lane plans and judges nothing until it has stopped doing so. */
export function standStill(lane: Lane, reason: string): void {
  if (lane.contradiction === undefined) lane.log.warn({ lane: lane.id, reason }, 'the node contradicts itself: the lane waits')
  lane.contradiction = reason
}

/** The node tells a story that fits. */
export function goOn(lane: Lane): void {
  if (lane.contradiction === undefined) return
  lane.contradiction = undefined
  lane.log.info({ lane: lane.id }, 'the node agrees with itself again')
  lane.wake()
}
