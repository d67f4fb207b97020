import { chainRelayerApi } from '@carapace/api'
import type { Parts } from './parts.ts'
import type { Validation, VerdictFacts } from './validation.ts'

const unprovenWaitMs = 24 * 3_600_000

/** Gathers what a verdict that falls now depends on. */
export async function verdictFacts(
  parts: Parts,
  validation: Validation,
  nextVote?: { voterId: string; vote: 'approve' | 'reject' },
): Promise<VerdictFacts> {
  const votes = [...validation.votes, ...(nextVote ? [nextVote] : [])]
  const voters = votes.map(vote => vote.voterId)
  const [crews, agents, waitMs] = await Promise.all([
    parts.facts.crewsOf(voters),
    parts.agents.many(voters),
    waitOf(
      parts,
      votes.filter(vote => vote.vote === 'approve').map(vote => vote.voterId),
    ),
  ])
  return {
    crewsOf: agentId => crews.get(agentId) ?? [],
    registeredAt: agentId => agents.get(agentId)?.registeredAt ?? parts.clock.now(),
    waitMs,
    nextId: parts.newId(),
  }
}

/** On real networks an approval by mostly unproven voters waits a day for a dispute by the poster (behaviour 5.2). */
async function waitOf(parts: Parts, approvers: readonly string[]): Promise<number> {
  const { networks } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainNetworks)
  if (networks.every(network => network.devnet)) return 0
  const proven = await parts.facts.proven(approvers)
  return proven.size < approvers.length / 2 ? unprovenWaitMs : 0
}
