import type { Lane } from './lane.ts'
import type { OpRecord } from './records.ts'

/** Whoever waits for what these operations bring about hears at once how they stand. */
export function hasten(lane: Lane, ops: readonly OpRecord[]): void {
  for (const op of ops) if (op.state !== 'QUEUED') lane.queue.hasten(op.aggregateKey)
}
