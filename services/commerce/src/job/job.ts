import { type Chain, dayMs, hourMs, type JobStatus, limits, refuse } from '@carapace/api'
import { jobIdTopic, type OnChain, onChainKey } from '@carapace/chain'
import { jobStates } from './job-states.ts'

/** What a job does on chain, one command each, in this order; the last two may change places. */
export const steps = ['create', 'fund', 'assign', 'submit', 'dispute', 'settle'] as const
export type Step = (typeof steps)[number]

/** A step on chain, by our command or by somebody's own transaction. */
export interface ChainStep {
  /** Of its command; of round 0 where somebody's own transaction had the effect and no command was sent. */
  onChain: Required<OnChain>
  /** Somebody's own transaction had the effect: what becomes of our command says nothing about it. */
  isForeign?: boolean
  /** The job has moved by it. A reorganisation makes it pending again and leaves the job where it is. */
  applied: boolean
  /** When it did; absent in early records. */
  appliedAt?: Date
  /** When it goes out again as its next round; only steps that must succeed. */
  retryAt: Date | null
  /** What was requested by a step that failed: the chain may carry it out after all. */
  requested?: Partial<Pick<Job, 'funding' | 'acceptance' | 'delivery' | 'dispute'>>
}

export interface Funding {
  operationId: string
  kind: 'allowance' | 'authorization' | 'treasury' | 'onchain'
  /** Where a refund goes. */
  from: string
  round: number
  /** reserving: the treasury has not answered yet, no command exists. */
  stage: 'reserving' | 'sent' | 'held'
}
export interface FundingFailure {
  operationId: string
  code: string
  message: string
}

export interface Delivery {
  /** Null when the provider submitted on the contract itself, which knows the hash alone. */
  url: string | null
  note: string | null
  hash: string
  submissionId: string
  at: Date
}

export interface Verdict {
  result: 'approved' | 'rejected' | 'expired'
  validationId: string
  weak: boolean
  frozen: boolean
  at: Date
  settleAfter: Date | null
}

export type SettledBy = 'swarm' | 'oracle' | 'time' | 'party'
export interface Settlement {
  /** `claim` is never ours: anybody may claim the refund on the contract. */
  outcome: 'complete' | 'reject' | 'withdraw' | 'claim'
  trigger: 'settle' | 'reject' | 'withdraw' | 'expire' | 'claim'
  by: SettledBy
  reason: string
  /** Where the job was when it was decided. */
  from: JobStatus
  /** The delivery that it is about; null where there was none. Absent in early records. */
  submissionId?: string | null
  at: Date
  /** Set when it is confirmed. */
  settledAt: Date | null
  /** A payment of the job was published: once for ever, corrections follow. */
  isReported: boolean
  /** Of the request that decided it; absent where none did. */
  operationId?: string
}

/** A commerce job. Money in micro-USDC. */
export interface Job {
  id: string
  title: string
  description: string
  budget: bigint
  requiredSkills: string[]
  deadlineHours: number
  chain: Chain
  /** Null when no registered agent has the wallet: only jobs that were made on the contract itself. */
  posterId: string | null
  posterWallet: string
  assigneeId: string | null
  assigneeWallet: string | null
  status: JobStatus
  closeReason: string | null
  /** The contract that it was opened on and the platform's evaluator in it, which never change; absent in early records: they are on the first ones. */
  contract?: string
  evaluator?: string
  onChainJobId: string | null
  /** Made on the contract itself. */
  mirrored: boolean
  /** It is judged by the swarm and counts for score, earnings and receipts. */
  counts: boolean
  submitDeadline: Date
  expiredAt: Date
  on: Partial<Record<Step, ChainStep>>
  funding: Funding | null
  fundingRounds: number
  fundingFailure: FundingFailure | null
  /** Who is to do it; `agentId` is null when the wallet is nobody's. */
  acceptance: { agentId: string | null; wallet: string } | null
  delivery: Delivery | null
  /** `operationId`: of the request that opened it; absent where none did. */
  dispute: { by: string | null; reason: string; at: Date; operationId?: string } | null
  validationId: string | null
  verdict: Verdict | null
  settlement: Settlement | null
  /** How many ends were confirmed: a reorganisation makes each a movement of money of its own. */
  ends?: number
  /** Derived: when time alone moves it on. */
  dueAt: Date | null
  /** Derived: the outcome of a command is open. */
  isWaiting: boolean
}

