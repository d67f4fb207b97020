import { hourMs, type JobStatus, limits } from '@carapace/api'
import { sentOnChain } from '@carapace/chain'
import type { JobContract } from './bound-contract.ts'
import type { ContractJob } from './contract-job.ts'
import { blank, budgetRange, type ChainStep, type Delivery, type Job, type Settlement, type Step } from './job.ts'
import { jobStates } from './job-states.ts'
import { effects, type Moment, type Result, revertLost } from './transition.ts'
import { withPayment } from './with-payment.ts'

/** The terms of a job as the contract has them: who the wallets are, and whether the platform judges the job. */
export interface Terms {
  contract: ContractJob
  /** Registered, active agents; null for a wallet that is nobody's. */
  posterId: string | null
  assigneeId: string | null
  isOurEvaluator: boolean
}

/** What was observed on the contract. */
export interface Mirrored extends Terms {
  /** What was observed; `create` for what only changes the terms. */
  step: Step
  /** Who paid in; null when another event was observed. */
  payer: string | null
  /** The transaction that was observed. */
  txHash: string
  blockNumber: number
  /** Of a submission; null when another event was observed. */
  deliverableHash: string | null
  submissionId: string
}

type MirroredPlace = Pick<Job, 'id' | 'chain'> & { onChainJobId: string } & JobContract

const unknownHash = `0x${'0'.repeat(64)}`

/** A job that somebody made on the contract itself. */
export function mirroredJob(place: MirroredPlace, seen: Mirrored, moment: Moment): Result {
  const { contract, posterId } = seen
  const [title = '', ...rest] = contract.description.split('\n')
  const job: Job = {
    ...blank,
    ...place,
    title: [...title.trim()].slice(0, 200).join('') || `Job ${place.onChainJobId}`,
    description: [...(rest.join('\n').trim() || contract.description)].slice(0, limits.text.description).join(''),
    budget: contract.budget,
    requiredSkills: [],
    deadlineHours: Math.max(1, Math.round((contract.expiredAt.getTime() - moment.now.getTime()) / hourMs)),
    posterId,
    posterWallet: contract.client,
    status: jobStates.initial,
    mirrored: true,
    counts: false,
    submitDeadline: contract.expiredAt,
    expiredAt: contract.expiredAt,
    on: { create: madeBy(undefined, seen, moment.now) },
  }
  return mirror(job, seen, moment) ?? { state: job, events: [] }
}

/** Moves a job to where the observed event has it, one step after the other; undefined when it is there. */
export function mirror(job: Job, seen: Mirrored, moment: Moment): Result | undefined {
  let state = withTerms(withReplacedPayment(withoutReplaced(job, seen, moment.now), seen, moment.now), seen)
  const events: Result['events'] = []
  for (const step of missing(state, seen)) {
    const made = effects[step](prepared(state, step, seen, moment), moment)
    state = made.state
    events.push(...made.events)
  }
  return events.length === 0 && state === job ? undefined : { state, events }
}

/** An end that the contract shows otherwise: a reorganisation has put another transaction into the place of the one that was reported. */
function withoutReplaced(job: Job, { step, contract }: Mirrored, now: Date): Job {
  const { settlement } = job
  const isContradicted = settlement?.settledAt && step === 'settle' && ends.has(contract.status) && shownBy[settlement.outcome] !== contract.status
  if (!isContradicted || !job.on.settle?.applied) return job
  // what it means for those who were notified is published with the step that replaced it
  const { settle } = job.on
  const replaced: ChainStep = { ...settle, onChain: { ...settle.onChain, status: 'failed' }, retryAt: null }
  return revertLost({ ...job, on: { ...job.on, settle: replaced } }, now).state
}

const ends: ReadonlySet<ContractJob['status']> = new Set(['Completed', 'Rejected', 'Expired'])
/** What the contract shows after each end. */
const shownBy = { complete: 'Completed', reject: 'Rejected', withdraw: 'Rejected', claim: 'Expired' } as const

/** A payment that a reorganisation has put into the place of the one that was reported, also where other steps were built on that one. */
function withReplacedPayment(job: Job, seen: Mirrored, now: Date): Job {
  const { step, contract, txHash } = seen
  const isHeld = rank[job.status] >= rank.funded && rank[job.status] < rank.settled
  if (step !== 'fund' || !isHeld || contract.deposit === null) return job
  const paid = withPayment(job, contract.deposit, txHash)
  if (paid === job) return job
  const terms = termsIn(paid, seen)
  // who the parties are is certain from the assignment on: what did not count then does not begin to
  const { counts, posterId } = job.status === 'funded' ? terms : { counts: job.counts && terms.counts, posterId: job.posterId }
  return { ...paid, counts, posterId, on: { ...paid.on, fund: madeBy(job.on.fund, seen, now) } }
}

/**
 * Budget, provider and who the client is may change until the money is in; from then on it is certain whether the job counts. A funding that is under way
 * pays the budget that it was requested for, or fails.
 */
export function withTerms(job: Job, seen: Terms): Job {
  if (job.status !== 'open' || job.funding) return job
  const { budget, counts, posterId } = termsIn(job, seen)
  return job.budget === budget && job.counts === counts && job.posterId === posterId ? job : { ...job, budget, counts, posterId }
}

