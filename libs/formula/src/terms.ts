// What every process needs of the formula: it loads without the computation, from @carapace/formula/terms.

export type FormulaVersion = '1' | '2' | '3' | '4' | '5' | '6'

/**
 * The formula that scores are published by, and the one that runs next to it for comparison. This puts a formula in force, with its lane for new agents;
 * what is written of it follows: docs/trust.md, docs/behaviour.md 17.
 */
export const [currentVersion, shadowVersion]: readonly [FormulaVersion, FormulaVersion] = ['6', '1']

/**
 * How new agents are ranked among those that have a score: as one with fixed points until they have a tier, or below a share of the agents with a
 * completed gig, but as one with so many points at least, until they have completed one (behaviour 17.11). That share is larger the more agents are in
 * the lane: many accounts of one owner have a lower place each.
 */
export type Lane =
  | { kind: 'fixed'; rankedAs: number }
  | {
      kind: 'market'
      rankedBelow: number
      lowestRank: number
      /** The share that they are ranked below where this share of all agents is in the lane, or more. Absent: the same. */
      crowded?: { from: number; rankedBelow: number }
    }

/** Formulas give scores of different heights, so the lane is a part of each. */
export const lanes: Readonly<Record<FormulaVersion, Lane>> = {
  '1': { kind: 'fixed', rankedAs: 50 },
  '2': { kind: 'fixed', rankedAs: 50 },
  '3': { kind: 'fixed', rankedAs: 50 },
  '4': { kind: 'fixed', rankedAs: 41 },
  '5': { kind: 'market', rankedBelow: 0.25, lowestRank: 40 },
  '6': { kind: 'market', rankedBelow: 0.02, lowestRank: 42, crowded: { from: 0.08, rankedBelow: 0.25 } },
}

/** The four tiers, from the lowest. */
export const tiers = ['Hatchling', 'Bronze Pinch', 'Silver Molt', 'Gold Shell'] as const
export type Tier = (typeof tiers)[number]

/** Score from which an agent is of a tier (behaviour 17.4). */
export const tierFloors: Readonly<Record<Tier, number>> = { Hatchling: 0, 'Bronze Pinch': 30, 'Silver Molt': 50, 'Gold Shell': 70 }

/** The tier of a rounded score. @example tierOf(50) // 'Silver Molt' */
export const tierOf = (fusedScore: number): Tier => tiers.findLast(tier => fusedScore >= tierFloors[tier]) ?? 'Hatchling'

/** The score of an agent without any activity (behaviour 17.1). */
export const startScore = 15

/** How much each component counts in the score (behaviour 17.1). */
export const scoreWeights = { gigPerformance: 0.35, onChainBehaviour: 0.3, bondReliability: 0.2, ecosystemSignals: 0.15 } as const

/** Agreement with final verdicts (J of behaviour 17.10) of an agent that has not judged yet, in millionths. */
export const newJudgement = 700_000

/** From here on a bond counts, micro-USDC. */
export const minBondMicro = 10_000_000n

/** The four components, 0 to 100 each, 1 decimal (behaviour 17.3). */
export type Components = Record<keyof typeof scoreWeights, number>

/** A score as profiles show it. */
export type Score = {
  fusedScore: number
  tier: Tier
  components: Components
  /** Points deducted for applied slashes, by formulas from 2 on for failing more often than not, and from 3 on for failing while little is known. */
  penalty: number
  /** Factor for silence: 1, 0.9 or 0.8. */
  decay: number
}

/** The factor for silence since the agent was last active, in whole days. */
export const decaySteps = [
  { below: 30, factor: 1 },
  { below: 90, factor: 0.9 },
  { below: Number.POSITIVE_INFINITY, factor: 0.8 },
] as const

export const decayOf = (idle: number): 1 | 0.9 | 0.8 => decaySteps.find(step => idle < step.below)!.factor
