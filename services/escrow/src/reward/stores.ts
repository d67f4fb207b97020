import type { Database } from '@carapace/store'
import type { Books } from '../books.ts'
import { claimStore, rewardStore, sourceStore } from './reward.store.ts'

/** Rewards of validators, what they are funded from, and their payments. */
export const rewardStores = (db: Database, books: Books) => ({
  rewards: rewardStore(db, books),
  rewardSources: sourceStore(db),
  claims: claimStore(db, books),
})
