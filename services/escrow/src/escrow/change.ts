import { escrowDecided } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type By, type Escrow, type Lock, next, type Reason, type Step } from './escrow.ts'
import { standing } from './judge.ts'

export const zeroAddress = `0x${'0'.repeat(40)}`
const commandTimeMs = 15 * 60_000

/** Reservations are never spent after it (wall clock, judged by the relayer). */
export const deadline = (): Date => new Date(Date.now() + commandTimeMs)

export interface OnChain {
  txHash: string
  blockNumber: number
}

/** Which outcome of a command it is: `seq` rises with everything that the relayer says about one operation key. */
export interface Told {
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
export const slot = (e: Escrow, lock: Lock) => ({ gigId: e.id, poster: lock.poster, chain: e.chain })
export const fundedFrom = ({ kind, from }: Lock) => ({ kind, address: from })

export function move(e: Escrow, step: Step, change: Change): Escrow {
  const to = next(e.status, step)
  if (to === undefined) throw new Error(`an escrow that is ${e.status} cannot ${step}`)
  return { ...e, ...change, status: to }
}

export function decide(e: Escrow, outcome: NonNullable<Escrow['decision']>['outcome'], reason: Reason, by: By, now: Date): Result {
  const state: Escrow = { ...e, decision: { outcome, reason, by, at: now } }
  const { verdict, validationId } = standing(e)
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
