import { MICRO } from '@carapace/api'

export interface Quorum {
  /** n, the size of the panel. */
  candidateCount: number
  /** T, the approvals that approve. */
  threshold: number
}

/** Panel by budget, largest first (behaviour 17.7). `above` is exclusive, `from` inclusive; micro-USDC. */
const bands = [
  {
    applies: (budget: bigint) => budget > 500n * MICRO,
    quorum: { candidateCount: 7, threshold: 5 },
    reward: (budget: bigint) => (budget + 500n) / 1000n,
  },
  { applies: (budget: bigint) => budget >= 50n * MICRO, quorum: { candidateCount: 5, threshold: 3 }, reward: () => MICRO / 2n },
  { applies: () => true, quorum: { candidateCount: 3, threshold: 2 }, reward: () => MICRO / 10n },
] as const

export interface QuorumTerms extends Quorum {
  /** micro-USDC for each validator who votes with the verdict */
  rewardPerValidator: bigint
}

/** The quorum of a budget (micro-USDC). */
export function quorumFor(budget: bigint): QuorumTerms {
  const band = bands.find(entry => entry.applies(budget))!
  return { ...band.quorum, rewardPerValidator: band.reward(budget) }
}

export const majority = (candidateCount: number): number => Math.floor(candidateCount / 2) + 1

/** A panel below its budget's numbers, or whose approval is no majority: its rejection never refunds by itself. */
export function isWeak({ candidateCount, threshold }: Quorum, budget: bigint): boolean {
  const wanted = quorumFor(budget)
  return candidateCount < wanted.candidateCount || threshold < wanted.threshold || threshold <= candidateCount / 2
}

/** Panel of an appeal: five, or all who are eligible. */
export const appealQuorum = (eligible: number): Quorum => {
  const candidateCount = Math.min(5, eligible)
  return { candidateCount, threshold: Math.ceil((2 * candidateCount) / 3) }
}
