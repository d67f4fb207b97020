import { chainRelayerApi, dayMs, refuse } from '@carapace/api'
import type { Agent } from '@carapace/projections'
import type { Parts } from './parts.ts'
import { beaconOf, type Candidate, draw, isEligible, order, reachable, type Seat } from './selection.ts'
import type { PanelSeat } from './validation.ts'

const tieMs = 90 * dayMs

/** Whose deliverable is judged, for whom, and who must not judge it. */
export interface Case {
  submissionId: string
  posterId: string
  assigneeId: string
  memberIds: readonly string[]
  applicantIds: readonly string[]
  /** Panels before this one. */
  earlier: readonly string[]
  /** Crews, other than those of the parties, whose members must not judge. */
  excludedCrewsOf: readonly string[]
  skillsRequired: readonly string[]
}

export interface Drawn {
  beacon: string
  /** How many may judge. */
  eligible: number
  /** Those of them who can come to a panel, in drawing order. */
  order: Seat[]
}

/** Fixes beacon and order of all agents who may judge at this moment (behaviour 5.1). */
export async function drawOrder(parts: Parts, it: Case, now: Date): Promise<Drawn> {
  const parties = [it.posterId, it.assigneeId, ...it.memberIds]
  const [head, agents, crews, tied, openVotes] = await Promise.all([
    parts.peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain: 'BASE_SEPOLIA' } }),
    parts.agents.find({ status: 'active' }),
    parts.facts.crewsOf(),
    parts.facts.tiedTo([it.posterId, it.assigneeId], new Date(now.getTime() - tieMs)),
    parts.validations.openVotes(),
  ])
  const excluded = new Set([...parties, ...it.applicantIds, ...it.earlier])
  const excludedCrews = new Set([it.posterId, it.assigneeId, ...it.excludedCrewsOf].flatMap(id => crews.get(id) ?? []))
  const required = new Set(it.skillsRequired)
  const candidates = agents.map(agent => candidateOf(agent, crews.get(agent.id) ?? [], tied.has(agent.id), openVotes.get(agent.id) ?? 0, required))
  const eligible = candidates.filter(candidate => isEligible(candidate, excluded, excludedCrews, now))
  const beacon = beaconOf(it.submissionId, head.headHash)
  return { beacon, eligible: eligible.length, order: reachable(order(beacon, eligible, now)) }
}

function candidateOf(agent: Agent, crewIds: string[], tied: boolean, openVotes: number, required: ReadonlySet<string>): Candidate {
  return {
    agentId: agent.id,
    score: agent.fusedScore,
    risk: agent.riskScore,
    isActive: agent.status === 'active' && agent.wallet !== null,
    isPlatform: agent.platform,
    lastSeenAt: agent.lastSeenAt,
    registeredAt: agent.registeredAt,
    openVotes,
    hasRequiredSkill: (agent.verifiedSkills ?? []).some(skill => required.has(skill)),
    crewIds,
    tied,
  }
}

/** The first `count` of an order as seats with their wallets. */
export async function seat(parts: Parts, seats: readonly Seat[], count: number): Promise<PanelSeat[]> {
  const chosen = draw(seats, count)
  const agents = await parts.agents.many(chosen.map(entry => entry.agentId))
  return chosen.map(({ agentId }) => ({ agentId, wallet: agents.get(agentId)?.wallet ?? refuse('CONFLICT'), replaced: false }))
}
