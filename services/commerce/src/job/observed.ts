import type { ChainLog, JobStatus } from '@carapace/api'
import { sentOnChain } from '@carapace/chain'
import type { ContractJob } from './contract-job.ts'
import { budgetRange, type ChainStep, type Job, type Step } from './job.ts'

/** The terms of a job as the contract has them: who the wallets are, and whether the platform judges the job. */
export interface Terms {
  contract: ContractJob
  /** Registered, active agents; null for a wallet that is nobody's. */
  posterId: string | null
  assigneeId: string | null
  isOurEvaluator: boolean
}

/** What was observed on the contract. */
export interface Observed extends Terms {
  /** What was observed; `create` for what only changes the terms. */
  step: Step
  /** The client has ended the job before anybody was assigned to it. */
  isWithdrawal: boolean
  /** Who paid in; null when another event was observed. */
  payer: string | null
  /** The transaction that was observed. */
  txHash: string
  blockNumber: number
  /** Of a submission; null when another event was observed. */
  deliverableHash: string | null
  submissionId: string
}

export const rank: Readonly<Record<JobStatus, number>> = {
  open: 0,
  funded: 1,
  assigned: 2,
  submitted: 3,
  disputed: 4,
  settled: 5,
  rejected: 5,
  cancelled: 5,
}

/** The step as the transaction of somebody else has made it. */
export const madeBy = (own: ChainStep | undefined, { txHash, blockNumber }: Pick<Observed, 'txHash' | 'blockNumber'>, now: Date): ChainStep => ({
  onChain: { ...sentOnChain, status: 'confirmed', round: own?.onChain.round ?? 0, seq: own?.onChain.seq ?? 0, txHash, blockNumber },
  ...{ applied: true, appliedAt: now, isForeign: true, retryAt: null },
})

/** What was delivered, by a `JobSubmitted` log in either form: the platform's and the standard's name it differently. */
export const deliverableHashOf = ({ args }: Pick<ChainLog, 'args'>): string => String(args.deliverableHash ?? args.deliverable)

/** The terms that count, by what the contract shows. */
export function termsIn(job: Job, { contract, posterId: client, assigneeId, isOurEvaluator }: Terms): Pick<Job, 'budget' | 'counts' | 'posterId'> {
  const budget = paidIn(contract)
  const isInRange = budget >= budgetRange.min && budget <= budgetRange.max
  const posterId = job.mirrored ? (client ?? job.posterId) : job.posterId
  return { budget, posterId, counts: isOurEvaluator && isInRange && (!job.mirrored || areParties(client, assigneeId)) }
}

/** The budget stays what was paid in once it has left; the reads of a contract may be of two blocks. */
export const paidIn = ({ deposit, budget }: ContractJob): bigint => deposit?.amount ?? budget

/** Both are registered, active agents, and nobody pays itself for a good name. */
export const areParties = (posterId: string | null, assigneeId: string | null): boolean =>
  posterId !== null && assigneeId !== null && posterId !== assigneeId
