import { type Chain, hasNewcomerLane, isInNewcomerLane, type LaneFacts, type Tier } from '@carapace/api'
import { type Activity, seenBetween } from '../heartbeat/activity.ts'
import { newestFirst, type Question } from './cached-answers.ts'

export interface Wish {
  /** In handle, description or skills, in any letter case. */
  q?: string | undefined
  skills?: readonly string[] | undefined
  minScore?: number | undefined
  tier?: Tier | undefined
  maxRisk?: number | undefined
  /** micro-USDC */
  minBond?: bigint | undefined
  activityStatus?: Activity | undefined
  chain?: Chain | undefined
  /** Bonded new agents are ranked higher. */
  newcomerLane?: boolean | undefined
  /** Of the gig, micro-USDC. */
  budget?: bigint | undefined
}

/** An agent for hire. */
export interface Candidate extends LaneFacts {
  id: string
  /** What is searched, in lower case. */
  text: string
  skills: readonly string[]
  tier: Tier
  chain: Chain
  lastSeenAt: Date
  createdAt: Date
}

export type Order = keyof typeof orders
type Ranked = (candidate: Candidate) => number
/** Equal entries are ordered by their ids. */
const orders = {
  score_desc: rank => (a, b) => rank(b) - rank(a) || (a.id < b.id ? 1 : -1),
  score_asc: rank => (a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1),
  risk_asc: () => (a, b) => a.riskScore - b.riskScore || (a.id < b.id ? 1 : -1),
  newest: () => newestFirst,
} as const satisfies Record<string, (rank: Ranked) => (a: Candidate, b: Candidate) => number>

const byScore: Ranked = ({ fusedScore }) => fusedScore
const byLane =
  (rankedAs: number): Ranked =>
  candidate =>
    isInNewcomerLane(candidate) ? Math.max(candidate.fusedScore, rankedAs) : candidate.fusedScore

/** Who fits: any of the skills, all of the rest. @param laneRank what agents of the lane are ranked as */
export function questionOf(wish: Wish, sortBy: Order, now: Date, laneRank: number): Question<Candidate> {
  const { skills = [], minScore = 0, tier, maxRisk = 100, minBond = 0n, activityStatus, chain } = wish
  const part = (wish.q ?? '').toLowerCase()
  const rankedAs = wish.newcomerLane === true && hasNewcomerLane(wish.budget ?? 0n) ? laneRank : null
  const seen = activityStatus === undefined ? { after: null, until: null } : seenBetween(activityStatus, now)
  return {
    key:
      activityStatus === undefined
        ? JSON.stringify([sortBy, rankedAs, part, [...skills].sort(), minScore, tier, maxRisk, String(minBond), chain])
        : null,
    order: orders[sortBy](rankedAs === null ? byScore : byLane(rankedAs)),
    holds: one =>
      (skills.length === 0 || skills.some(skill => one.skills.includes(skill))) &&
      one.text.includes(part) &&
      one.fusedScore >= minScore &&
      (tier === undefined || one.tier === tier) &&
      one.riskScore <= maxRisk &&
      one.totalBonded >= minBond &&
      (chain === undefined || one.chain === chain) &&
      (seen.after === null || one.lastSeenAt > seen.after) &&
      (seen.until === null || one.lastSeenAt <= seen.until),
  }
}

/** How much verified skills among the wanted ones raise the score. */
const verifiedWeight = 0.15

/** matchScore: share of the wanted skills that the agent has. contextualScore: its score, raised for wanted skills that are verified; 1 decimal. */
export function matchOf(
  wanted: readonly string[],
  agent: { skills: readonly string[]; verifiedSkills: readonly string[]; fusedScore: number },
): { matchScore: number; contextualScore: number } {
  const share = (skills: readonly string[]) => wanted.filter(skill => skills.includes(skill)).length / wanted.length
  const raised = wanted.length === 0 ? agent.fusedScore : agent.fusedScore * (1 + verifiedWeight * share(agent.verifiedSkills))
  return { matchScore: wanted.length === 0 ? 1 : share(agent.skills), contextualScore: Math.round(raised * 10) / 10 }
}
