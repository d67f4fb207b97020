import type { Chain } from '@carapace/api'
import { type OnChain, sentOnChain } from '@carapace/chain'
import { type AggregateStore, aggregateStore, type Database, type Indexes, type Ledger, type ShareOf, type Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Fund, X402Payment } from './payment.ts'
import { booked, bookedAs, postings } from './postings.ts'
import type { SentBy } from './transfer.ts'

interface PaymentFigures {
  count: number
  /** µ */
  amount: bigint
  payers: number
  byRoute: { route: string; count: number; amount: bigint }[]
}

export const x402Payments = 'x402_payments'
/** Those whose money arrived. */
const paid = { state: { $in: ['settled', 'served', 'held', 'spent'] } }

const indexes: Indexes = {
  agent_newest: { key: { agentId: 1, createdAt: -1, _id: -1 } },
  state_oldest: { key: { state: 1, createdAt: 1 } },
  unused_oldest: { key: { createdAt: 1 }, partialFilterExpression: { state: 'settled', 'fund.service': { $exists: true } } },
  held_oldest: { key: { updatedAt: 1 }, partialFilterExpression: { state: 'held' } },
  hold_key: { key: { 'fund.hold.key': 1 }, partialFilterExpression: { 'fund.hold.key': { $type: 'string' } } },
  return_due: { key: { 'fund.returnAt': 1 }, partialFilterExpression: { 'fund.returnAt': { $type: 'date' } } },
  on_chain_tx_hash: { key: { 'onChain.txHash': 1 }, partialFilterExpression: { 'onChain.txHash': { $type: 'string' } } },
  // of payments that were stored before `onChain` was one field
  tx_hash: { key: { txHash: 1 }, partialFilterExpression: { txHash: { $type: 'string' } } },
  // a transfer proves one payment
  proof_once: { key: { proofTx: 1 }, unique: true, partialFilterExpression: { proofTx: { $exists: true } } },
  // an identifier names one payment of its payer
  identifier_once: { key: { payer: 1, 'identifier.id': 1 }, unique: true, partialFilterExpression: { 'identifier.id': { $exists: true } } },
}

const isPaid = ({ state }: X402Payment) => paid.state.$in.includes(state)
/** Names of figures have neither dots nor slashes, which routes have. */
const encoded = (route: string) => Buffer.from(route).toString('base64url')
const decoded = (name: string) => Buffer.from(name, 'base64url').toString()
const [countOf, amountOf] = ['count-', 'amount-']

const bookedOn = (kind: keyof typeof booked, chain: Chain) => `booked-${kind}-${chain}`

/** What a payment adds to the public figures, and to what is booked on each account. */
const shareOf: ShareOf<Stored<X402Payment>> = payment => {
  const { route, amount, payer, chain } = payment
  const kind = bookedAs(payment)
  const bookings = kind ? { [bookedOn(kind, chain)]: amount } : {}
  if (!isPaid(payment)) return { sums: bookings }
  const name = encoded(route)
  return { sums: { ...bookings, count: 1n, amount, [countOf + name]: 1n, [amountOf + name]: amount }, sets: { payers: [payer] } }
}

/** The command that it is set aside for has no outcome yet; the second form is that of payments which were stored before `onChain` was one field. */
export const isHoldOpen = { $or: [{ 'fund.hold.onChain.status': 'pending' }, { 'fund.hold.status': 'pending' }] }

export type X402PaymentStore = AggregateStore<X402Payment> & {
  figures(): Promise<PaymentFigures>
  /** What the booked ones come to on a network, µ, by the stored figure. */
  bookedFigure(kind: keyof typeof booked, chain: Chain): Promise<bigint>
  /** The same from the payments themselves. */
  bookedSum(kind: keyof typeof booked, chain: Chain, session?: ClientSession): Promise<bigint>
  /** The one that is set aside for a round of a command, or for the last one before it. */
  heldFor(key: string, round: number): Promise<Stored<X402Payment> | undefined>
  /** Those that wait for an earlier round of a command. */
  heldBefore(key: string, round: number): Promise<Stored<X402Payment>[]>
  /** Those that a payer's transfers to an address in one transaction have paid for, in any state. */
  ofTransfer(transfer: SentBy): Promise<Stored<X402Payment>[]>
  /** Those that time sends back. */
  returnDue(now: Date, limit: number): Promise<Stored<X402Payment>[]>
}

