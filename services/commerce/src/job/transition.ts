import {
  type Draft,
  feeOf,
  type JobStatus,
  jobAssigned,
  jobCancelled,
  jobCorrected,
  jobDisputed,
  jobFunded,
  jobRejected,
  jobSettled,
  jobSubmitted,
  type PayloadOf,
} from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type ChainStep, type Job, platformFeeBp, type Step } from './job.ts'
import { type JobTrigger, jobStates } from './job-states.ts'

export type Result = Decision<Job>

/** What a transition needs besides the record: the time, and what other records say of the parties. */
export interface Moment {
  now: Date
  posterScore: number
  assigneeScore: number
  applicantIds: string[]
}

const iso = (at: Date): string => at.toISOString()

/** What every event of a job carries; `txHash` is that of the step which the event reports. */
export const facts = (job: Job, at: Date, txHash: string | null) => ({
  jobId: job.id,
  onChainJobId: job.onChainJobId,
  title: job.title,
  posterId: job.posterId!,
  assigneeId: job.assigneeId,
  budget: job.budget,
  chain: job.chain,
  status: job.status,
  txHash,
  at: iso(at),
})
const assigned = (job: Job, at: Date, txHash: string | null) => ({ ...facts(job, at, txHash), assigneeId: job.assigneeId! })

export const fee = (job: Pick<Job, 'budget'>): bigint => feeOf(job.budget, platformFeeBp)

const moved = (job: Job, trigger: JobTrigger, change: Partial<Job> = {}): Job => ({ ...job, ...change, status: jobStates.move(job.status, trigger) })

/** Nobody is notified of jobs that count for nothing: they are shown, no more. */
const published = (state: Job, make: () => Draft | Draft[]): Result => ({ state, events: state.counts ? [make()].flat() : [] })

const txOf = (job: Job, step: Step): string | null => job.on[step]?.onChain.txHash ?? null

/** What each step means for the job once it is in a block. */
export const effects: Readonly<Record<Step, (job: Job, moment: Moment) => Result>> = {
  create: job => ({ state: job, events: [] }),

  fund: (job, { now }) => {
    const funding = { ...job.funding!, stage: 'held' as const }
    const state = moved(job, 'fund', { funding })
    const { kind, from: address } = funding
    return published(state, () => jobFunded.of({ ...facts(state, now, txOf(job, 'fund')), fundedFrom: { kind, address } }))
  },

  assign: (job, { now }) => {
    const { agentId, wallet } = job.acceptance!
    const state = moved(job, 'assign', { assigneeId: agentId, assigneeWallet: wallet })
    return published(state, () => jobAssigned.of(assigned(state, now, txOf(job, 'assign'))))
  },

  submit: (job, { now, applicantIds }) => {
    const delivery = job.delivery!
    const state = moved(job, 'submit')
    const { requiredSkills } = state
    const { submissionId, url, hash } = delivery
    const delivered = { submissionId, requiredSkills, applicantIds, deliverableUrl: url ?? '', deliverableHash: hash }
    return published(state, () => jobSubmitted.of({ ...assigned(state, now, txOf(job, 'submit')), ...delivered }))
  },

  dispute: (job, { now }) => {
    const state = moved(job, 'dispute', { dispute: { ...job.dispute!, at: now } })
    const { by, reason } = job.dispute!
    return published(state, () => jobDisputed.of({ ...assigned(state, now, txOf(job, 'dispute')), reason, disputedBy: by }))
  },

  settle: (job, moment) => {
    const decided = job.settlement!
    const isPayment = decided.outcome === 'complete'
    const { state: before, events } = decided.outcome === 'withdraw' ? withoutAssignment(job, moment.now) : { state: job, events: [] }
    const settlement = { ...decided, from: before.status, settledAt: moment.now, isReported: decided.isReported || isPayment }
    const closeReason = closeReasons[settlement.trigger](settlement.reason)
    const state = moved(before, settlement.trigger, { settlement, closeReason, ends: (job.ends ?? 0) + 1 })
    const corrected = decided.isReported ? [corrects(state, moment.now, !isPayment)] : []
    const ended = published(state, () => (decided.isReported && isPayment ? corrected : [...corrected, ending(state, moment)]))
    return { state, events: [...events, ...ended.events] }
  },
}

const closeReasons: Readonly<Record<NonNullable<Job['settlement']>['trigger'], (reason: string) => string | null>> = {
  settle: () => null,
  reject: () => 'rejected',
  withdraw: () => 'withdrawn',
  expire: reason => reason,
  claim: () => 'expired',
}