export const platformFeeBp = 300
export const budgetRange = { min: 10_000n, max: limits.escrow.perGigMicro }
const chainExpiryMs = 30 * dayMs
/** What names the job on the contract for ever: a reorganisation may change the number of one that we created. */
export const keyOf = ({ id, mirrored, onChainJobId }: Pick<Job, 'id' | 'mirrored' | 'onChainJobId'>): string =>
  mirrored ? jobIdTopic(BigInt(onChainJobId!)) : onChainKey(id)

export type JobDraft = Pick<Job, 'title' | 'description' | 'budget' | 'requiredSkills' | 'deadlineHours' | 'chain'> & {
  posterId: string
  posterWallet: string
  contract: string
  evaluator: string
}

/** A job of the API, before its creation on chain. */
export function newJob(id: string, draft: JobDraft, now: Date): Job {
  const submitDeadline = new Date(now.getTime() + draft.deadlineHours * hourMs)
  return {
    ...blank,
    ...draft,
    id,
    status: jobStates.initial,
    submitDeadline,
    expiredAt: new Date(submitDeadline.getTime() + chainExpiryMs),
    counts: true,
  }
}

/** What every job begins with. */
export const blank = {
  assigneeId: null,
  assigneeWallet: null,
  closeReason: null,
  onChainJobId: null,
  mirrored: false,
  on: {},
  funding: null,
  fundingRounds: 0,
  fundingFailure: null,
  acceptance: null,
  delivery: null,
  dispute: null,
  validationId: null,
  verdict: null,
  settlement: null,
  dueAt: null,
  isWaiting: false,
} satisfies Partial<Job>

/** Whether the outcome of any of its commands is open, also of one that a reorganisation made pending again. */
export const isWaiting = (job: Job): boolean => steps.some(step => job.on[step]?.onChain.status === 'pending')

/** The step that waits for the chain now, if there is one. */
export const pendingStep = (job: Job): Step | undefined =>
  steps.find(step => job.on[step]?.onChain.status === 'pending' && !job.on[step]?.applied) ??
  (job.funding?.stage === 'reserving' ? 'fund' : undefined)

/**
 * A decision about a delivery that the chain has dropped for good is none about the next one, nor about a job that waits for it. One that no delivery
 * caused (a withdrawal, a deadline) is about the state that it was made in: the contract refuses it in any other.
 */
function isDecided({ settlement, delivery, status }: Pick<Job, 'settlement' | 'delivery' | 'status'>): boolean {
  if (settlement === null) return false
  const { trigger, from, submissionId } = settlement
  if ((trigger === 'withdraw' || trigger === 'expire') && from !== status) return false
  return submissionId === undefined || submissionId === (delivery?.submissionId ?? null)
}

/** A reorganisation has removed the creation of a job made on the contract: its number may be another job's. */
export const isCreationLost = ({ mirrored, on }: Pick<Job, 'mirrored' | 'on'>): boolean => mirrored && on.create?.onChain.status === 'failed'

/** When its decided end goes out again; null where it has not failed. */
export const settleAgainAt = (job: Job): Date | null => (isDecided(job) ? (job.on.settle?.retryAt ?? null) : null)

/** Its payment is decided, and is being made, or made again after a reorganisation: its receipt and its reviews follow. */
export const isBeingPaid = (job: Pick<Job, 'counts' | 'status' | 'settlement' | 'delivery'>): boolean =>
  job.counts && isDecided(job) && job.settlement?.outcome === 'complete' && jobStates.next(job.status, 'settle') !== undefined

/** One step at a time: what is under way ends by itself. @throws INVALID_STATE, retryable */
export function needIdle(job: Job): void {
  const step = pendingStep(job)
  if (step !== undefined)
    refuse('INVALID_STATE', { state: job.status, pending: step }, { retryable: true, message: `The job waits for the chain (${step})` })
}

/** @throws NOT_ASSIGNEE, and INVALID_STATE, retryable, while this agent's assignment is under way */
export function needAssignee(job: Job, agentId: string): void {
  if (job.assigneeId === agentId) return
  if (job.acceptance?.agentId === agentId) needIdle(job)
  refuse('NOT_ASSIGNEE')
}