function termsIn(job: Job, { contract, posterId: client, assigneeId, isOurEvaluator }: Terms): Pick<Job, 'budget' | 'counts' | 'posterId'> {
  const budget = paidIn(contract)
  const isInRange = budget >= budgetRange.min && budget <= budgetRange.max
  const posterId = job.mirrored ? (client ?? job.posterId) : job.posterId
  return { budget, posterId, counts: isOurEvaluator && isInRange && (!job.mirrored || areParties(client, assigneeId)) }
}

/** The budget stays what was paid in once it has left; the reads of a contract may be of two blocks. */
const paidIn = ({ deposit, budget }: ContractJob): bigint => deposit?.amount ?? budget

/** Both are registered, active agents, and nobody pays itself for a good name. */
const areParties = (posterId: string | null, assigneeId: string | null): boolean =>
  posterId !== null && assigneeId !== null && posterId !== assigneeId

const rank: Readonly<Record<JobStatus, number>> = {
  open: 0,
  funded: 1,
  assigned: 2,
  submitted: 3,
  disputed: 4,
  settled: 5,
  rejected: 5,
  cancelled: 5,
}
const reaches: Readonly<Record<Step, number>> = { create: 0, fund: 1, assign: 2, submit: 3, dispute: 4, settle: 5 }

/** Steps from where the job is to the one observed; those between, whose events are still to come, are certain by then. */
function missing({ status }: Job, { step, contract }: Mirrored): Step[] {
  const at = rank[status]
  if (reaches[step] <= at) return []
  // a refund says nothing about what came before it
  const isRefund = step === 'settle' && contract.status !== 'Completed'
  const between = (['fund', 'assign', 'submit'] as const).filter(one => reaches[one] > at && reaches[one] < reaches[step])
  return isRefund ? [step] : [...between, step]
}

/** The record as its step finds it: what the transaction of somebody else says. */
function prepared(job: Job, step: Step, seen: Mirrored, { now }: Moment): Job {
  const { contract, payer, posterId, assigneeId, txHash, deliverableHash, submissionId } = seen
  const state: Job = { ...job, on: { ...job.on, [step]: madeBy(job.on[step], seen, now) } }
  if (step === 'fund') {
    const from = payer ?? contract.deposit?.payer ?? contract.client
    // what is reserved for our own command is free again where somebody else has paid
    return { ...withPayment(state, { payer: from, amount: paidIn(contract) }, txHash), ...termsIn(job, seen) }
  }
  if (step === 'assign') {
    const counts = job.counts && areParties(posterId, assigneeId)
    return { ...state, counts, acceptance: { agentId: assigneeId, wallet: contract.provider! } }
  }
  if (step === 'submit') {
    const delivery: Delivery = job.delivery ?? { url: null, note: null, hash: deliverableHash ?? unknownHash, submissionId, at: now }
    return { ...state, delivery }
  }
  if (step === 'dispute') return { ...state, dispute: job.dispute ?? { by: null, reason: 'Disputed on the contract', at: now } }
  if (step === 'settle') return { ...state, settlement: settlementOf(job, contract, now) }
  return state
}

/** Our own decision where the contract shows it, else what somebody else did there. */
function settlementOf(job: Job, { status }: ContractJob, at: Date): Settlement {
  const own = job.settlement
  if (own && own.settledAt === null && shownBy[own.outcome] === status) return { ...own, from: job.status }
  const base = { by: 'party' as const, reason: '', from: job.status, at, settledAt: null, isReported: own?.isReported ?? false }
  if (status === 'Completed') return { ...base, outcome: 'complete', trigger: 'settle' }
  if (status === 'Expired') return { ...base, outcome: 'claim', trigger: 'claim' }
  const isOpen = job.status === 'open' || job.status === 'funded'
  return isOpen ? { ...base, outcome: 'withdraw', trigger: 'withdraw' } : { ...base, outcome: 'reject', trigger: 'reject' }
}

const madeBy = (own: ChainStep | undefined, { txHash, blockNumber }: Pick<Mirrored, 'txHash' | 'blockNumber'>, now: Date): ChainStep => ({
  onChain: { ...sentOnChain, status: 'confirmed', round: own?.onChain.round ?? 0, seq: own?.onChain.seq ?? 0, txHash, blockNumber },
  ...{ applied: true, appliedAt: now, isForeign: true, retryAt: null },
})

/** The block of somebody else's transaction is dropped, and the contract shows less than the job: goes back over what is lost. */
export function regress(job: Job, txHash: string, contract: ContractJob, now: Date): Result | undefined {
  const isOf = (step: ChainStep | undefined) => step?.isForeign && step.onChain.txHash === txHash
  const lost = (Object.keys(job.on) as Step[]).filter(step => isOf(job.on[step]) && !shows(contract, step))
  if (lost.length === 0) return undefined
  const on = { ...job.on }
  for (const step of lost) {
    const { onChain, ...rest } = on[step]!
    on[step] = { ...rest, isForeign: false, onChain: { ...onChain, status: 'failed', error: 'The block of its transaction is gone' } }
  }
  return revertLost({ ...job, on }, now)
}

function shows({ status, deposit, isDisputed }: ContractJob, step: Step): boolean {
  if (step === 'create') return true
  if (step === 'fund') return deposit !== null || status !== 'Open'
  if (step === 'assign') return status !== 'Open'
  if (step === 'submit') return status === 'Submitted' || status === 'Completed'
  return step === 'dispute' ? isDisputed : status === 'Completed' || status === 'Rejected' || status === 'Expired'
}
