import { usd } from '@carapace/api'
import type { AggregateStore, ShareOf, Stored } from '@carapace/store'
import type { Reward } from '../reward/reward.ts'
import type { Validation } from './validation.ts'

/** What one validation adds to the figures of all. */
export const shareOf: ShareOf<Stored<Validation>> = ({ status, frozen, appealOf, panel, votes, resolvedAt, createdAt }) => ({
  sums: {
    [status]: 1n,
    frozen: frozen ? 1n : 0n,
    appeals: appealOf === null ? 0n : 1n,
    appealsWon: appealOf !== null && status === 'approved' ? 1n : 0n,
    resolved: resolvedAt && status !== 'superseded' ? 1n : 0n,
    resolutionMs: resolvedAt && status !== 'superseded' ? BigInt(resolvedAt.getTime() - createdAt.getTime()) : 0n,
  },
  sets: { asked: panel.map(({ agentId }) => agentId), voted: votes.map(({ voterId }) => voterId) },
})

type WithSums<T> = Pick<AggregateStore<T>, 'sums'>

/** Figures of all validations and rewards. */
export async function statisticsOf({ validations, rewards }: { validations: WithSums<Validation>; rewards: { rows: WithSums<Reward> } }) {
  const [of, money] = await Promise.all([validations.sums(), rewards.rows.sums()])
  const count = (name: string) => Number(of(name))
  const [pending, approved, rejected, expired] = [count('pending'), count('approved'), count('rejected'), count('expired')]
  const ended = approved + rejected + expired
  const superseded = count('superseded')
  const resolved = count('resolved')
  return {
    totalValidations: pending + ended + superseded,
    pending,
    approved,
    rejected,
    expired,
    superseded,
    frozen: count('frozen'),
    appeals: count('appeals'),
    appealsWon: count('appealsWon'),
    totalValidators: count('asked'),
    activeValidators: count('voted'),
    consensusRate: ended ? Math.round((1000 * (approved + rejected)) / ended) / 1000 : 0,
    averageResolutionSeconds: resolved ? Math.round(count('resolutionMs') / resolved / 1000) : 0,
    totalRewardsAccrued: usd(money('accrued')),
    totalRewardsClaimed: usd(money('claimed')),
  }
}
