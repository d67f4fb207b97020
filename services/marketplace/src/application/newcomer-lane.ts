import { hasNewcomerLane, isInNewcomerLane, laneInForce } from '@carapace/api'
import type { Agent } from '@carapace/projections'
import type { Gig } from '../gig.ts'
import type { Parts } from '../parts.ts'

/**
 * Those among the agents that have the lane for new agents in this gig.
 * @param stored their rows, where they have been read
 */
export async function inNewcomerLane(
  parts: Parts,
  { budget }: Gig,
  agentIds: readonly string[],
  stored?: ReadonlyMap<string, Agent>,
): Promise<Set<string>> {
  if (!hasNewcomerLane(budget) || agentIds.length === 0) return new Set()
  const [agents, bonds] = await Promise.all([stored ?? parts.agents.many(agentIds), parts.bonds.many(agentIds)])
  const rows = agentIds.flatMap(id => agents.get(id) ?? [])
  const isNew = (agent: Agent, totalGigsCompleted: number) =>
    isInNewcomerLane({ ...agent, totalBonded: bonds.get(agent.id) ?? 0n, totalGigsCompleted })
  const begun = await completedBy(
    parts,
    rows.filter(agent => isNew(agent, 0)).map(({ id }) => id),
  )
  return new Set(rows.filter(agent => isNew(agent, begun.has(agent.id) ? 1 : 0)).map(({ id }) => id))
}

/** Which of these agents have completed a gig, where that ends the lane. New agents have few gigs, so this reads little. */
async function completedBy({ gigs }: Parts, assigneeIds: readonly string[]): Promise<Set<string | null>> {
  if (laneInForce.kind === 'fixed' || assigneeIds.length === 0) return new Set()
  const completed = await gigs.find({ assigneeId: { $in: assigneeIds }, status: 'completed' })
  return new Set(completed.map(({ assigneeId }) => assigneeId))
}