export function x402PaymentStore(db: Database, ledger: Ledger): X402PaymentStore {
  const payments = aggregateStore<X402Payment>(db, {
    collection: x402Payments,
    resource: 'x402 payment',
    indexes,
    upgrade: upgradeX402Payment,
    ledger,
    postings,
    shareOf,
    shareForm: 1,
    duplicates: { _id_: 'REPLAY_DETECTED', proof_once: 'REPLAY_DETECTED', identifier_once: 'IDEMPOTENCY_KEY_REUSED' },
  })
  const rows = payments.collection
  /** Set aside for a command, the one of the newest round first. */
  const holding = async (key: string) =>
    (await payments.find({ 'fund.hold.key': key })).toSorted((a, b) => b.fund!.hold!.onChain.round - a.fund!.hold!.onChain.round)
  return {
    ...payments,
    heldFor: async (key, round) => (await holding(key)).find(({ fund }) => fund!.hold!.onChain.round <= round),
    heldBefore: async (key, round) => {
      const isOpen = ({ fund }: X402Payment) => fund!.hold!.onChain.round < round && fund!.hold!.onChain.status === 'pending'
      return round > 1 ? (await holding(key)).filter(isOpen) : []
    },
    // the facilitator stored the address as it was configured before
    ofTransfer: ({ chain, txHash, payer, payTo }) =>
      payments.find({ $or: [{ 'onChain.txHash': txHash }, { txHash }], chain, payer, payTo: { $in: [payTo, payTo.toLowerCase()] } }),
    returnDue: (now, limit) => payments.find({ 'fund.returnAt': { $lte: now } }, { sort: { 'fund.returnAt': 1 }, limit }),
    bookedFigure: async (kind, chain) => (await payments.sums())(bookedOn(kind, chain)),
    bookedSum: async (kind, chain, session) => {
      const found = await rows.find({ ...booked[kind], chain }, { projection: { amount: 1 }, ...(session ? { session } : {}) }).toArray()
      return found.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    },
    figures: async () => {
      const of = await payments.sums()
      const routes = of.names().flatMap(name => (name.startsWith(countOf) && of(name) > 0n ? [name.slice(countOf.length)] : []))
      const byRoute = routes.map(name => ({ route: decoded(name), count: Number(of(countOf + name)), amount: of(amountOf + name) }))
      return {
        count: Number(of('count')),
        amount: of('amount'),
        payers: Number(of('payers')),
        byRoute: byRoute.sort((a, b) => (a.route < b.route ? -1 : 1)),
      }
    },
  }
}

/** Before `onChain` was one field, what was known of each of its commands was part of a payment, of its hold and of its return. */
type OldOnChain = Partial<OnChain>

/** A stored payment in the present form. */
export function upgradeX402Payment<P extends X402Payment>(payment: P): P {
  const { state, scheme, fund } = payment
  const isOld = [payment, fund?.hold, fund?.giveBack].some(part => part && !part.onChain)
  if (!isOld) return payment
  const status = state === 'claimed' ? 'pending' : state === 'failed' || state === 'lost' ? 'failed' : 'confirmed'
  const own = gathered(payment, { status, round: scheme === 'spec' ? 0 : 1 })
  return fund ? { ...own, fund: upgradeFund(fund) } : own
}

const upgradeFund = (fund: Fund): Fund => ({ ...fund, hold: fund.hold && gathered(fund.hold), giveBack: fund.giveBack && gathered(fund.giveBack) })

/** A part of a payment with what it knows on chain in its one field. */
function gathered<Part extends object>(part: Part & { onChain?: OnChain }, before: OldOnChain = {}): Part & { onChain: Required<OnChain> } {
  if (part.onChain) return part as Part & { onChain: Required<OnChain> }
  const { txHash = null, blockNumber = null, error = null, seq = 0, ...other } = part as Part & OldOnChain
  const { status = before.status ?? 'pending', round = before.round ?? 1, ...rest } = other as OldOnChain
  return { ...(rest as unknown as Part), onChain: { ...sentOnChain, status, txHash, blockNumber, error, round, seq } }
}
