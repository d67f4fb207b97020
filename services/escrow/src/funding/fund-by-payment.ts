import { escrowApi, limits, type Quote, refuse } from '@carapace/api'
import { intakeOf } from '@carapace/chain'
import { onArrival, parsed, type QuoteRequest, quoteOrRefusal, type Subscription, useOrReturn } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Escrow } from '../escrow/escrow.ts'
import { type IntakeRequest, lockByPayment, needFundable } from '../escrow/lock/lock-escrow.ts'
import type { Parts } from '../parts.ts'

/**
 * What x402 has to pay to lock the budget of a gig: the budget itself, on the gig's network, from the poster's wallet.
 * @throws VALIDATION_ERROR, NOT_FOUND, NOT_POSTER, FORBIDDEN, AMOUNT_MISMATCH, CAP_EXCEEDED
 */
export async function quoteFunding(parts: Parts, { request, caller }: QuoteRequest) {
  const { gigId, agentId, amount } = parsed(escrowApi.endpoints.fundEscrow.body!, request)
  if (caller && caller.agentId !== agentId) refuse('FORBIDDEN', { field: 'agentId' }, { message: "agentId must be the caller's agent id" })
  const gig = await parts.gigNow(gigId)
  if (gig.posterId !== agentId) refuse('NOT_POSTER')
  const wallet = caller?.wallet ?? (await parts.agents.need(agentId)).wallet ?? refuse('NOT_POSTER')
  const intake = await intakeOf(parts.networks, gig.chain)
  const quote: Quote = { subject: gigId, price: gig.budget, chain: gig.chain, ...intake, payer: wallet, agentId }
  const wanted = { gigId, amount, caller: { kind: 'agent' as const, agentId, wallet }, operationId: '' }
  const check = needFundable(parts, wanted).then(({ escrow }) => (escrow.status === 'none' ? needRoom(parts, BigInt(gig.budget)) : undefined))
  return quoteOrRefusal(quote, ['ALREADY_EXISTS', 'INVALID_STATE', 'TVL_CAP_REACHED'], check)
}

/** Nobody pays for a lock that the cap would refuse; the lock itself decides. @throws TVL_CAP_REACHED */
async function needRoom({ tvl }: Parts, amount: bigint): Promise<void> {
  if ((await tvl.locked()).total + amount > limits.escrow.tvlMicro) refuse('TVL_CAP_REACHED')
}

/**
 * Locks with a payment, or has it sent back: what funds nothing does not stay.
 * @throws what refused the lock
 */
export const lockOrReturn = (parts: Parts, request: IntakeRequest): Promise<Stored<Escrow>> =>
  useOrReturn(parts, request.paymentId, () => lockByPayment(parts, request))

/** A payment whose request ended before its lock was made is used all the same. */
export const paymentsForGigs = (parts: Parts): Subscription[] => [
  onArrival('escrow', ({ subject: gigId, paymentId, payer }) => lockOrReturn(parts, { gigId, paymentId, payer })),
]
