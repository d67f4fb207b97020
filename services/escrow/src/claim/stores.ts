import type { Database } from '@carapace/store'
import type { Books } from '../books.ts'
import { jobFeeStore } from '../reward/job-fee.store.ts'
import { rewardStore, sourceStore } from '../reward/reward.store.ts'
import { claimStore } from './claim.store.ts'

/** Rewards of validators, what they are funded from, and their payments. */
export const rewardStores = (db: Database, books: Books) => ({
  rewards: rewardStore(db, books),
  rewardSources: sourceStore(db),
  jobFees: jobFeeStore(db, books),
  claims: claimStore(db, books),
})
