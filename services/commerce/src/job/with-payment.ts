import { toChecksum } from '@carapace/chain'
import { budgetRange, type Funding, type Job } from './job.ts'

/** What the contract has for a job, and of whom. */
export interface Payment {
  payer: string
  /** micro-USDC */
  amount: bigint
}

/**
 * The job with the payment that the contract has. One by another payer, or of another amount, than the one that is booked is a round of its own: the
 * ledger reverses the one at its amount and books the other.
 */
export function withPayment(job: Job, { payer, amount }: Payment, txHash: string): Job {
  const { funding, budget, fundingRounds } = job
  const from = toChecksum(payer)
  const isBy = (one: Funding | null | undefined) => one != null && toChecksum(one.from) === from
  if (isBy(funding) && budget === amount) return job
  const isByClient = from === toChecksum(job.posterWallet)
  // a command of ours that had failed may be the one that paid after all
  const requested = job.on.fund?.requested?.funding
  const own = [funding, requested].find(isBy)
  // for anybody but the client the contract accepts a payment from the platform alone
  const other = { operationId: txHash, kind: isByClient ? ('onchain' as const) : ('treasury' as const), from }
  const paidBy = own && (budget === amount || !isByClient) ? own : other
  const round = fundingRounds + 1
  const isUnassigned = job.status === 'open' || job.status === 'funded'
  const isInRange = amount >= budgetRange.min && amount <= budgetRange.max
  return {
    ...job,
    budget: amount,
    // what does not count for its parties does not begin to
    counts: budget === amount ? job.counts : isInRange && (job.counts || (!job.mirrored && isUnassigned)),
    fundingRounds: round,
    funding: { ...paidBy, round, stage: job.status === 'open' ? 'sent' : 'held' },
    fundingFailure: paidBy === requested ? null : job.fundingFailure,
  }
}
