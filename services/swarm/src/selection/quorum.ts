import { MICRO } from '@carapace/api'

export interface Quorum {
  /** n, the size of the panel. */
  candidateCount: number
  /** T, the approvals that approve. */
  threshold: number
}

interface Band extends Quorum {
  /** micro-USDC: the least budget of the band */
  from: bigint
  /** What a validator who votes with the verdict earns: an amount, or a share of the budget. */
  reward: { micro: bigint } | { perMille: bigint }
}

/** Panel and reward by budget, largest first (behaviour 17.7). */
const bands: readonly Band[] = [
  { from: 500n * MICRO + 1n, candidateCount: 7, threshold: 5, reward: { perMille: 1n } },
  { from: 50n * MICRO, candidateCount: 5, threshold: 3, reward: { micro: MICRO / 2n } },
  { from: 0n, candidateCount: 3, threshold: 2, reward: { micro: MICRO / 10n } },
]

export interface QuorumTerms extends Quorum {
  /** micro-USDC for each validator who votes with the verdict */
  rewardPerValidator: bigint
}

/** The quorum of a budget (micro-USDC). */
export function quorumFor(budget: bigint): QuorumTerms {
  const { candidateCount, threshold, reward } = bands.find(({ from }) => budget >= from)!
  return { candidateCount, threshold, rewardPerValidator: 'micro' in reward ? reward.micro : rounded(budget * reward.perMille, 1000n) }
}

/** Half up. */
const rounded = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor / 2n) / divisor

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
