import { x402Returned } from '@carapace/api'
import { commands, followOutcome, type ObservedOutcome, sentOnChain, trackOutcome } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type Fund, transferDropped, type X402Payment } from './payment.ts'
import { x402PaymentStates } from './payment-states.ts'

/** A reorganisation may still include a command whose failure was reported: what it would spend is not sent back before. */
export const failureMs = 2 * 60_000
/** Minutes until a return that failed is sent again. */
const retryMinutes = [1, 2, 5, 10, 15]

/** A payment of the intake. */
export type IntakePayment = X402Payment & { fund: Fund }

export const isIntake = (payment: X402Payment): payment is IntakePayment => payment.fund !== undefined

/** Whether a payment may be set aside for a round of a command; `held`: it is already. */
export function mayHold({ state, fund }: X402Payment, { key, round }: { key: string; round: number }): 'held' | 'free' | 'refused' {
  if (fund?.hold?.key === key && fund.hold.onChain.round === round && (state === 'held' || state === 'spent')) return 'held'
  return state === 'settled' && fund && fund.refusal === undefined ? 'free' : 'refused'
}

/** Sets it aside: from here on only the outcome of that command moves it. */
export function hold(payment: X402Payment, { key, round }: { key: string; round: number }): Decision<X402Payment> | undefined {
  if (!isIntake(payment) || mayHold(payment, { key, round }) !== 'free') return undefined
  const fund: Fund = { ...payment.fund, hold: { key, onChain: { ...sentOnChain, round } }, returnAt: null }
  return { state: { ...payment, state: x402PaymentStates.move(payment.state, 'hold'), fund }, events: [] }
}

/** What the relayer publishes about the command that it is set aside for. `isPaid`: the money of the intake was moved by it. */
export interface UseOutcome {
  is: 'confirmed' | 'failed'
  round: number
  seq: number
  isPaid: boolean
}

export function followUse(payment: X402Payment, outcome: UseOutcome, now: Date): Decision<X402Payment> | undefined {
  if (!isIntake(payment) || !payment.fund.hold) return undefined
  const { state, fund } = payment
  const known = payment.fund.hold
  if (trackOutcome(known.onChain, outcome) === 'stale') return undefined
  const isSpent = outcome.is === 'confirmed' && outcome.isPaid
  const followed = { round: Math.max(known.onChain.round, outcome.round), seq: outcome.seq, status: isSpent ? 'confirmed' : 'failed' } as const
  const next: Fund['hold'] = { ...known, onChain: { ...known.onChain, ...followed } }
  if (state === 'returning' || state === 'returned' || (state === 'failed' && fund.giveBack)) {
    const { isOverdrawn: _, ...rest } = fund
    const overdrawn = isSpent ? { isOverdrawn: true as const } : {}
    return { state: { ...payment, fund: { ...rest, hold: next, ...overdrawn } }, events: [] }
  }
  if (isSpent) {
    // spent although the chain dropped what had paid it
    const dropped = state === 'failed' ? { isDropped: true as const } : {}
    return {
      state: { ...payment, state: x402PaymentStates.move(state, 'spend'), fund: { ...fund, hold: next, returnAt: null, ...dropped } },
      events: [],
    }
  }
  if (state === 'failed') return { state: { ...payment, fund: { ...fund, hold: next } }, events: [] }
  if (fund.isDropped) return { state: failDropped({ ...payment, fund: { ...fund, hold: next } }), events: [] }
  const freed: Fund = { ...fund, hold: next, returnAt: new Date(now.getTime() + failureMs) }
  return { state: { ...payment, state: state === 'spent' ? x402PaymentStates.move(state, 'free') : state, fund: freed }, events: [] }
}

/** A later round of its command has ended: that it failed itself was never received. */
export function freeEarlier(payment: X402Payment, ended: { round: number; seq: number }, now: Date): Decision<X402Payment> | undefined {
  const known = payment.fund?.hold?.onChain
  if (known?.status !== 'pending' || ended.round <= known.round) return undefined
  return followUse(payment, { is: 'failed', round: known.round, seq: ended.seq, isPaid: false }, now)
}

/** Its service sends no command for it: what it is set aside for has failed. */
export function abandonHold(payment: X402Payment, of: { key: string; round: number }, now: Date): Decision<X402Payment> | undefined {
  const known = payment.fund?.hold
  if (payment.state !== 'held' || known?.key !== of.key || known.onChain.round !== of.round || known.onChain.status !== 'pending') return undefined
  return followUse(payment, { is: 'failed', round: of.round, seq: known.onChain.seq, isPaid: false }, now)
}

