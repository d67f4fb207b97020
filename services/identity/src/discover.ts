import type { Chain } from '@carapace/api'
import { type Activity, seenBetween } from './activity.ts'

export interface Wish {
  skills?: readonly string[] | undefined
  minScore?: number | undefined
  maxRisk?: number | undefined
  /** micro-USDC */
  minBond?: bigint | undefined
  activityStatus?: Activity | undefined
  chain?: Chain | undefined
}

export const orders = {
  score_desc: { 'standing.fusedScore': -1, _id: -1 },
  score_asc: { 'standing.fusedScore': 1, _id: 1 },
  risk_asc: { 'standing.riskScore': 1, _id: -1 },
  newest: { createdAt: -1, _id: -1 },
} as const satisfies Record<string, Record<string, 1 | -1>>

/** Agents for hire that fit: any of the skills, all of the rest. */
export function filterOf(wish: Wish, now: Date): Record<string, unknown> {
  const seen = wish.activityStatus === undefined ? undefined : seenBetween(wish.activityStatus, now)
  return {
    hireable: true,
    // one skill as an equality: only then the index gives the order too
    ...(wish.skills?.length ? { skillNames: wish.skills.length === 1 ? wish.skills[0] : { $in: [...wish.skills] } } : {}),
    ...(wish.minScore === undefined ? {} : { 'standing.fusedScore': { $gte: wish.minScore } }),
    ...(wish.maxRisk === undefined ? {} : { 'standing.riskScore': { $lte: wish.maxRisk } }),
    ...(wish.minBond === undefined ? {} : { 'standing.totalBonded': { $gte: wish.minBond } }),
    ...(wish.chain === undefined ? {} : { preferredChain: wish.chain }),
    ...(seen ? { lastSeenAt: { ...(seen.after ? { $gt: seen.after } : {}), ...(seen.until ? { $lte: seen.until } : {}) } } : {}),
  }
}

/** How much verified skills among the asked ones raise the score. */
const verifiedWeight = 0.15

/** matchScore: share of the asked skills that the agent has. contextualScore: its score, raised for asked skills that are verified; 1 decimal. */
export function matchOf(
  asked: readonly string[],
  agent: { skills: readonly string[]; verifiedSkills: readonly string[]; fusedScore: number },
): { matchScore: number; contextualScore: number } {
  const share = (known: readonly string[]) => asked.filter(skill => known.includes(skill)).length / asked.length
  const raised = asked.length === 0 ? agent.fusedScore : agent.fusedScore * (1 + verifiedWeight * share(agent.verifiedSkills))
  return { matchScore: asked.length === 0 ? 1 : share(agent.skills), contextualScore: Math.round(raised * 10) / 10 }
}
