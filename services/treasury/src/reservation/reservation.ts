import { type Chain, reservationCaptured, reservationMade, reservationVoided } from '@carapace/api'
import { followOutcome, type OnChain, observedOutcome, sentOnChain } from '@carapace/chain'
import { type Decision, stateMachine, transfer } from '@carapace/store'
import { account } from '../ledger/accounts.ts'
import type { Booked, Posting } from '../ledger/ledger.ts'

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
  /** Of its command. */
  onChain: Required<OnChain>
}

/** What the relayer publishes about a round of a command. */
export type Outcome = { key: string; round: number; seq: number } & (
  | { is: 'submitted'; txHash: string }
  | {
      is: 'confirmed'
      txHash: string
      blockNumber: number
      /** Amounts that left custodial addresses in it. */
      spent: readonly { from: string; amount: bigint }[]
      /** The effect is that of an earlier round, whose money may have come from elsewhere. */
      already?: boolean
    }
  | { is: 'failed'; code: string; message: string; txHash?: string | undefined }
)

/** A change of a reservation, with the outcome that caused it. */
export interface ReservationDecision extends Decision<Reservation> {
  outcome?: Outcome
}

type Trigger = 'capture' | 'void' | 'release'
const byOutcome = 'the outcome of its command, polled every 30 s to 5 min'

/** How a reservation moves (behaviour 8). What leaves an end is the chain's doing: a reorganisation, or a round that an operator sent. */
export const reservationStates = stateMachine<ReservationStatus, Trigger, { isSpent: boolean }>({
  name: 'reservation',
  initial: 'held',
  final: ['captured', 'voided'],
  transitions: {
    held: { capture: { to: 'captured', byTime: byOutcome }, void: { to: 'voided', byTime: byOutcome }, release: 'voided' },
    captured: { capture: 'captured', void: 'voided' },
    voided: { capture: { to: 'captured', guard: { when: 'a later round has spent its money', holds: ({ isSpent }) => isSpent } } },
  },
})

const facts = ({ id, owner, key, round, agentId, amount, chain }: Reservation) => ({
  reservationId: id,
  owner,
  key,
  round,
  agentId,
  amount,
  chain,
})

export function holdReservation(draft: Omit<Reservation, 'status' | 'onChain'>): ReservationDecision {
  const state: Reservation = { ...draft, status: 'held', onChain: { ...sentOnChain, round: draft.round } }
  return { state, events: [reservationMade.of(facts(state))] }
}

const statusOnChain = { held: 'pending', captured: 'confirmed', voided: 'failed' } as const

/** Before `onChain` was one field. */
type OldReservation = Partial<Pick<OnChain, 'seq' | 'txHash'>>

/** A stored reservation in the present form. */
export function upgradeReservation<R extends Reservation>(reservation: R): R {
  if (reservation.onChain?.round !== undefined && reservation.onChain.seq !== undefined) return reservation
  const { seq = 0, txHash = null, ...rest } = reservation as R & OldReservation
  const { status, round, onChain } = reservation
  const current: OnChain = onChain ?? { status: statusOnChain[status], txHash, blockNumber: null, error: null }
  return { ...(rest as unknown as R), onChain: { ...current, round: current.round ?? round, seq: current.seq ?? seq } }
}

/**
 * A later round, or one whose reservation was freed, spent this wallet's money: an operator had a failed command sent again, or a reorganisation
 * dropped the effect of another wallet for which the reservation was freed.
 */
const isSpentBy = ({ owner, round, status, address, amount }: Reservation, outcome: Outcome): boolean =>
  (status === 'voided' ? outcome.round >= round : status === 'held' && outcome.round > round) &&
  outcome.is === 'confirmed' &&
  (outcome.spent.some(move => move.from === address && move.amount === amount) ||
    (owner === 'treasury' && outcome.already === true && outcome.spent.length === 0))

/**
 * The effect was found on chain and nobody knows yet by which transaction: the money of another source may have paid. What is held stays held, and
 * the relayer is polled until the logs are known; what was given back stays so. The effect of a payment is that its own authorisation was used, so it needs none.
 */
export const isUnclear = ({ owner, status }: Reservation, outcome: Outcome): boolean =>
  owner !== 'treasury' && status !== 'captured' && outcome.is === 'confirmed' && outcome.already === true && outcome.spent.length === 0

/**
 * Follows an outcome; undefined when it says nothing new: repeated, older than one that was followed, about another round, or unclear.
 * @throws INVALID_STATE when money moved although its round had failed for good: that cannot be, so an operator must examine it
 */