/** A payment whose transfer may still be dropped is read again after this time, unless its finality is announced earlier. */
const finalityMs = 60_000

/** Its service refuses it for good: nothing may use it any more. What a command may still spend waits for that. */
export function refuseUse(payment: X402Payment, reason: string, now: Date): Decision<X402Payment> | undefined {
  if (!isIntake(payment) || payment.state !== 'settled' || payment.fund.refusal !== undefined) return undefined
  return { state: { ...payment, fund: { ...payment.fund, refusal: reason, returnAt: now } }, events: [] }
}

export const isDue = ({ fund }: X402Payment, now: Date): boolean => fund?.returnAt != null && fund.returnAt <= now

/** It is due, and a reorganisation could still drop it: what is sent back might never have come. */
export function postponeReturn(payment: X402Payment, now: Date): Decision<X402Payment> | undefined {
  if (!isIntake(payment) || payment.state !== 'settled' || !isDue(payment, now)) return undefined
  return { state: { ...payment, fund: { ...payment.fund, returnAt: new Date(now.getTime() + finalityMs) } }, events: [] }
}

/** Neither its money came, by the chain, nor did any leave for it. */
const failDropped = (payment: IntakePayment): X402Payment => {
  const { isDropped: _, ...fund } = payment.fund
  return { ...payment, state: x402PaymentStates.move(payment.state, 'fail'), failure: transferDropped, fund: { ...fund, returnAt: null } }
}

/** Sends what is final back to its payer, unless a command may still spend it. The token accepts the nonce of a return once, in whichever round. */
export function giveBack(payment: X402Payment, reason: string): Decision<X402Payment> | undefined {
  if (!isIntake(payment)) return undefined
  const { id, state, payTo, payer, amount, chain, fund } = payment
  const isFree = state === 'settled' || (state === 'held' && fund.hold?.onChain.status === 'failed')
  const isFailed = state === 'returning' && fund.giveBack?.onChain.status === 'failed'
  if (!isFree && !isFailed) return undefined
  const round = (fund.giveBack?.onChain.round ?? 0) + 1
  const before = fund.giveBack ?? { reason, failures: 0, onChain: sentOnChain }
  return {
    state: {
      ...payment,
      state: isFree ? x402PaymentStates.move(state, 'giveBack') : state,
      fund: { ...fund, returnAt: null, giveBack: { ...before, onChain: { ...before.onChain, status: 'pending', round } } },
    },
    events: [commands.treasuryPay({ paymentId: id, from: payTo, to: payer, amount, chain, round, isReturn: true })],
  }
}

export function followReturn(payment: X402Payment, outcome: ObservedOutcome, now: Date): Decision<X402Payment> | undefined {
  if (!isIntake(payment) || !payment.fund.giveBack) return undefined
  const { id, state, payer, amount, chain, fund } = payment
  const onChain = followOutcome(fund.giveBack!.onChain, outcome)
  if (!onChain) return undefined
  const { reason, failures } = fund.giveBack!
  if (onChain.status === 'confirmed') {
    // a return that had failed arrived although the chain had dropped what it returns
    const dropped = state === 'failed' ? { isDropped: true as const } : {}
    const returned = {
      ...payment,
      state: x402PaymentStates.move(state, 'arrive'),
      fund: { ...fund, ...dropped, returnAt: null, giveBack: { reason, failures, onChain } },
    }
    const isFirst = state !== 'returned'
    return { state: returned, events: isFirst ? [x402Returned.of({ paymentId: id, payer, amount, chain, reason, txHash: onChain.txHash! })] : [] }
  }
  const minutes = retryMinutes[Math.min(failures, retryMinutes.length - 1)]!
  const isFailed = onChain.status === 'failed'
  if (state === 'failed') return undefined
  const given = { reason, failures: isFailed ? failures + 1 : failures, onChain }
  if (isFailed && fund.isDropped && state === 'returning')
    return { state: failDropped({ ...payment, fund: { ...fund, giveBack: given } }), events: [] }
  return {
    state: {
      ...payment,
      state: state === 'returned' && isFailed ? x402PaymentStates.move(state, 'reopen') : state,
      fund: { ...fund, giveBack: given, returnAt: isFailed ? new Date(now.getTime() + minutes * 60_000) : null },
    },
    events: [],
  }
}
