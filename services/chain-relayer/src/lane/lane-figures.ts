import type { Lane } from './lane.ts'
import type { LaneFigures } from './lease.ts'

/** How much work a lane has now. */
export function figuresOf({ slots, queue }: Pick<Lane, 'slots' | 'queue'>): LaneFigures {
  const inflight = slots.openCount
  const lowest = slots.lowestOpen()
  return { queued: queue.size, inflight, nonceGap: Math.max(0, lowest ? slots.nextNonce - lowest.nonce - inflight : 0) }
}
