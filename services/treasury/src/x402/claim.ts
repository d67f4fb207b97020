import { type Chain, Refusal, refuse } from '@carapace/api'
import { unlessPassing } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { isLeased, lease, repeats } from './lease.ts'
import { x402Payments } from './payment.store.ts'
import { claim, newFund, type PaymentScheme, type SignedTransfer, type X402Payment } from './payment.ts'
import type { PaymentState } from './payment-states.ts'
import { refusePayment } from './refuse.ts'

/** What is bought, as the gateway vouches for it. */
export interface Purchase {
  route: string
  /** µ */
  price: bigint
  payTo: string
  agentId: string | null
  buyer: string
  identifier?: X402Payment['identifier']
  /** What the intake is paid for; undefined: a sold read. */
  fund?: Wanted | undefined
}

/** Only this payer, this amount, on this network. */
export interface Wanted {
  service: 'escrow' | 'domains'
  subject: string
  chain: Chain
  payer: string
  /** No new authorisation is settled: what it would pay for cannot be had. */
  onlyKnown: boolean
}

/** A verified authorisation. */
interface Verified {
  scheme: PaymentScheme
  chain: Chain
  payer: string
  /** µ */
  amount: bigint
  nonce: string
  signed: SignedTransfer
}

const settlementWaitMs = 10_000
/** A repeat waits that long for the request that it repeats. */
const firstRequestMs = 2_500

/**
 * Makes the payment of an id and waits for its settlement, or goes on with one that an earlier request left open. Of all requests with one id, one
 * goes on: the others are refused, or answered as that one where the payment bears an identifier.
 * @throws REPLAY_DETECTED, IDEMPOTENCY_IN_PROGRESS, PAYMENT_INVALID, and what `verify` refuses
 */
export async function claimPayment(parts: Parts, purchase: Purchase, id: string, verify: () => Promise<Verified>): Promise<X402Payment> {
  const attempt = () => alone(parts, purchase, id, () => claimAlone(parts, purchase, id, verify))
  const isFree = async () => {
    const present = await parts.x402.get(id)
    return present?.leasedUntil === null ? present : undefined
  }
  return attempt().catch(async (error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== 'IDEMPOTENCY_IN_PROGRESS') throw error
    await parts.wait(x402Payments, id, isFree, firstRequestMs)
    return attempt()
  })
}

async function claimAlone(parts: Parts, purchase: Purchase, id: string, verify: () => Promise<Verified>): Promise<X402Payment> {
  const existing = await parts.x402.get(id)
  if (existing) return resume(parts, purchase, existing)
  if (purchase.fund?.onlyKnown) refuse('NOT_FOUND', { resource: 'x402 payment' })
  // once another request has settled it, the chain shows its nonce as used
  const { signed, ...verified } = await unlessReplayed(parts, purchase, id, verify())
  const { state, events } = claim({ id, ...ofPurchase(purchase), ...verified }, signed, Date.now())
  await unlessReplayed(parts, purchase, id, parts.x402.create(state, events))
  return awaitSettlement(parts, id)
}

/** What the record of a payment holds of its purchase. */
export const ofPurchase = ({ route, payTo, agentId, buyer, identifier, fund }: Purchase) => ({
  route,
  payTo,
  agentId,
  buyer,
  identifier,
  ...(fund ? { fund: newFund(fund.service, fund.subject) } : {}),
})

/** @throws IDEMPOTENCY_IN_PROGRESS for a payment with an identifier, whose answer may be fetched when there is one; REPLAY_DETECTED for any other */
const refuseInUse = ({ identifier }: Pick<Purchase, 'identifier'>): never => refuse(identifier ? 'IDEMPOTENCY_IN_PROGRESS' : 'REPLAY_DETECTED')

/** Refuses a request while another one of this process works on the same payment, before either reads anything. @throws as `refuseInUse` */
export async function alone<T>({ x402Requests }: Parts, purchase: Purchase, id: string, work: () => Promise<T>): Promise<T> {
  if (x402Requests.has(id)) refuseInUse(purchase)
  x402Requests.add(id)
  try {
    return await work()
  } finally {
    x402Requests.delete(id)
  }
}

/** A request that loses to another one with the same payment fails in many ways: with the payment there, each of them is a replay. @throws as `refuseInUse` */
export const unlessReplayed = <T>(parts: Parts, purchase: Purchase, id: string, work: Promise<T>): Promise<T> =>
  work.catch(async (error: unknown) => {
    if (await parts.x402.get(id)) refuseInUse(purchase)
    throw error
  })

/**
 * A payment that was served is answered as it is where the request repeats the one that it served.
 * @throws REPLAY_DETECTED where the payment was used for another one; IDEMPOTENCY_IN_PROGRESS, REPLAY_DETECTED where another request has it
 */
export async function resume(parts: Parts, purchase: Purchase, existing: X402Payment): Promise<X402Payment> {
  const { id, state, failure, fund } = existing
  const isRepeat = repeats(existing, purchase)
  if (state === 'served' && isRepeat) return existing
  if (state === 'failed') refusePayment(failure ?? 'invalid_transaction_state')
  if (isGoingBack(existing) && !fund?.isAnswered) refuseReturned()
  const { route, price, buyer, identifier, fund: wantedFund } = purchase
  const wanted = { route, price, buyer, identifier, subject: wantedFund?.subject }
  let isOurs = false
  const now = Date.now()
  const leased = await parts.x402.change(id, payment => {
    const decision = lease(payment, wanted, now)
    isOurs = decision !== undefined
    return decision
  })
  if (!isOurs && isRepeat && leased.state === 'served') return leased
  // what no request has any more is not in progress
  if (!isOurs) refuse(isRepeat && isLeased(leased, now) ? 'IDEMPOTENCY_IN_PROGRESS' : 'REPLAY_DETECTED')
  return leased.state === 'claimed' ? awaitSettlement(parts, id) : leased
}

const isGoingBack = ({ state, fund }: X402Payment): boolean =>
  state === 'returning' || state === 'returned' || (state === 'settled' && fund?.refusal !== undefined)
const refuseReturned = () => refusePayment('payment_returned', 'What this payment brought is on its way back to its payer')

async function awaitSettlement(parts: Parts, id: string): Promise<X402Payment> {
  const probe = async () => {
    const present = await unlessPassing(parts.x402.need(id))
    return present?.state === 'claimed' ? undefined : present
  }
  const ended = await parts.wait(x402Payments, id, probe, settlementWaitMs)
  if (ended && isGoingBack(ended)) return refuseReturned()
  if (ended && isPaid(ended.state)) return ended
  if (ended) return refusePayment(ended.failure ?? 'invalid_transaction_state')
  // the same payment may be sent again: it goes on where this request leaves it
  await parts.x402.change(id, payment => ({ state: { ...payment, leasedUntil: null }, events: [] }))
  return refusePayment('settlement_pending', 'The payment is not settled yet: send the same one again')
}

/** Its money is there, also where the service that spends it was faster than this request. */
const isPaid = (state: PaymentState): boolean => state === 'settled' || state === 'held' || state === 'spent'
