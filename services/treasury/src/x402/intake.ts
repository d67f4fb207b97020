import { x402Returned } from '@carapace/api'
import { commands, followEffect, followOutcome, type ObservedEffect, type ObservedOutcome, retryAfter, sentOnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type Fund, transferDropped, type X402Payment } from './payment.ts'
import { x402PaymentStates } from './payment-states.ts'

/** A reorganisation may still include a command whose failure was reported: what it would spend is not sent back before. */
export const failureMs = 2 * 60_000

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

/** What the relayer publishes about the command that it is set aside for. */
export type UseOutcome = Extract<ObservedOutcome, { is: 'confirmed' | 'failed' }>

/** @param isPaid the command has moved the money of the intake */
export function followUse(payment: X402Payment, outcome: UseOutcome, isPaid: boolean, now: Date): Decision<X402Payment> | undefined {
  if (!isIntake(payment) || !payment.fund.hold) return undefined
  const { state, fund } = payment
  const isSpent = outcome.is === 'confirmed' && isPaid
  const onChain = followEffect(fund.hold!.onChain, outcome, isSpent ? outcome : unused(outcome))
  if (!onChain) return undefined
  const next: Fund['hold'] = { ...fund.hold!, onChain }
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

/** For this payment a command that another source has paid for is one that failed. */
const unused = (outcome: UseOutcome): ObservedEffect =>
  outcome.is === 'failed' ? outcome : { is: 'failed', txHash: outcome.txHash, error: 'PAID_OTHERWISE: Another source has paid' }

/** A later round of its command has ended: that it failed itself was never received. */
export function freeEarlier(payment: X402Payment, ended: { round: number; seq: number }, now: Date): Decision<X402Payment> | undefined {
  const current = payment.fund?.hold?.onChain
  if (current?.status !== 'pending' || ended.round <= current.round) return undefined
  return followUse(payment, failed(current.round, ended.seq, 'SUPERSEDED: A later round has ended'), false, now)
}

/** Its service sends no command for it: what it is set aside for has failed. */
export function abandonHold(payment: X402Payment, of: { key: string; round: number }, now: Date): Decision<X402Payment> | undefined {
  const current = payment.fund?.hold
  if (payment.state !== 'held' || current?.key !== of.key || current.onChain.round !== of.round || current.onChain.status !== 'pending')
    return undefined
  return followUse(payment, failed(of.round, current.onChain.seq, 'NEVER_SENT: Its command was never sent'), false, now)
}

const failed = (round: number, seq: number, error: string): UseOutcome => ({ is: 'failed', round, seq, txHash: null, error })

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
  const isFailed = onChain.status === 'failed'
  if (state === 'failed') return undefined
  const given = { reason, failures: isFailed ? failures + 1 : failures, onChain }
  if (isFailed && fund.isDropped && state === 'returning')
    return { state: failDropped({ ...payment, fund: { ...fund, giveBack: given } }), events: [] }
  return {
    state: {
      ...payment,
      state: state === 'returned' && isFailed ? x402PaymentStates.move(state, 'reopen') : state,
      fund: { ...fund, giveBack: given, returnAt: isFailed ? retryAfter(failures + 1, now) : null },
    },
    events: [],
  }
}
