import { type AggregateStore, aggregateStore, type Database, type Decision, type Indexes } from '@carapace/store'
import { type Booked, type Books, bookedOn } from '../books.ts'
import { type Claim, upgradeClaim } from './claim.ts'
import { claimPostings } from './postings.ts'

const indexes: Indexes = {
  status_updated: { key: { status: 1, updatedAt: 1 } },
  unlogged: { key: { unloggedSeq: 1 }, sparse: true },
}
export type ClaimStore = AggregateStore<Claim>
/** Payments of rewards; what a change moves is posted with it. */
export const claimStore = (db: Database, ledger: Books): ClaimStore =>
  aggregateStore<Claim, Decision<Claim>, Booked>(db, {
    collection: 'claims',
    resource: 'claim',
    indexes,
    upgrade: upgradeClaim,
    ledger,
    postings: (before, after) => bookedOn(after.chain, claimPostings(before, after)),
  })
