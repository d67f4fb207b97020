import { usd } from '@carapace/api'
import type { Parts } from './parts.ts'

/** Figures of all validations and rewards, counted when they are asked for. */
export async function statisticsOf({ validations, rewards }: Parts) {
  const count = (filter: Record<string, unknown>) => validations.count(filter)
  const [total, pending, approved, rejected, expired, frozen, appeals, appealsWon, people, times, money] = await Promise.all([
    count({}),
    count({ status: 'pending' }),
    count({ status: 'approved' }),
    count({ status: 'rejected' }),
    count({ status: 'expired' }),
    count({ frozen: true }),
    count({ appealOf: { $ne: null } }),
    count({ appealOf: { $ne: null }, status: 'approved' }),
    peopleOf(validations.collection),
    durationOf(validations.collection),
    rewards.rows.collection.aggregate([{ $group: { _id: null, accrued: { $sum: '$accrued' }, claimed: { $sum: '$claimed' } } }]).toArray(),
  ])
  const ended = approved + rejected + expired
  return {
    totalValidations: total,
    pending,
    approved,
    rejected,
    expired,
    frozen,
    appeals,
    appealsWon,
    totalValidators: people.asked,
    activeValidators: people.voted,
    consensusRate: ended ? Math.round((1000 * (approved + rejected)) / ended) / 1000 : 0,
    averageResolutionSeconds: times,
    totalRewardsAccrued: usd(BigInt(money[0]?.accrued ?? 0)),
    totalRewardsClaimed: usd(BigInt(money[0]?.claimed ?? 0)),
  }
}

type Collection = Parts['validations']['collection']

async function peopleOf(collection: Collection): Promise<{ asked: number; voted: number }> {
  const [asked, voted] = await Promise.all([collection.distinct('panel.agentId'), collection.distinct('votes.voterId')])
  return { asked: asked.length, voted: voted.length }
}

async function durationOf(collection: Collection): Promise<number> {
  const rows = await collection
    .aggregate([{ $match: { resolvedAt: { $type: 'date' } } }, { $group: { _id: null, ms: { $avg: { $subtract: ['$resolvedAt', '$createdAt'] } } } }])
    .toArray()
  return Math.round(Number(rows[0]?.ms ?? 0) / 1000)
}
