import { dayMs, limits } from '@carapace/api'
import type { By, Escrow, Reason, Settlement } from './escrow.ts'

const disputeTimeMs = 14 * dayMs
/** After it an appeal that was never closed counts as one without a panel. */
const appealGraceMs = dayMs
/** As the marketplace: so long after its deadline nothing can be delivered any more. */
const deadlineGraceMs = dayMs
/** As the contract: then anybody may have the money sent back. */
const contractTimeoutMs = 180 * dayMs

/** What the facts demand now. It depends on the facts and the time only, not on the order in which the facts became known. */
export type Judgement =
  | { kind: 'wait'; until: Date | null; action: string | null }
  | { kind: 'hold'; disputed: boolean; reason: Reason; by: By; note: string; until: Date; action: string }
  | { kind: 'settle'; outcome: 'release' | 'refund'; reason: Reason; by: By; failure: Settlement['failure'] }

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
const release = (reason: Reason, by: By): Judgement => ({ kind: 'settle', outcome: 'release', reason, by, failure: null })
const refund = (reason: Reason, by: By, failure: Settlement['failure'] = null): Judgement => ({
  kind: 'settle',
  outcome: 'refund',
  reason,
  by,
  failure,
})

/** The escrow is the only arbiter (behaviour 4, 5.3, 6.1): the first rule that speaks decides. */
export function judge(escrow: Escrow, now: Date): Judgement {
  const { cancelled, order, appeal, assignment } = escrow
  if (cancelled) {
    const isMissed = cancelled.reason === 'deadline_missed'
    return refund('cancelled', cancelled.reason === 'withdrawn' ? 'party' : 'time', isMissed ? 'deadline_missed' : null)
  }
  if (order) return order.release ? release(ordered(escrow), order.by) : refund(ordered(escrow), order.by, 'dispute_lost')
  if (appeal?.outcome === 'won' && assignment) return release('verdict', 'swarm')
  if (appeal?.outcome === 'lost' || appeal?.outcome === 'expired') return refund('verdict', 'swarm', escrow.verdict?.weak ? null : 'rejected')
  return disputed(escrow, now) ?? byVerdict(escrow, now) ?? untouched(escrow, now)
}

const ordered = ({ verdict }: Escrow): Reason => (verdict?.result === 'approved' ? 'verdict' : 'dispute')

/** A dispute waits 14 days for an admin or an appeal; then the last verdict decides, or the votes of a panel whose threshold was raised. Without either the money goes back. */
function disputed(escrow: Escrow, now: Date): Judgement | undefined {
  const { dispute, verdict, appeal, assignment } = escrow
  const causes: { from: Date; reason: Reason; by: By; note: string }[] = []
  if (dispute) causes.push({ from: dispute.at, reason: 'dispute', by: 'party', note: dispute.reason })
  if (verdict?.result === 'expired') causes.push({ from: verdict.at, reason: 'no_consensus', by: 'swarm', note: 'No validator consensus' })
  if (verdict?.result === 'rejected' && verdict.weak)
    causes.push({ from: verdict.at, reason: 'weak', by: 'swarm', note: verdict.note ?? 'Weak panel' })
  if (appeal?.oracleAssisted) causes.push({ from: appeal.filedAt, reason: 'dispute', by: 'party', note: 'Appeal without a panel' })
  if (appeal && !appeal.oracleAssisted && appeal.outcome === null && now >= after(appeal.expiresAt, appealGraceMs))
    causes.push({ from: after(appeal.expiresAt, appealGraceMs), reason: 'dispute', by: 'time', note: 'Appeal without an outcome' })
  const [cause] = causes
  if (!cause) return undefined
  const ends = causes.map(({ from }) => after(from, disputeTimeMs).getTime())
  if (appeal) ends.push(after(appeal.expiresAt, appealGraceMs).getTime())
  else if (verdict?.frozen && verdict.appealUntil) ends.push(verdict.appealUntil.getTime())
  const until = new Date(Math.max(...ends))
  const action = verdict?.result === 'approved' || verdict?.byVotes === 'release' ? 'release' : 'refund'
  if (now >= until) return action === 'release' && assignment ? release('default', 'time') : refund('default', 'time', failureAfter(escrow, now))
  return { kind: 'hold', disputed: true, reason: cause.reason, by: cause.by, note: cause.note, until, action }
}

/** In what the assignee has failed when a dispute ends by time: who disputes first escapes neither the panel's rejection nor the deadline. */
function failureAfter({ verdict, appeal, assignment, delivery }: Escrow, now: Date): Settlement['failure'] {
  if (verdict?.result === 'rejected' && !verdict.weak && !appeal) return 'rejected'
  const isMissed = !verdict && !delivery && assignment && now >= after(assignment.deadlineAt, deadlineGraceMs)
  return isMissed ? 'deadline_missed' : null
}

function byVerdict(escrow: Escrow, now: Date): Judgement | undefined {
  const { verdict, appeal, assignment, posterReleased } = escrow
  if (verdict?.result === 'approved') {
    if (!assignment) return undefined
    if (verdict.settleAfter && now < verdict.settleAfter && !posterReleased) return { kind: 'wait', until: verdict.settleAfter, action: 'release' }
    return release('verdict', 'swarm')
  }
  if (verdict?.result !== 'rejected') return undefined
  if (!verdict.frozen) return refund('verdict', 'swarm', 'rejected')
  const until = appeal ? after(appeal.expiresAt, appealGraceMs) : (verdict.appealUntil ?? after(verdict.at, limits.appealWindowMs))
  if (now >= until) return refund('frozen', 'time', 'rejected')
  return { kind: 'hold', disputed: false, reason: 'frozen', by: 'swarm', note: verdict.note ?? 'Frozen', until, action: appeal ? 'appeal' : 'refund' }
}

function untouched({ lock }: Escrow, now: Date): Judgement {
  if (!lock?.lockedAt) return { kind: 'wait', until: null, action: null }
  const until = after(lock.lockedAt, contractTimeoutMs)
  return now >= until ? refund('default', 'time') : { kind: 'wait', until, action: 'refund' }
}

/** The verdict that a decision follows; an appeal's outcome replaces the verdict it was against. */
export function effectiveVerdict({ verdict, appeal }: Escrow): {
  verdict: 'approved' | 'rejected' | 'expired' | null
  validationId: string | null
  weak: boolean
  approvalPct: number | null
  votes: number
} {
  if (appeal?.outcome)
    return {
      verdict: appeal.outcome === 'won' ? 'approved' : 'rejected',
      validationId: appeal.appealId,
      weak: appeal.weak,
      approvalPct: appeal.approvalPct,
      votes: appeal.votes,
    }
  return {
    verdict: verdict?.result ?? null,
    validationId: verdict?.validationId ?? null,
    weak: verdict?.weak ?? false,
    approvalPct: verdict?.approvalPct ?? null,
    votes: verdict?.votes ?? 0,
  }
}

/**
 * Whether the gig's bond lock is slashed: a plain rejection by the panel, also where a dispute before it has ended by time, or an appeal lost in earnest.
 * Never for an unfunded gig.
 */
export function isSlashed({ decision, verdict, appeal }: Escrow): boolean {
  if (decision?.outcome !== 'refund' || (decision.reason !== 'verdict' && decision.reason !== 'default')) return false
  const isPlain = verdict?.result === 'rejected' && !verdict.frozen && !verdict.weak
  if (decision.reason === 'default') return isPlain && !appeal
  return appeal?.outcome ? appeal.applySlash : isPlain
}
