import { hasNewcomerLane, isInNewcomerLane } from '@carapace/api'
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
  return new Set(rows.filter(agent => isInNewcomerLane({ ...agent, totalBonded: bonds.get(agent.id) ?? 0n })).map(({ id }) => id))
}
