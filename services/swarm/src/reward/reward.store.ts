import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import { type Claim, claimable, type Reward, withPayAt } from './reward.ts'

const rewardIndexes: Indexes = {
  validator_newest: { key: { validatorId: 1, createdAt: -1, _id: -1 } },
  claim: { key: { claimId: 1 } },
  pay_at: { key: { payAt: 1, fundedAt: 1 } },
  validator_pay_at: { key: { validatorId: 1, payAt: 1, fundedAt: 1 } },
  unfunded_oldest: { key: { fundedAt: 1, isFundingOver: 1, createdAt: 1 } },
}

const claimIndexes: Indexes = {
  validator_newest: { key: { validatorId: 1, createdAt: -1, _id: -1 } },
  open_oldest: { key: { isFinal: 1, updatedAt: 1 } },
}

export interface RewardStore {
  rows: AggregateStore<Reward>
  claims: AggregateStore<Claim>
  /** Those of a validator that can be claimed now, however many it has been paid. */
  claimableOf(validatorId: string): Promise<Stored<Reward>[]>
}

const ever = { $gt: new Date(0) }

export const rewardStore = (db: Database): RewardStore => {
  const rows = aggregateStore<Reward>(db, {
    collection: 'rewards',
    resource: 'reward',
    optimistic: true,
    indexes: rewardIndexes,
    derive: withPayAt,
    shareOf: ({ accrued, claimed }) => ({ sums: { accrued, claimed } }),
  })
  return {
    rows,
    claims: aggregateStore<Claim>(db, { collection: 'claims', resource: 'claim', indexes: claimIndexes }),
    claimableOf: async validatorId => {
      // the others are from before the time was stored
      const open = await rows.findAny([
        { validatorId, payAt: ever },
        { validatorId, payAt: null, fundedAt: ever },
      ])
      return open.filter(reward => claimable(reward) > 0n && reward.claiming === 0n)
    },
  }
}
