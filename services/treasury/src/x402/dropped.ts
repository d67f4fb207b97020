import type { OnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { failureMs, isIntake } from './intake.ts'
import { type Fund, hasLeft, settle, transferDropped, type X402Payment } from './payment.ts'
import { x402PaymentStates } from './payment-states.ts'

/** The chain dropped the transfer that a payment came by. The number of its outcome rises, since it names the entries of the ledger. */
export function dropSent(payment: X402Payment): Decision<X402Payment> | undefined {
  const { state, fund, scheme } = payment
  if (scheme !== 'spec' || state === 'failed' || state === 'lost' || fund?.isDropped) return undefined
  const onChain = { ...payment.onChain, status: 'failed' as const, seq: payment.onChain.seq + 1 }
  if (isIntake(payment) && hasLeft(payment)) return { state: { ...payment, onChain, fund: { ...payment.fund, isDropped: true } }, events: [] }
  const freed = fund ? { fund: { ...fund, returnAt: null } } : {}
  return {
    state: { ...payment, ...freed, onChain, state: x402PaymentStates.move(state, 'fail'), failure: transferDropped, leasedUntil: null },
    events: [],
  }
}

/** The chain has included that transfer again, for good. */
export function restoreSent(payment: X402Payment, now: Date): Decision<X402Payment> | undefined {
  const { state, fund, scheme } = payment
  if (scheme !== 'spec' || payment.onChain.txHash === null) return undefined
  const onChain = { ...payment.onChain, status: 'confirmed' as const }
  if (fund?.isDropped) {
    const { isDropped: _, ...rest } = fund
    return { state: { ...payment, onChain, fund: rest }, events: [] }
  }
  return state === 'failed' || state === 'lost' ? restore(payment, onChain, now) : undefined
}

/** Whether the chain dropped it after its money was set aside, or was to go back: what was decided about it counts again with it. */
export const wasDecided = ({ state, fund }: X402Payment): boolean => state === 'failed' && Boolean(fund?.hold ?? fund?.giveBack)

/** What had failed has arrived for good. */
export function restore(payment: X402Payment, onChain: Required<OnChain>, now: Date): Decision<X402Payment> {
  const { state, fund } = payment
  if (state === 'failed' && fund?.isOverdrawn) {
    const { isOverdrawn: _, ...rest } = fund
    return { state: { ...payment, onChain, state: x402PaymentStates.move(state, 'spend'), failure: null, fund: rest }, events: [] }
  }
  if (state === 'failed' && fund?.hold) return { state: heldAgain({ ...payment, onChain }, fund, fund.hold, now), events: [] }
  const settled = settle(payment, { onChain, isFinal: true }, now)
  // it was on its way back before
  return fund?.giveBack ? { state: { ...settled.state, fund: { ...fund, returnAt: now } }, events: [] } : settled
}

/** The command that it was set aside for may still spend it. */
function heldAgain(payment: X402Payment, fund: Fund, { onChain: { status } }: NonNullable<Fund['hold']>, now: Date): X402Payment {
  const returnAt = status === 'failed' ? new Date(now.getTime() + failureMs) : null
  return { ...payment, state: x402PaymentStates.move(payment.state, 'restore'), failure: null, fund: { ...fund, returnAt } }
}
