import type { Escrow, EscrowStatus, Gig, TrustReceipt } from '@carapace/api'
import { money, words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { row, status } from '../../parts/basics.ts'
import { meter, type Portion } from '../../parts/meter.ts'

/** Where the money of a gig is. */
export const gigMoney = (gig: Gig, escrow: Escrow | undefined, receipt: TrustReceipt | undefined): Html =>
  html`<p class="over">Budget ${escrow && status(escrow.status)}</p><p class="receipt-amount">${money(gig.budget)}</p><p class="side">${placeOf(gig, escrow)}</p>
${meter(gig.budget, portionsOf(escrow, receipt))}
${escrow && html`<dl class="facts small-text">${[escrow.fundedFrom && row('Paid in', fundings[escrow.fundedFrom.kind]), escrow.disputeReason && row('Dispute', escrow.disputeReason)]}</dl>`}`

/** From what the escrow was paid in. */
const fundings: Readonly<Record<NonNullable<Escrow['fundedFrom']>['kind'], string>> = {
  x402: 'with an x402 payment',
  allowance: 'from the wallet, by its allowance',
  authorization: 'from the wallet, by a signed authorisation',
  treasury: 'from the treasury of the poster',
  onchain: 'on the contract itself',
}

const places: Readonly<Record<EscrowStatus, string>> = {
  unfunded: 'Nothing was locked for this gig.',
  funding: 'On its way into the escrow contract.',
  locked: 'Waits in the escrow contract.',
  disputed: 'Waits in the escrow contract for a decision.',
  releasing: 'On its way to the assignee.',
  released: 'Paid out.',
  refunding: 'On its way back to the poster.',
  refunded: 'Given back to the poster.',
}

const placeOf = (gig: Gig, escrow: Escrow | undefined): string =>
  escrow ? places[escrow.status] : gig.status === 'completed' || gig.status === 'cancelled' ? places.unfunded : 'Nothing is locked yet.'

function portionsOf(escrow: Escrow | undefined, receipt: TrustReceipt | undefined): readonly Portion[] {
  if (!escrow) return []
  const { status, amount } = escrow
  if (status === 'unfunded' || status === 'funding') return []
  if (status === 'refunded') return [{ usdc: amount, place: 'back', text: 'back with the poster' }]
  if (status !== 'released') return [{ usdc: amount, place: 'held', text: 'in the escrow contract' }]
  const net = escrow.net ?? receipt?.netPaid ?? amount
  const fee = escrow.fee ?? receipt?.platformFee ?? 0
  return [
    { usdc: net, place: 'paid', text: 'to the assignee' },
    { usdc: fee, place: 'fee', text: `platform fee${escrow.feeBp === null ? '' : `, ${escrow.feeBp / 100} %`}` },
  ]
}

/** @example outcomeOf('refund') === 'the poster gets the money back' */
export const outcomeOf = (action: string): string =>
  ({ release: 'the assignee is paid', refund: 'the poster gets the money back', appeal: 'the verdict of the appeal decides' })[action] ??
  words(action)
