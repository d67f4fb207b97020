import { dayMs, hourMs } from '@carapace/api'
import { needOnChain, resendSettle, sendCreate, sendDispute, sendSettle } from './commands.ts'
import { type Job, pendingStep, settleAgainAt } from './job.ts'
import { effects, type Moment, type Result } from './transition.ts'

const submitGraceMs = hourMs
const disputeWindowMs = dayMs
const verdictWindowMs = 7 * dayMs
const defaultAfterMs = 14 * dayMs

export type TimedAction = 'create' | 'retry' | 'expire' | 'verdict' | 'stall' | 'default'

const after = (from: Date, ms: number): Date => new Date(from.getTime() + ms)

/** When time alone moves a job on, and how; undefined while it waits for the chain, and once it has ended. */
export function dueOf(job: Job): { at: Date; action: TimedAction } | undefined {
  const { on, status, submitDeadline } = job
  if (pendingStep(job) !== undefined) return undefined
  const isOver = status === 'settled' || status === 'rejected' || status === 'cancelled'
  if (isOver) return undefined
  const againAt = settleAgainAt(job)
  if (againAt) return { at: againAt, action: 'retry' }
  if (on.create?.retryAt)
    return on.create.retryAt < submitDeadline ? { at: on.create.retryAt, action: 'create' } : { at: submitDeadline, action: 'expire' }
  if (!job.counts) return undefined
  // on a job of the contract itself nothing but its own expiry ends an unfinished delivery
  if (job.mirrored && !['submitted', 'disputed'].includes(status)) return undefined
  if (status === 'open' || status === 'funded') return { at: submitDeadline, action: 'expire' }
  if (status === 'assigned') return { at: after(submitDeadline, submitGraceMs), action: 'expire' }
  if (status === 'disputed') return { at: after(job.dispute!.at, defaultAfterMs), action: 'default' }
  const { verdict, delivery } = job
  if (verdict && verdict.result !== 'expired') return { at: settleAt(verdict), action: 'verdict' }
  return { at: after(delivery!.at, verdictWindowMs), action: 'stall' }
}

/** A verdict waits 24 h for a dispute of either party; one that seems manipulated waits for nothing: it becomes a dispute. */
export function settleAt({ at, settleAfter, result, frozen, weak }: NonNullable<Job['verdict']>): Date {
  if (result === 'rejected' && (frozen || weak)) return at
  const regular = after(at, disputeWindowMs)
  return settleAfter && settleAfter > regular ? settleAfter : regular
}

/** What time alone does now; undefined when nothing is due. */
export function onTime(job: Job, moment: Moment): Result | undefined {
  const due = dueOf(job)
  if (!due || due.at > moment.now) return undefined
  return actions[due.action](job, moment)
}

const actions: Readonly<Record<TimedAction, (job: Job, moment: Moment) => Result>> = {
  create: sendCreate,
  retry: resendSettle,

  expire: (job, moment) => {
    const { now } = moment
    const reason = job.status === 'assigned' ? 'deadline_missed' : 'expired'
    const outcome = job.status === 'assigned' ? ('reject' as const) : ('withdraw' as const)
    const decision = { outcome, trigger: 'expire' as const, by: 'time' as const, reason, at: now }
    if (job.onChainJobId !== null) return sendSettle(job, decision)
    // it never came on chain, so there is nothing to end there
    return effects.settle({ ...job, settlement: { ...decision, from: job.status, settledAt: null, isReported: false } }, moment)
  },

  verdict: (job, { now }) => {
    const { result, frozen, weak } = job.verdict!
    const isApproved = result === 'approved'
    if (!isApproved && (frozen || weak)) return sendDispute(job, { by: null, reason: weak ? 'Weak rejection' : 'Frozen rejection', at: now }, null)
    const decision = isApproved
      ? ({ outcome: 'complete', trigger: 'settle', reason: 'APPROVED' } as const)
      : ({ outcome: 'reject', trigger: 'reject', reason: 'REJECTED' } as const)
    return sendSettle(job, { ...decision, by: 'swarm', at: now })
  },

  stall: (job, { now }) => {
    needOnChain(job)
    return sendDispute(job, { by: null, reason: 'No validator verdict', at: now }, null)
  },

  default: (job, { now }) => {
    const decision =
      job.verdict?.result === 'approved' ? ({ outcome: 'complete', trigger: 'settle' } as const) : ({ outcome: 'reject', trigger: 'reject' } as const)
    return sendSettle(job, { ...decision, by: 'time', reason: 'DEFAULT', at: now })
  },
}