export function settleReservation(reservation: Reservation, given: Outcome): ReservationDecision | undefined {
  if (isUnclear(reservation, given)) return undefined
  const outcome = isPaidByOthers(reservation, given) ? freedBy(reservation, given) : given
  const isSpent = isSpentBy(reservation, outcome)
  if (outcome.round > reservation.round && !isSpent) return undefined
  const onChain = followOutcome(reservation.onChain, observedOutcome(outcome))
  if (!onChain) return undefined
  const { status } = reservation
  if (outcome.is === 'submitted') return status === 'held' ? { state: { ...reservation, onChain }, events: [], outcome } : undefined
  if (outcome.is === 'failed' && status === 'voided') return undefined
  const next = reservationStates.move(status, outcome.is === 'confirmed' ? 'capture' : 'void', { isSpent })
  const state: Reservation = { ...reservation, status: next, round: onChain.round, onChain }
  return { state, events: next === status ? [] : [announced(state)], outcome }
}

/**
 * The command ended, and not with this wallet's money: an earlier round had another source, or a later round ended. A later round exists only once
 * this one has failed, so its end frees what is held here, also where that failure was never received.
 */
function isPaidByOthers({ address, round, status }: Reservation, outcome: Outcome): boolean {
  const isLater = status === 'held' && outcome.round > round
  if (outcome.is !== 'confirmed') return outcome.is === 'failed' && isLater
  return (isLater || outcome.already === true) && outcome.spent.length > 0 && outcome.spent.every(move => move.from !== address)
}

/** The outcome as a failure: of the reservation's own round where it still holds money. */
export const freedBy = ({ round, status }: Reservation, { key, round: ended, seq }: Outcome): Outcome => ({
  is: 'failed',
  key,
  round: status === 'held' ? Math.min(round, ended) : ended,
  seq,
  code: 'PAID_OTHERWISE',
  message: 'Another source has paid',
})

/** Gives back what was held for a command that is never sent. @throws INVALID_STATE */
export function releaseReservation(reservation: Reservation): ReservationDecision {
  const state = { ...reservation, status: reservationStates.move(reservation.status, 'release') }
  return { state, events: [announced(state)] }
}

/** What an owner reserved and sends no command for; undefined when it ended meanwhile. */
export function abandonReservation(reservation: Reservation): ReservationDecision | undefined {
  const { status, key, round, onChain } = reservation
  if (status !== 'held') return undefined
  const outcome: Outcome = { is: 'failed', key, round, seq: onChain.seq, code: 'NEVER_SENT', message: 'Its command was never sent' }
  return { ...releaseReservation(reservation), outcome }
}

const announced = (state: Reservation) =>
  state.status === 'captured' ? reservationCaptured.of({ ...facts(state), txHash: state.onChain.txHash! }) : reservationVoided.of(facts(state))

/** What a change of a reservation means for the ledger: a pure function of the two states, so no move can forget it. */
export function postings(before: Reservation | undefined, after: Reservation): Posting[] {
  const move = moveOf(before, after)
  if (move === undefined) return []
  const { id, chain } = after
  return [{ key: keyOf(move, after), chain, ref: { type: 'reservation', id }, txHash: after.onChain.txHash, ...booked[move](after) }]
}

type Move = 'hold' | 'capture' | 'void' | 'reverse' | 'late'

/** What is held ends once; after that the chain may reverse and repeat one round several times. */
function keyOf(move: Move, after: Reservation): string {
  const { id, round } = after
  if (move === 'hold') return `hold:${id}`
  return move === 'capture' || move === 'void' ? `${move}:${id}:${round}` : `${move}:${id}:${round}:${after.onChain.seq}`
}

/** Which movement of money a change is; undefined = none, such as the same effect in another block. */
export function moveOf(before: Reservation | undefined, { status }: Reservation): Move | undefined {
  if (!before) return 'hold'
  if (before.status === status) return undefined
  if (before.status === 'held') return status === 'captured' ? 'capture' : 'void'
  return status === 'captured' ? 'late' : 'reverse'
}

const booked: Record<Move, (of: Reservation) => Booked> = {
  hold: ({ agentId, amount }) => ({ hold: { agentId, contra: account.reserved(agentId), amount } }),
  capture: ({ agentId, contra, amount }) => ({ lines: transfer(account.reserved(agentId), contra, amount) }),
  void: ({ agentId, amount }) => ({ credit: { agentId, contra: account.reserved(agentId), amount } }),
  reverse: ({ agentId, contra, amount }) => ({ credit: { agentId, contra, amount } }),
  late: ({ agentId, contra, amount }) => ({ debit: { agentId, contra, amount } }),
}
