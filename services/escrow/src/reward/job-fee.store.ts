import { type AggregateStore, aggregateStore, type Database, type Decision } from '@carapace/store'
import { type Booked, type Books, bookedOn } from '../books.ts'
import type { JobFee } from './job-fee.ts'
import { jobFeePostings } from './postings.ts'

export type JobFeeStore = AggregateStore<JobFee>

/** The fees of jobs; whether one is paid is posted with the change. */
export const jobFeeStore = (db: Database, ledger: Books): JobFeeStore =>
  aggregateStore<JobFee, Decision<JobFee>, Booked>(db, {
    collection: 'job_fees',
    resource: 'job fee',
    ledger,
    postings: (before, after) => (before ? bookedOn(after.chain, jobFeePostings(before, after)) : []),
  })
