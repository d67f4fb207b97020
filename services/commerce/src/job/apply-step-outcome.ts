import { type CommandOutcome, failureText, type OnChain, retryAfter, trackOutcome } from '@carapace/chain'
import type { ChainStep, Job, Step } from './job.ts'
import { jobStates } from './job-states.ts'
import { corrects, effects, type Moment, type Result, revertLost } from './transition.ts'
import { type Payment, withPayment } from './with-payment.ts'

/** An outcome of a job's command, as far as the job stores it. */
export interface StepOutcome extends CommandOutcome {
  txHash?: string | undefined
  blockNumber?: number | undefined
  /** Of a failure. */
  code?: string
  message?: string
  /** Of a confirmed creation. */
  onChainJobId?: string
  /** Our transaction found the effect there already. */
  already?: boolean
  /** Of a confirmed submission whose logs are known: what was delivered. */
  deliverableHash?: string
  /** Of a confirmed funding that may not be the one that is booked: what the contract has. */
  payment?: Payment
}

/** Steps that are due from the platform: a failure only postpones them. */
const mustSucceed: ReadonlySet<Step> = new Set(['create', 'settle'])

/**
 * What an outcome of a step's command means for its job; undefined when it says nothing new. Not by `followOutcome`: the transaction of an effect that
 * was reported stays known until another one has it.
 */
export function applyStepOutcome(job: Job, step: Step, outcome: StepOutcome, moment: Moment): Result | undefined {
  const current = job.on[step]
  if (!current) return undefined
  const before = current.onChain
  const tracked = trackOutcome(before, outcome)
  if (tracked === 'stale') return undefined
  const news = { seq: outcome.seq, round: Math.max(before.round, outcome.round) }
  const with_: With = (onChain, change = {}) => ({
    ...job,
    on: { ...job.on, [step]: { ...current, ...change, onChain: { ...before, ...news, ...onChain } } },
  })
  const hasEffect = (tracked === 'confirmed' || tracked === 'reincluded' || tracked === 'finalized') && !outcome.already
  if (current.isForeign && !hasEffect) return { state: with_({}), events: [] }
  // an effect that is reported names its transaction until another one has it
  if (tracked === 'submitted')
    return { state: with_({ status: 'pending', txHash: current.applied ? before.txHash : (outcome.txHash ?? null) }), events: [] }
  if (tracked === 'reorged') return { state: with_({ status: 'pending' }), events: [] }
  if (tracked === 'failed') return failed(with_, job, step, outcome, moment)
  const confirmed = { status: 'confirmed', error: null, ...placeOf(before, outcome) } as const
  const state = requestedAgain(with_(confirmed, { isForeign: false, retryAt: null }), step, outcome)
  if (!current.applied && (!leadsOn(state, step) || isUnnamed(state, step, outcome))) return { state, events: [] }
  return current.applied ? reincluded(job, state, step, outcome, moment) : applied(state, step, outcome, moment)
}

/** The effect is in a block again: a creation may have another number there, and a payment that was reported another transaction. */
function reincluded(before: Job, job: Job, step: Step, outcome: StepOutcome, { now }: Moment): Result {
  if (step === 'create') return { state: numbered(job, outcome), events: [] }
  const isPayment = step === 'settle' && job.status === 'settled' && job.counts
  const isElsewhere = before.on[step]!.onChain.txHash !== job.on[step]!.onChain.txHash
  return { state: job, events: isPayment && isElsewhere ? [corrects(job, now, false)] : [] }
}

function numbered(job: Job, { onChainJobId }: StepOutcome): Job {
  if (onChainJobId === undefined || onChainJobId === job.onChainJobId) return job
  return { ...job, onChainJobId }
}

/** A transaction that found the effect there did not have it: the one that is known stays. */
const placeOf = (current: OnChain, { txHash, blockNumber, already = false }: StepOutcome) =>
  already && current.txHash !== null ? {} : { txHash: txHash ?? current.txHash, blockNumber: blockNumber ?? current.blockNumber }

function applied(job: Job, step: Step, outcome: StepOutcome, moment: Moment): Result {
  const marked: Job = { ...job, on: { ...job.on, [step]: { ...job.on[step]!, applied: true, appliedAt: moment.now } } }
  if (step !== 'create') return effects[step](marked, moment)
  return { state: numbered(marked, outcome), events: [] }
}

/** A step that failed had its effect after all: what it requested is back, unless the same was requested again since. */
function requestedAgain(job: Job, step: Step, { payment, txHash = '' }: StepOutcome): Job {
  const hasEnded = Boolean(job.settlement?.settledAt)
  if (step === 'fund' && payment && !hasEnded) return withPayment(job, payment, txHash)
  const { requested } = job.on[step]!
  if (!requested) return job
  const { funding, acceptance, delivery, dispute } = requested
  if (step === 'fund' && !job.funding && funding) return { ...job, funding, fundingRounds: job.fundingRounds + 1, fundingFailure: null }
  if (step === 'assign') return { ...job, acceptance: job.acceptance ?? acceptance ?? null }
  if (step === 'submit') return { ...job, delivery: job.delivery ?? delivery ?? null }
  return step === 'dispute' ? { ...job, dispute: job.dispute ?? dispute ?? null } : job
}

/** The job may have ended meanwhile: then the contract refuses what follows, and its end counts. */
const leadsOn = (job: Job, step: Step): boolean => step === 'create' || step === 'settle' || jobStates.next(job.status, step) !== undefined

/**
 * The contract had a delivery already, and does not show which: the provider may have made another one there by itself. Its final log, which has the hash,
 * is followed then.
 */
const isUnnamed = (job: Job, step: Step, { already, deliverableHash }: StepOutcome): boolean =>
  step === 'submit' && already === true && deliverableHash !== job.delivery?.hash

type With = (onChain: Partial<OnChain>, change?: Partial<ChainStep>) => Job
function failed(with_: With, job: Job, step: Step, outcome: StepOutcome, moment: Moment): Result {
  const { code = 'REVERTED', message = '' } = outcome
  const retryAt = mustSucceed.has(step) ? retryAfter(outcome.round, moment.now) : null
  const { funding, acceptance, delivery, dispute } = job
  const requested = {
    ...job.on[step]!.requested,
    ...present({ fund: { funding }, assign: { acceptance }, submit: { delivery }, dispute: { dispute } }, step),
  }
  const state = with_({ status: 'failed', error: failureText({ code, message }) }, { retryAt, requested })
  if (job.on[step]!.applied) return revertLost(state, moment.now)
  return { state: { ...state, ...withdrawn(job, step, { code, message }) }, events: [] }
}

type Requested = NonNullable<ChainStep['requested']>
/** What the job has of the step now; nothing once it was withdrawn. */
const present = (of: Partial<Record<Step, Requested>>, step: Step): Requested =>
  Object.fromEntries(Object.entries(of[step] ?? {}).filter(([, value]) => value !== null))

/** What was requested and will not be. */
function withdrawn(job: Job, step: Step, { code, message }: { code: string; message: string }): Partial<Job> {
  if (step === 'fund') return { funding: null, fundingFailure: { operationId: job.funding?.operationId ?? '', code, message } }
  if (step === 'assign') return { acceptance: null }
  if (step === 'submit') return { delivery: null }
  if (step === 'dispute') return { dispute: null }
  return {}
}
