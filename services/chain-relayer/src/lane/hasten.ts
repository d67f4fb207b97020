import type { Lane } from './lane.ts'
import type { Op } from './records.ts'

/** Operations that wait for the effect of these are checked in the next pass. */
export function hasten(lane: Lane, ops: readonly Op[]): void {
  for (const op of ops) if (op.state !== 'QUEUED') lane.queue.hasten(op.aggregateKey)
}
