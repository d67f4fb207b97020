import { type Chain, refuse } from '@carapace/api'
import type { Ledger, Poster } from '@carapace/store'
import { type Posting, poolBalance } from './ledger.ts'
import type { TvlRow } from './tvl.store.ts'

/** A posting on the network of its aggregate. */
export type Booked = Posting & { chain: Chain }
export type Books = Poster<Booked>

/**
 * The ledger of this service with the total locked, which is written in the same transaction.
 * @throws TVL_CAP_REACHED, INSUFFICIENT_BALANCE also when the pool would give away more than its surplus
 */
export const openBooks = (ledger: Ledger, tvl: TvlRow): Books => ({
  post: async ({ tvl: change, capped = false, drawsOn, ...entry }, session) => {
    if (!(await ledger.post(entry, session))) return false
    if (change) await tvl.add(change, entry.chain, session, capped)
    if (drawsOn !== undefined && (await poolBalance(ledger, entry.chain, drawsOn, session)) < 0n) refuse('INSUFFICIENT_BALANCE', { account: drawsOn })
    return true
  },
})

export const bookedOn = (chain: Chain, postings: readonly Posting[]): Booked[] => postings.map(posting => ({ ...posting, chain }))
