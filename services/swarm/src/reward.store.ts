import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import { Schema } from 'mongoose'
import type { Claim, Reward } from './reward.ts'

const rewardSchema = new Schema<Reward>({
  validationId: String,
  validatorId: String,
  chain: String,
  accrued: BigInt,
  funded: BigInt,
  claiming: BigInt,
  claimed: BigInt,
  claimId: String,
  fundedAt: Date,
})
rewardSchema.index({ validatorId: 1, createdAt: -1, _id: -1 }, { name: 'validator_newest' })
rewardSchema.index({ claimId: 1 }, { name: 'claim' })
rewardSchema.index({ fundedAt: 1 }, { name: 'funded_at' })

const claimSchema = new Schema<Claim>({ validatorId: String, chain: String, amount: BigInt, status: String })
claimSchema.index({ validatorId: 1, createdAt: -1, _id: -1 }, { name: 'validator_newest' })

export interface RewardStore {
  rows: AggregateStore<Reward>
  claims: AggregateStore<Claim>
}

export const rewardStore = (db: Database): RewardStore => ({
  rows: aggregateStore<Reward>(db, {
    collection: 'rewards',
    resource: 'reward',
    schema: rewardSchema,
    shareOf: ({ accrued, claimed }) => ({ sums: { accrued, claimed } }),
  }),
  claims: aggregateStore<Claim>(db, { collection: 'claims', resource: 'claim', schema: claimSchema }),
})
