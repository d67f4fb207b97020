// What every process needs of the formula: it loads without the computation, from @carapace/formula/terms.

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
  /** Points deducted for applied slashes, by formulas 2 to 4 for failing more often than not, and by 3 and 4 for failing while little is known. */
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
