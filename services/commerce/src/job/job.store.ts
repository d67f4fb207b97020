import { type OnChain, sentOnChain } from '@carapace/chain'
import { type AggregateStore, aggregateStore, type Database, type Indexes, type Ledger } from '@carapace/store'
import { type ChainStep, isWaiting, type Job } from './job.ts'
import { postings } from './postings.ts'
import { dueOf } from './timers.ts'

const newest = { createdAt: -1, _id: -1 } as const
const indexes: Indexes = {
  newest: { key: newest },
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
  number: { key: { onChainJobId: 1, chain: 1 } },
  status_newest: { key: { status: 1, ...newest } },
  chain_newest: { key: { chain: 1, ...newest } },
  chain_status_newest: { key: { chain: 1, status: 1, ...newest } },
  poster_newest: { key: { posterId: 1, ...newest } },
  assignee_newest: { key: { assigneeId: 1, ...newest } },
  waiting: { key: { isWaiting: 1 }, partialFilterExpression: { isWaiting: true } },
  settle_again: { key: { 'on.settle.retryAt': 1 }, partialFilterExpression: { 'on.settle.retryAt': { $type: 'date' } } },
  funding_stage: { key: { 'funding.stage': 1, updatedAt: 1 } },
}

export type JobStore = AggregateStore<Job>

export const jobStore = (db: Database, ledger: Ledger): JobStore =>
  aggregateStore<Job>(db, {
    collection: 'jobs',
    resource: 'job',
    optimistic: true,
    indexes,
    ledger,
    postings,
    upgrade: upgradeJob,
    derive: job => ({ ...job, dueAt: dueOf(job)?.at ?? null, isWaiting: isWaiting(job) }),
  })

/** Before `onChain` was one field, what was known of its command was part of a step. */
type OldStep = Omit<ChainStep, 'onChain'> & Partial<OnChain>

/** A stored job in the present form. */
export function upgradeJob<J extends Job>(job: J): J {
  const steps = Object.entries(job.on)
  if (steps.every(([, { onChain }]) => onChain)) return job
  return { ...job, on: Object.fromEntries(steps.map(([name, step]) => [name, upgradeStep(step)])) }
}

function upgradeStep(step: ChainStep): ChainStep {
  if (step.onChain) return step
  const { round = 0, seq = 0, status = 'pending', txHash = null, blockNumber = null, error = null, ...rest } = step as OldStep
  return { ...rest, onChain: { ...sentOnChain, status, txHash, blockNumber, error, round, seq } }
}