function ending(job: Job, { now, posterScore, assigneeScore }: Moment): Draft {
  const { outcome, by, from } = job.settlement!
  const txHash = txOf(job, 'settle')
  const validationId = job.verdict?.validationId ?? null
  const weak = by === 'swarm' && job.verdict?.weak === true
  const decision = { by: by === 'party' ? ('oracle' as const) : by, validationId, weak, creditable: by !== 'time' && by !== 'party' && !weak }
  const afterDispute = from === 'disputed'
  if (outcome === 'complete') {
    const paid = fee(job)
    const settled = { fee: paid, net: job.budget - paid, requiredSkills: job.requiredSkills, posterScore, assigneeScore }
    return jobSettled.of({ ...assigned(job, now, txHash), ...decision, ...settled, afterDispute })
  }
  if (job.status === 'rejected') return jobRejected.of({ ...assigned(job, now, txHash), ...decision, afterDispute })
  const reason = job.closeReason === 'withdrawn' || job.closeReason === 'deadline_missed' ? job.closeReason : 'expired'
  return jobCancelled.of({ ...facts(job, now, txHash), reason, refunded: job.funding?.stage === 'held' })
}

/** What became of a step that was reported. */
export function corrects(job: Job, now: Date, unpaid: boolean, reversed: Reversed = { lost: null, formerAssigneeId: null }): Draft {
  const isPaid = job.status === 'settled'
  const paid = isPaid ? { fee: fee(job), net: job.budget - fee(job) } : { fee: 0n, net: 0n }
  const validationId = isPaid ? (job.verdict?.validationId ?? null) : null
  return jobCorrected.of({ ...facts(job, now, isPaid ? txOf(job, 'settle') : null), unpaid, ...paid, ...reversed, validationId })
}

type Reversed = Pick<PayloadOf<typeof jobCorrected>, 'lost' | 'formerAssigneeId'>

const stepInto: Readonly<Partial<Record<JobStatus, Exclude<Step, 'create'>>>> = {
  funded: 'fund',
  assigned: 'assign',
  submitted: 'submit',
  disputed: 'dispute',
  settled: 'settle',
  rejected: 'settle',
  cancelled: 'settle',
}
const backTo: Readonly<Partial<Record<JobStatus, JobTrigger>>> = {
  open: 'backToOpen',
  funded: 'backToFunded',
  assigned: 'backToAssigned',
  submitted: 'backToSubmitted',
  disputed: 'backToDisputed',
}
const before: Readonly<Partial<Record<JobStatus, JobStatus>>> = { funded: 'open', assigned: 'funded', submitted: 'assigned', disputed: 'submitted' }

/** Goes back over every step whose effect is lost for good, the last one first. */
export function revertLost(job: Job, now: Date): Result {
  let state = job
  const events: Draft[] = []
  for (;;) {
    const step = stepInto[state.status]
    const lost = step && state.on[step]
    if (!step || !lost?.applied || lost.onChain.status !== 'failed') break
    const from = step === 'settle' ? state.settlement!.from : before[state.status]!
    const wasPaid = state.status === 'settled'
    const failed: ChainStep = { ...lost, applied: false }
    const reversed: Reversed = { lost: step, formerAssigneeId: step === 'assign' ? state.assigneeId : null }
    state = moved(state, backTo[from]!, { on: { ...state.on, [step]: failed }, ...withoutStep(state, step) })
    if (state.counts) events.push(corrects(state, now, wasPaid, reversed))
  }
  return { state, events }
}

/**
 * The contract lets the client withdraw only what nobody is assigned to: an assignment that the record has, a reorganisation has removed, with all that
 * followed it.
 */
function withoutAssignment(job: Job, now: Date): Result {
  if (!afterAssignment.has(job.status)) return { state: job, events: [] }
  return revertLost(
    { ...job, on: { ...job.on, ...asLost(job, ['assign', 'submit', 'dispute'], 'The contract shows that nobody was assigned') } },
    now,
  )
}
const afterAssignment: ReadonlySet<JobStatus> = new Set(['assigned', 'submitted', 'disputed'])

/** The steps of these that the job has made, as lost for good. */
export const asLost = (job: Job, steps: readonly Step[], error: string): Job['on'] =>
  Object.fromEntries(
    steps.flatMap(step => {
      const made = job.on[step]
      return made ? [[step, { ...made, isForeign: false, retryAt: null, onChain: { ...made.onChain, status: 'failed', error } }]] : []
    }),
  )

function withoutStep(job: Job, step: Step): Partial<Job> {
  if (step === 'fund') return { funding: null }
  if (step === 'assign') return { assigneeId: null, assigneeWallet: null, acceptance: null }
  if (step === 'submit') return { delivery: null, validationId: null, verdict: null }
  if (step === 'dispute') return { dispute: null }
  return { closeReason: null, settlement: { ...job.settlement!, settledAt: null } }
}
