import { type JobRow, type Job as JobView, usd } from '@carapace/api'
import type { AgentRef } from '@carapace/projections'
import { pollDeadline } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { shownContractOf } from './bound-contract.ts'
import { isBeingPaid, type Job, pendingStep, type Step, settleAgainAt, steps } from './job.ts'
import { dueOf } from './timers.ts'
import { fee } from './transition.ts'

/** The contract's names of its states (ERC-8183). */
function onChainStatus({ status, onChainJobId, settlement }: Job): string | null {
  if (onChainJobId === null) return null
  if (status === 'cancelled') return settlement?.outcome === 'claim' ? 'Expired' : 'Rejected'
  const names = {
    open: 'Open',
    funded: 'Open',
    assigned: 'Funded',
    submitted: 'Submitted',
    disputed: 'Submitted',
    settled: 'Completed',
    rejected: 'Rejected',
  }
  return names[status]
}

/** The chain part of the record: the step under way, else the last one. */
function onChain(job: Job) {
  const under = pendingStep(job)
  const last = under ?? steps.findLast(step => job.on[step] !== undefined && job.on[step].onChain.status !== 'failed') ?? 'create'
  const step = job.on[last]?.onChain
  const failed = settleAgainAt(job) ? job.on.settle : job.on.create?.retryAt ? job.on.create : undefined
  return {
    status: failed ? ('failed' as const) : under ? ('pending' as const) : (step?.status ?? ('none' as const)),
    chain: job.chain,
    txHash: step?.txHash ?? null,
    blockNumber: step?.blockNumber ?? null,
    error: failed?.onChain.error ?? null,
  }
}

const iso = (at: Date): string => at.toISOString()

function deadlineOf(job: Stored<Job>, now: Date): JobView['nextDeadline'] {
  if (pendingStep(job) !== undefined) return pollDeadline(job.updatedAt, now)
  const due = dueOf(job)
  return due ? { at: iso(due.at), action: due.action } : null
}

/**
 * @param refs short forms of agents by id
 * @param now platform clock
 * @param contract that has the job; null while it is unknown
 */
export function jobView(job: Stored<Job>, refs: (id: string) => AgentRef, now: Date, contract: string | null): JobView {
  const txHash = (step: Step): string | null => job.on[step]?.onChain.txHash ?? null
  const at = (step: Step): string | null => {
    const { applied = false, appliedAt, onChain: own } = job.on[step] ?? {}
    return applied && own?.status !== 'failed' ? (appliedAt?.toISOString() ?? null) : null
  }
  const { id, title, description, budget, requiredSkills, deadlineHours, chain, status, closeReason, onChainJobId, posterId, assigneeId } = job
  return {
    ...{ id, title, description, requiredSkills, deadlineHours, chain, status, closeReason, onChainJobId, contract },
    budgetUsdc: usd(budget),
    currency: 'USDC',
    external: !job.counts,
    posterAgentId: posterId,
    posterWallet: job.posterWallet,
    assigneeAgentId: assigneeId,
    assigneeWallet: job.assigneeWallet,
    poster: posterId === null ? null : refs(posterId),
    assignee: assigneeId === null ? null : refs(assigneeId),
    deliverableUrl: job.delivery?.url ?? null,
    deliverableNote: job.delivery?.note ?? null,
    deliverableHash: job.delivery?.hash ?? null,
    validationId: job.validationId,
    fundedFrom: job.funding?.stage === 'held' ? { kind: job.funding.kind, address: job.funding.from } : null,
    disputeReason: job.dispute?.reason ?? null,
    disputedBy: job.dispute?.by ?? null,
    submitDeadline: iso(job.submitDeadline),
    expiredAt: iso(job.expiredAt),
    nextDeadline: deadlineOf(job, now),
    txHashCreated: txHash('create'),
    txHashFunded: txHash('fund'),
    txHashAssigned: txHash('assign'),
    txHashSubmitted: txHash('submit'),
    txHashSettled: txHash('settle'),
    fundedAt: at('fund'),
    assignedAt: at('assign'),
    submittedAt: at('submit'),
    endedAt: job.settlement?.settledAt?.toISOString() ?? null,
    onChainStatus: onChainStatus(job),
    onChain: onChain(job),
    createdAt: iso(job.createdAt),
    updatedAt: iso(job.updatedAt),
    version: job.version,
  }
}

export async function viewOf(parts: Parts, job: Stored<Job>): Promise<JobView> {
  return (await viewsOf(parts, [job]))[0]!
}

export async function viewsOf({ agents, clock, networks }: Parts, jobs: readonly Stored<Job>[]): Promise<JobView[]> {
  const refs = await agents.refs(jobs.flatMap(({ posterId, assigneeId }) => [posterId, assigneeId]))
  return jobs.map(job => jobView(job, refs, clock.now(), shownContractOf({ networks }, job)))
}

/** Whole USDC of a job that is paid, or would be. */
export const moneyView = (job: Job) =>
  job.settlement?.outcome === 'complete' ? { fee: usd(fee(job)), netPaid: usd(job.budget - fee(job)) } : { fee: 0, netPaid: 0 }

export const jobRow = (job: Stored<Job>, applicantIds: string[]): JobRow => ({
  jobId: job.id,
  onChainJobId: job.onChainJobId,
  title: job.title,
  status: job.status,
  posterId: job.posterId,
  assigneeId: job.assigneeId,
  applicantIds,
  budget: String(job.budget),
  chain: job.chain,
  requiredSkills: job.requiredSkills,
  submissionId: job.delivery?.submissionId ?? null,
  isBeingPaid: isBeingPaid(job),
  settledAt: (job.status === 'settled' && job.counts && job.settlement?.settledAt?.toISOString()) || null,
  ended: job.settlement?.settledAt ? { at: iso(job.settlement.settledAt), txHash: job.on.settle?.onChain.txHash ?? null } : null,
  version: job.version,
})
