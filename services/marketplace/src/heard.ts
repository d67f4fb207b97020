import { gigCompleted, gigDisputed } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type CloseReason, canDo, close, facts, type Gig, move, who } from './gig.ts'

export interface EscrowDecision {
  outcome: 'release' | 'refund' | 'hold' | 'unfunded'
  reason: string
  verdict: 'approved' | 'rejected' | 'expired' | null
}

/** Follows the escrow's decision. A decision that says what is so already, or comes after the end, changes nothing. */
export function follow(gig: Gig, { outcome, reason, verdict }: EscrowDecision, now: Date): Decision<Gig> | undefined {
  if (outcome === 'hold') {
    if (!canDo(gig, 'hold')) return undefined
    return move(gig, 'hold', { dueAt: null }, moved => [gigDisputed.of({ ...facts(moved), ...who(moved), reason, disputedAt: now.toISOString() })])
  }
  if (outcome === 'release' || (outcome === 'unfunded' && verdict === 'approved')) {
    if (!canDo(gig, 'complete')) return undefined
    const funded = outcome === 'release'
    return move(gig, 'complete', { closeReason: 'approved', funded, completedAt: now, dueAt: null }, moved => [
      gigCompleted.of({ ...facts(moved), ...who(moved), skillsRequired: moved.skillsRequired, funded, reason, completedAt: now.toISOString() }),
    ])
  }
  if (!canDo(gig, 'cancel')) return undefined
  return close(gig, 'cancel', closeReasonOf(reason, verdict), now)
}

function closeReasonOf(reason: string, verdict: EscrowDecision['verdict']): Exclude<CloseReason, 'approved'> {
  if (verdict === 'expired' || reason === 'no_consensus') return 'expired'
  return verdict === 'rejected' ? 'rejected' : 'refunded'
}

export interface Panel {
  validationId: string
  panel: string[]
  round: number
  appealOf: string | null
}

/** Links the latest validation; its panel may see the deliverable. What is older than that changes nothing. */
export function linkValidation(gig: Gig, { validationId, panel, round, appealOf }: Panel, version: number): Decision<Gig> | undefined {
  const stage = appealOf === null ? round : 3
  const known = gig.panelAsOf
  if (known && (stage < known.stage || (stage === known.stage && version <= known.version))) return undefined
  return { state: { ...gig, validationId, panelIds: panel, panelAsOf: { stage, version } }, events: [] }
}

/**
 * Shows what the chain did to the money, `none` when a lock failed or was reversed; the gig's own status follows the decision, not the chain.
 * One version of the escrow can be both locked and disputed: it is disputed then.
 */
export function showEscrow(gig: Gig, escrowStatus: Gig['escrowStatus'], version: number): Decision<Gig> | undefined {
  const isNews = version > gig.escrowAsOf || (version === gig.escrowAsOf && escrowStatus === 'disputed' && gig.escrowStatus === 'locked')
  return isNews ? { state: { ...gig, escrowStatus, escrowAsOf: version }, events: [] } : undefined
}
