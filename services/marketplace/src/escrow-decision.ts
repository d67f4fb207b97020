import { gigCompleted, gigDisputed } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { assigneeFacts, type CloseReason, close, facts, type Gig, move } from './gig.ts'
import { type GigTrigger, gigStates } from './gig-states.ts'

export interface EscrowDecision {
  outcome: 'release' | 'refund' | 'hold' | 'unfunded'
  reason: string
  verdict: 'approved' | 'rejected' | 'expired' | null
}

/**
 * Moves the gig as the escrow decided. A repeated decision, or one after the end, changes nothing: the order in which they are received makes no
 * difference, since only a hold is followed by another decision.
 */
export function followEscrowDecision(gig: Gig, { outcome, reason, verdict }: EscrowDecision, now: Date): Decision<Gig> | undefined {
  const canMove = (trigger: GigTrigger) => gigStates.next(gig.status, trigger) !== undefined
  if (outcome === 'hold') {
    if (!canMove('hold')) return undefined
    return move(gig, 'hold', { dueAt: null }, moved => [
      gigDisputed.of({ ...facts(moved), ...assigneeFacts(moved), reason, disputedAt: now.toISOString() }),
    ])
  }
  if (outcome === 'release' || (outcome === 'unfunded' && verdict === 'approved')) {
    if (!canMove('complete')) return undefined
    const funded = outcome === 'release'
    return move(gig, 'complete', { closeReason: 'approved', funded, completedAt: now, dueAt: null }, moved => [
      gigCompleted.of({
        ...facts(moved),
        ...assigneeFacts(moved),
        skillsRequired: moved.skillsRequired,
        funded,
        reason,
        completedAt: now.toISOString(),
      }),
    ])
  }
  if (!canMove('cancel')) return undefined
  return close(gig, 'cancel', closeReasonOf(reason, verdict), now)
}

function closeReasonOf(reason: string, verdict: EscrowDecision['verdict']): Exclude<CloseReason, 'approved'> {
  if (verdict === 'expired' || reason === 'no_consensus') return 'expired'
  return verdict === 'rejected' ? 'rejected' : 'refunded'
}

/**
 * Stores what the chain did to the money, `none` when a lock failed or was reversed; the gig's own status follows the decision, not the chain.
 * One version of the escrow can be both locked and disputed: it is disputed then.
 */
export function projectEscrowStatus(gig: Gig, escrowStatus: Gig['escrowStatus'], version: number): Decision<Gig> | undefined {
  const isNews = version > gig.escrowAsOf || (version === gig.escrowAsOf && escrowStatus === 'disputed' && gig.escrowStatus === 'locked')
  return isNews ? { state: { ...gig, escrowStatus, escrowAsOf: version }, events: [] } : undefined
}
