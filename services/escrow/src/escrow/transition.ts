import { escrowDecided } from '@carapace/api'
import type { Decision } from '@carapace/store'
import type { By, Escrow, Lock, Reason } from './escrow.ts'
import { type EscrowTrigger, escrowStates } from './escrow-states.ts'
import { effectiveVerdict } from './judgement.ts'

/** Which outcome of a command it is: `seq` rises with everything that the relayer says about one operation key. */
export interface OutcomeId {
  round: number
  seq: number
}

type Change = Partial<Escrow>
export type Result = Decision<Escrow>

export const iso = (at: Date): string => at.toISOString()
export const facts = (e: Escrow) => ({
  escrowId: e.escrowId,
  gigId: e.id,
  gigTitle: e.gigTitle,
  posterId: e.posterId,
  assigneeId: e.assignment?.assigneeId ?? null,
  amount: e.amount,
  chain: e.chain,
})
export const fundedFrom = ({ kind, from }: Lock) => ({ kind, address: from })

/** @throws INVALID_STATE when the table has no such move */
export const move = (e: Escrow, trigger: EscrowTrigger, change: Change): Escrow => ({
  ...e,
  ...change,
  status: escrowStates.move(e.status, trigger),
})

export function decide(e: Escrow, outcome: NonNullable<Escrow['decision']>['outcome'], reason: Reason, by: By, now: Date): Result {
  const state: Escrow = { ...e, decision: { outcome, reason, by, at: now } }
  const { verdict, validationId } = effectiveVerdict(e)
  return {
    state,
    events: [
      escrowDecided.of({
        ...facts(e),
        amount: outcome === 'unfunded' ? 0n : e.amount,
        outcome,
        reason,
        by,
        verdict,
        validationId,
        disputed: state.disputedAt !== null,
        nextDeadlineAt: state.dueAt ? iso(state.dueAt) : null,
        decidedAt: iso(now),
      }),
    ],
  }
}
