import { type LedgerEntry, transfer } from '@carapace/store'
import { account } from '../ledger/accounts.ts'
import type { Fund, X402Payment } from './payment.ts'
import type { PaymentState } from './payment-states.ts'

/** Where the money of a payment is; `here`: at the address that it was paid to. */
const places: Record<PaymentState, 'outside' | 'here' | 'spent'> = {
  claimed: 'outside',
  failed: 'outside',
  lost: 'outside',
  returned: 'outside',
  settled: 'here',
  served: 'here',
  held: 'here',
  returning: 'here',
  spent: 'spent',
}
const statesHere = (Object.keys(places) as PaymentState[]).filter(state => places[state] === 'here')

/** Selects what is booked as income of sold reads, and what as money at the intake. */
export const booked = {
  income: { state: { $in: statesHere }, fund: { $exists: false } },
  intake: { state: { $in: statesHere }, fund: { $exists: true } },
} as const

/** The same of one payment; undefined where its money is elsewhere. */
export const bookedAs = ({ state, fund }: Pick<X402Payment, 'state' | 'fund'>): keyof typeof booked | undefined =>
  places[state] === 'here' ? (fund ? 'intake' : 'income') : undefined

/** What a change of a payment means for the books: its money goes from where it was to where it is. */
export function postings(before: X402Payment | undefined, after: X402Payment): LedgerEntry[] {
  const { id, chain, onChain, amount, fund } = after
  const [from, to] = [before ? accountOf(before) : account.outside(after.payer), accountOf(after)]
  const ref = { type: 'x402', id }
  const entries: LedgerEntry[] = []
  if (from !== to) entries.push({ key: keyOf(before, after), chain, lines: transfer(from, to, amount), ref, txHash: onChain.txHash })
  if (fund && Boolean(fund.isOverdrawn) !== Boolean(before?.fund?.isOverdrawn)) entries.push(overdrawn(after, fund))
  if (fund && Boolean(fund.isDropped) !== Boolean(before?.fund?.isDropped)) entries.push(borne(after, fund))
  return entries
}

/** What a command spent although it was returned is a loss, until that command fails after all. */
function overdrawn({ id, chain, amount }: X402Payment, { isOverdrawn, hold }: Fund): LedgerEntry {
  const clearing = account.clearing(hold!.key)
  const [from, to] = isOverdrawn ? [account.loss, clearing] : [clearing, account.loss]
  const key = `x402-${isOverdrawn ? 'overdrawn' : 'covered'}:${id}:${hold!.onChain.seq}`
  return { key, chain, lines: transfer(from, to, amount), ref: { type: 'x402', id } }
}

/** What the chain dropped after it had left the intake is a loss, until the chain includes it again, or nothing has left after all. */
function borne({ id, chain, payer, amount, onChain }: X402Payment, { isDropped, hold, giveBack }: Fund): LedgerEntry {
  const [from, to] = isDropped ? [account.loss, account.outside(payer)] : [account.outside(payer), account.loss]
  const key = `x402-${isDropped ? 'dropped' : 'undropped'}:${id}:${onChain.seq}:${hold?.onChain.seq ?? 0}:${giveBack?.onChain.seq ?? 0}`
  return { key, chain, lines: transfer(from, to, amount), ref: { type: 'x402', id }, txHash: onChain.txHash }
}

function accountOf({ state, fund, payer }: X402Payment): string {
  const place = places[state]
  if (place === 'outside') return account.outside(payer)
  if (place === 'spent') return account.clearing(fund!.hold!.key)
  return fund ? account.intake : account.x402Income
}

/** The outcome that caused the move names its entry: none is posted twice. */
function keyOf(before: X402Payment | undefined, { id, state, onChain, fund }: X402Payment): string {
  if (state === 'spent') return `x402-spent:${id}:${fund!.hold!.onChain.seq}`
  if (before?.state === 'spent') return `x402-unspent:${id}:${fund!.hold!.onChain.seq}`
  if (state === 'returned') return `x402-returned:${id}:${fund!.giveBack!.onChain.seq}`
  if (before?.state === 'returned') return `x402-unreturned:${id}:${fund!.giveBack!.onChain.seq}`
  return `${places[state] === 'here' ? 'x402' : 'x402-reversed'}:${id}:${onChain.seq}`
}
