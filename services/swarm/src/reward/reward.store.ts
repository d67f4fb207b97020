import { type AggregateStore, aggregateStore, type Database, type Indexes } from '@carapace/store'
import type { Claim, Reward } from './reward.ts'

const rewardIndexes: Indexes = {
  validator_newest: { key: { validatorId: 1, createdAt: -1, _id: -1 } },
  claim: { key: { claimId: 1 } },
  funded_at: { key: { fundedAt: 1 } },
  unfunded_oldest: { key: { fundedAt: 1, isFundingOver: 1, createdAt: 1 } },
}

const claimIndexes: Indexes = {
  validator_newest: { key: { validatorId: 1, createdAt: -1, _id: -1 } },
  open_oldest: { key: { isFinal: 1, updatedAt: 1 } },
}

export interface RewardStore {
  rows: AggregateStore<Reward>
  claims: AggregateStore<Claim>
}

export const rewardStore = (db: Database): RewardStore => ({
  rows: aggregateStore<Reward>(db, {
    collection: 'rewards',
    resource: 'reward',
    optimistic: true,
    indexes: rewardIndexes,
    shareOf: ({ accrued, claimed }) => ({ sums: { accrued, claimed } }),
  }),
  claims: aggregateStore<Claim>(db, { collection: 'claims', resource: 'claim', indexes: claimIndexes }),
})
