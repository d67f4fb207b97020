import type { Lane } from '../lane/lane.ts'
import type { Op, Waiting } from '../lane/records.ts'

/**
 * Whether its call failed for want of what another aggregate's command may free: one whose block a reorganisation dropped, or may be dropping while the
 * lane does not see it. Those that came into a block since the first try say nothing.
 */
export function awaitsRoom(lane: Lane, { kind }: Op, { fromBlock, error }: Waiting): boolean {
  const kinds = new Set<string>(lane.commandOf(kind)?.freedBy?.[error.revert?.name ?? ''])
  if (kinds.size === 0) return false
  const carried = [...lane.slots.open(), ...lane.slots.mined()].flatMap(slot => [...slot.ops.values()])
  const isAway = (op: Op): boolean =>
    op.state === 'QUEUED' ? op.reversedAt !== undefined : op.state === 'CONFIRMED' && op.result.blockNumber <= fromBlock
  return [...carried, ...lane.found.values(), ...lane.queue.all()].some(op => kinds.has(op.kind) && isAway(op))
}
