import { currentVersion, type Lane, lanes, tierFloors } from '@carapace/formula/terms'
import { limits } from './limits.ts'
import { MICRO } from './money.ts'

/** The lane for new agents (behaviour 17.11): where score alone would decide, nobody would give them the first gig by which a score is earned. */
export const newcomerLane = {
  /** Of gigs that it is for. */
  maxBudgetMicro: 40n * MICRO,
  /** A failed gig, a slash or a lost dispute among few gigs is above this: who has failed is out. */
  maxRisk: 10,
} as const

/** The lane of the formula in force. */
export const laneInForce: Lane = lanes[currentVersion]

/** What the lane does, in a sentence. @example describedLane({ kind: 'fixed', rankedAs: 50 }) // 'Rank bonded new agents as if their score were 50' */
export const describedLane = (lane: Lane): string =>
  lane.kind === 'fixed'
    ? `Rank bonded new agents as if their score were ${lane.rankedAs}`
    : `Rank bonded agents without a completed gig below the best ${100 * lane.rankedBelow} % of those with one${lane.crowded ? `, and the lower the more of them there are, down to ${100 * lane.crowded.rankedBelow} %` : ''}`

/** What the lane is decided by. */
export interface LaneFacts {
  fusedScore: number
  riskScore: number
  /** micro-USDC */
  totalBonded: bigint
  totalGigsCompleted: number
}

/**
 * Bonded, without a tier yet, and nothing speaks against it; where the market ranks the lane, also without a completed gig.
 * @example isInNewcomerLane({ fusedScore: 15, riskScore: 0, totalBonded: 10_000_000n, totalGigsCompleted: 0 }) // true
 */
export function isInNewcomerLane({ fusedScore, riskScore, totalBonded, totalGigsCompleted }: LaneFacts, lane = laneInForce): boolean {
  const hasBegun = fusedScore >= tierFloors['Bronze Pinch'] || (lane.kind === 'market' && totalGigsCompleted > 0)
  return !hasBegun && riskScore <= newcomerLane.maxRisk && totalBonded >= limits.bond.minMicro
}

/** Whether the lane is open for a gig of this budget, micro-USDC. */
export const hasNewcomerLane = (budget: bigint): boolean => budget <= newcomerLane.maxBudgetMicro

/** What the lane is ranked as, updated agent by agent: reading it costs the same however many there are. */
export interface LaneRank {
  add(agent: LaneFacts): void
  remove(agent: LaneFacts): void
  /** Whole points that agents of the lane are ranked as. */
  rank(): number
}

/** @example const lane = laneRank(lanes['5']); lane.add({ fusedScore: 50, riskScore: 0, totalBonded: 0n, totalGigsCompleted: 1 }); lane.rank() // 50 */
export const laneRank = (lane = laneInForce): LaneRank => (lane.kind === 'market' ? marketRank(lane) : fixedRank(lane))

const fixedRank = ({ rankedAs }: Lane & { kind: 'fixed' }): LaneRank => ({ add: () => {}, remove: () => {}, rank: () => rankedAs })

function marketRank(lane: Lane & { kind: 'market' }): LaneRank {
  const { lowestRank } = lane
  const counts = Array.from({ length: 101 }, () => 0)
  let [begun, inLane] = [0, 0]
  const change = (agent: LaneFacts, by: 1 | -1) => {
    if (isInNewcomerLane(agent, lane)) inLane += by
    if (agent.totalGigsCompleted === 0) return
    counts[Math.floor(agent.fusedScore)]! += by
    begun += by
  }
  return {
    add: agent => change(agent, 1),
    remove: agent => change(agent, -1),
    rank: () => {
      const rankedBelow = rankedBelowOf(lane, inLane / Math.max(1, begun + inLane))
      let above = 0
      for (let points = 100; points > lowestRank; points -= 1) {
        above += counts[points]!
        if (above > 0 && above >= rankedBelow * begun) return points
      }
      return lowestRank
    },
  }
}

/** The share of agents with a completed gig that the lane is ranked below. @param crowd share of the agents that are in it */
function rankedBelowOf({ rankedBelow, crowded }: Lane & { kind: 'market' }, crowd: number): number {
  return crowded ? rankedBelow + (crowded.rankedBelow - rankedBelow) * Math.min(1, crowd / crowded.from) : rankedBelow
}
