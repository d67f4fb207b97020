import { type Chain, reservationCaptured, reservationMade, reservationVoided } from '@carapace/api'
import type { Decision } from '@carapace/store'

export type ReservationStatus = 'held' | 'captured' | 'voided'

/** Custodial money set aside for one round of one chain command. A payment's own has the payment's id. */
export interface Reservation {
  id: string
  owner: 'escrow' | 'commerce' | 'domains' | 'treasury'
  /** Operation key and round of the command whose terminal outcome ends it. */
  key: string
  round: number
  agentId: string
  /** The custodial address. */
  address: string
  /** µ */
  amount: bigint
  chain: Chain
  purpose: string
  /** UTC day of acceptance: where the limit is given back. */
  day: string
  /** The account that a capture pays into. */
  contra: string
  status: ReservationStatus
  /** Number of the last outcome that was followed; outcomes of a round that are older are late. */
  seq: number
  txHash: string | null
}

/** What the relayer says about a round of a command. */
export type Outcome = { key: string; round: number; seq: number } & (
  | {
      is: 'confirmed'
      txHash: string
      /** Amounts that left custodial addresses in it. */
      spent: readonly { from: string; amount: bigint }[]
    }
  | { is: 'failed'; code: string; txHash?: string }
)

/** Money follows a step: hold keeps it apart, capture lets it go, void and undo give it back, late takes what was given back before. */
export const steps = {
  capture: { from: 'held', to: 'captured' },
  void: { from: 'held', to: 'voided' },
  /** A reorganisation took the block away and the command then failed for good. */
  undo: { from: 'captured', to: 'voided' },
  /** The same effect in another block, perhaps by another transaction. */
  remine: { from: 'captured', to: 'captured' },
  /** An operator had a failed command sent again as a further round: it spends without a reservation. */
  late: { from: 'voided', to: 'captured' },
} as const satisfies Record<string, { from: ReservationStatus; to: ReservationStatus }>
export type Step = keyof typeof steps

const facts = ({ id, owner, key, round, agentId, amount, chain }: Reservation) => ({
  reservationId: id,
  owner,
  key,
  round,
  agentId,
  amount,
  chain,
})

export const hold = (reservation: Reservation): Decision<Reservation> => ({
  state: reservation,
  events: [reservationMade.of(facts(reservation))],
})

/**
 * The step that an outcome means, or undefined when it says nothing new: repeated, older than one that was followed, about another round.
 * @throws Error when money moved although its round had failed for good: that cannot be, so a person must look
 */
export function stepFor(reservation: Reservation, outcome: Outcome): Step | undefined {
  const { status, round, seq } = reservation
  if (outcome.round < round) return undefined
  if (outcome.round > round) return isSpentBy(reservation, outcome) ? 'late' : undefined
  if (outcome.seq <= seq) return undefined
  if (outcome.is === 'failed') return status === 'held' ? 'void' : status === 'captured' ? 'undo' : undefined
  if (status === 'voided') throw new Error(`${outcome.key} is confirmed in round ${round} after it had failed for good`)
  return status === 'held' ? 'capture' : 'remine'
}

/** A later round took this wallet's money although nothing is reserved for it. */
function isSpentBy({ status, address, amount }: Reservation, outcome: Outcome): boolean {
  return status === 'voided' && outcome.is === 'confirmed' && outcome.spent.some(move => move.from === address && move.amount === amount)
}

export function take(
  reservation: Reservation,
  step: Step,
  { seq, round, txHash }: { seq: number; round: number; txHash?: string },
): Decision<Reservation> {
  const state: Reservation = { ...reservation, status: steps[step].to, seq, round, txHash: txHash ?? reservation.txHash }
  if (step === 'remine') return { state, events: [] }
  const event = state.status === 'captured' ? reservationCaptured.of({ ...facts(state), txHash: state.txHash! }) : reservationVoided.of(facts(state))
  return { state, events: [event] }
}
