import { usd } from '@carapace/api'
import type { ShareOf, Stored } from '@carapace/store'
import type { Parts } from './parts.ts'
import type { Validation } from './validation.ts'

/** What one validation adds to the figures of all. */
export const shareOf: ShareOf<Stored<Validation>> = ({ status, frozen, appealOf, panel, votes, resolvedAt, createdAt }) => ({
  sums: {
    [status]: 1n,
    frozen: frozen ? 1n : 0n,
    appeals: appealOf === null ? 0n : 1n,
    appealsWon: appealOf !== null && status === 'approved' ? 1n : 0n,
    resolved: resolvedAt ? 1n : 0n,
    resolutionMs: resolvedAt ? BigInt(resolvedAt.getTime() - createdAt.getTime()) : 0n,
  },
  sets: { asked: panel.map(({ agentId }) => agentId), voted: votes.map(({ voterId }) => voterId) },
})

/** Figures of all validations and rewards. */
export async function statisticsOf({ validations, rewards }: Parts) {
  const [of, money] = await Promise.all([validations.sums(), rewards.rows.sums()])
  const [pending, approved, rejected, expired] = [of('pending'), of('approved'), of('rejected'), of('expired')].map(Number) as [
    number,
    number,
    number,
    number,
  ]
  const ended = approved + rejected + expired
  const resolved = Number(of('resolved'))
  return {
    totalValidations: pending + ended,
    pending,
    approved,
    rejected,
    expired,
    frozen: Number(of('frozen')),
    appeals: Number(of('appeals')),
    appealsWon: Number(of('appealsWon')),
    totalValidators: Number(of('asked')),
    activeValidators: Number(of('voted')),
    consensusRate: ended ? Math.round((1000 * (approved + rejected)) / ended) / 1000 : 0,
    averageResolutionSeconds: resolved ? Math.round(Number(of('resolutionMs')) / resolved / 1000) : 0,
    totalRewardsAccrued: usd(money('accrued')),
    totalRewardsClaimed: usd(money('claimed')),
  }
}
