import type { Decision } from '@carapace/store'
import { creditMs, leaseFrom, type X402Payment } from './payment.ts'
import { x402PaymentStates } from './payment-states.ts'

/** What a request wants to go on with a payment for. */
export type Wanted = Pick<X402Payment, 'route' | 'buyer' | 'identifier'> & {
  /** Micro-USDC. */
  price: bigint
  subject: string | undefined
}

/**
 * The one request that may go on with a payment which an earlier request left open; undefined: none may. A request that repeats it under its
 * identifier, which no chain shows, is its buyer's from any address, and so is one that the wallet has signed which has paid.
 */
export function lease(payment: X402Payment, wanted: Wanted, wallMs: number): Decision<X402Payment> | undefined {
  const { state, settledAt, route, amount, fund } = payment
  const isCredit = state === 'settled' && settledAt !== null && wallMs - settledAt.getTime() < creditMs
  const isUnanswered =
    fund !== undefined && !fund.isAnswered && fund.refusal === undefined && (state === 'settled' || state === 'held' || state === 'spent')
  const isOpen = state === 'claimed' || (fund ? isUnanswered : isCredit)
  const isSame = route === wanted.route && (isOf(payment, wanted.buyer) || repeats(payment, wanted)) && fund?.subject === wanted.subject
  // one route may have several prices; money at the intake is spent whole
  const isEnough = fund ? amount === wanted.price : amount >= wanted.price
  if (!isOpen || !isSame || !isEnough || isLeased(payment, wallMs)) return undefined
  return { state: { ...payment, leasedUntil: leaseFrom(wallMs) }, events: [] }
}

const isOf = ({ buyer, payer }: X402Payment, wanted: string): boolean => buyer === wanted || payer.toLowerCase() === wanted

/** Whether a request has it now. */
export const isLeased = ({ leasedUntil }: X402Payment, wallMs: number): boolean => leasedUntil !== null && leasedUntil.getTime() > wallMs

/** Whether a request repeats the one that a payment was made for: same payment, same identifier, same purchase. */
export const repeats = ({ identifier }: X402Payment, wanted: Pick<X402Payment, 'identifier'>): boolean =>
  identifier !== undefined && identifier.id === wanted.identifier?.id && identifier.request === wanted.identifier.request

/** The request is over: served, or the payment is a credit. */
export function close(payment: X402Payment, served: boolean): Decision<X402Payment> | undefined {
  if (payment.fund)
    return { state: { ...payment, leasedUntil: null, fund: { ...payment.fund, isAnswered: payment.fund.isAnswered || served } }, events: [] }
  if (payment.state === 'served' || payment.state === 'lost') return undefined
  if (!served) return { state: { ...payment, leasedUntil: null }, events: [] }
  return { state: { ...payment, state: x402PaymentStates.move(payment.state, 'serve'), leasedUntil: null }, events: [] }
}
