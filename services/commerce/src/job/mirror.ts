import { hourMs, limits } from '@carapace/api'
import type { JobContract } from './bound-contract.ts'
import type { ContractJob } from './contract-job.ts'
import { blank, type ChainStep, type Delivery, type Job, type Settlement, type Step } from './job.ts'
import { jobStates } from './job-states.ts'
import { areParties, madeBy, type Observed, paidIn, rank, type Terms, termsIn } from './observed.ts'
import {
  disputedAgain,
  shownAgain,
  shownBy,
  unknownHash,
  withoutReplacedDelivery,
  withoutReplacedEnd,
  withReplacedPayment,
} from './replaced-steps.ts'
import { asLost, effects, type Moment, type Result, revertLost } from './transition.ts'
import { withPayment } from './with-payment.ts'

type MirroredPlace = Pick<Job, 'id' | 'chain'> & { onChainJobId: string } & JobContract

/** A job that somebody made on the contract itself. */
export function mirroredJob(place: MirroredPlace, seen: Observed, moment: Moment): Result {
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
export function mirror(job: Job, seen: Observed, moment: Moment): Result | undefined {
  const { state: before, events } = withoutReplacedDelivery(withoutReplacedEnd(shownAgain(job, seen, moment.now), seen, moment.now), seen, moment.now)
  let state = withTerms(withReplacedPayment(before, seen, moment.now), seen)
  for (const step of [...missing(state, seen), ...disputedAgain(job, before, seen)]) {
    const made = effects[step](prepared(state, step, seen, moment), moment)
    state = made.state
    events.push(...made.events)
  }
  return events.length === 0 && state === job ? undefined : { state, events }
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

const reaches: Readonly<Record<Step, number>> = { create: 0, fund: 1, assign: 2, submit: 3, dispute: 4, settle: 5 }

/** Steps from where the job is to the one observed; those between, whose events are still to come, are certain by then. */
function missing({ status }: Job, { step, contract }: Observed): Step[] {
  const at = rank[status]
  if (reaches[step] <= at) return []
  // a refund says nothing about what came before it
  const isRefund = step === 'settle' && contract.status !== 'Completed'
  const between = (['fund', 'assign', 'submit'] as const).filter(one => reaches[one] > at && reaches[one] < reaches[step])
  return isRefund ? [step] : [...between, step]
}

/** The record as its step finds it: what the transaction of somebody else says. */
function prepared(job: Job, step: Step, seen: Observed, { now }: Moment): Job {
  const { contract, payer, posterId, assigneeId, txHash } = seen
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
  if (step === 'submit') return { ...state, delivery: deliveryOf(job, seen, now) }
  if (step === 'dispute') return { ...state, dispute: job.dispute ?? { by: null, reason: 'Disputed on the contract', at: now } }
  if (step === 'settle') return { ...state, settlement: settlementOf(job, seen, now) }
  return state
}

/** What was requested here where the contract has that, also after its command has failed, else what the provider delivered there by itself. */
function deliveryOf({ delivery, on }: Job, { deliverableHash: hash, submissionId }: Observed, at: Date): Delivery {
  const requested = [delivery, on.submit?.requested?.delivery].find(one => one && (hash === null || one.hash === hash))
  return requested ?? { url: null, note: null, hash: hash ?? unknownHash, submissionId, at }
}

/** Our own decision where the contract shows it, else what somebody else did there. */
function settlementOf(job: Job, { contract: { status }, isWithdrawal }: Observed, at: Date): Settlement {
  const own = job.settlement
  const isWhatEnded = own && own.settledAt === null && shownBy[own.outcome] === status && (own.outcome === 'withdraw') === isWithdrawal
  if (isWhatEnded && (isWithdrawal || jobStates.next(job.status, own.trigger) !== undefined)) return { ...own, from: job.status }
  const base = { by: 'party' as const, reason: '', from: job.status, at, settledAt: null, isReported: own?.isReported ?? false }
  if (status === 'Completed') return { ...base, outcome: 'complete', trigger: 'settle' }
  if (status === 'Expired') return { ...base, outcome: 'claim', trigger: 'claim' }
  const isOpen = job.status === 'open' || job.status === 'funded'
  return isOpen || isWithdrawal ? { ...base, outcome: 'withdraw', trigger: 'withdraw' } : { ...base, outcome: 'reject', trigger: 'reject' }
}

/**
 * The block of somebody else's transaction is dropped, and the contract shows less than the job: goes back over what is lost.
 * @param contract null: it has no such job any more
 */
export function regress(job: Job, txHash: string, contract: ContractJob | null, now: Date): Result | undefined {
  const isOf = (step: ChainStep | undefined) => step?.isForeign && step.onChain.txHash === txHash
  const lost = (Object.keys(job.on) as Step[]).filter(step => isOf(job.on[step]) && !(contract && shows(contract, step)))
  if (lost.length === 0) return undefined
  return revertLost({ ...job, on: { ...job.on, ...asLost(job, lost, 'The block of its transaction is gone') } }, now)
}

/** Whether the contract shows a step that the record has still to make. */
export const isBeyond = (contract: ContractJob, { status }: Pick<Job, 'status'>): boolean =>
  (Object.keys(reaches) as Step[]).some(step => reaches[step] > rank[status] && shows(contract, step))

function shows({ status, deposit, isDisputed }: ContractJob, step: Step): boolean {
  if (step === 'create') return true
  if (step === 'fund') return deposit !== null || status !== 'Open'
  if (step === 'assign') return status !== 'Open'
  if (step === 'submit') return status === 'Submitted' || status === 'Completed'
  return step === 'dispute' ? isDisputed : status === 'Completed' || status === 'Rejected' || status === 'Expired'
}
