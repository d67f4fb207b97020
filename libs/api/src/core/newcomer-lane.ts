import { tierFloors } from '@carapace/formula/terms'
import { limits } from './limits.ts'
import { MICRO } from './money.ts'

/** The lane for new agents (behaviour 17.11): where score alone would decide, nobody would give them the first gig by which a score is earned. */
export const newcomerLane = {
  /** Of gigs that it is for. */
  maxBudgetMicro: 40n * MICRO,
  /** A failed gig, a slash or a lost dispute among few gigs is above this: who has failed is out. */
  maxRisk: 10,
  /** The score that an agent of the lane is ranked as. */
  rankedAs: 50,
} as const

/** Bonded, without a tier yet, and nothing speaks against it. @example isInNewcomerLane({ fusedScore: 15, riskScore: 0, totalBonded: 10_000_000n }) // true */
export function isInNewcomerLane({ fusedScore, riskScore, totalBonded }: { fusedScore: number; riskScore: number; totalBonded: bigint }): boolean {
  return fusedScore < tierFloors['Bronze Pinch'] && riskScore <= newcomerLane.maxRisk && totalBonded >= limits.bond.minMicro
}

/** Whether the lane is open for a gig of this budget, micro-USDC. */
export const hasNewcomerLane = (budget: bigint): boolean => budget <= newcomerLane.maxBudgetMicro
