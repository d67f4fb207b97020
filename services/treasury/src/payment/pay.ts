import { type Chain, refuse } from '@carapace/api'
import { unlessPassing } from '@carapace/service'
import { orExisting, type Stored } from '@carapace/store'
import { account } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { holdFunds } from '../reservation/hold-funds.ts'
import type { Wallet } from '../wallet/wallet.store.ts'
import { accept, executeAfter, isQueued, type Payment, paymentKey } from './payment.ts'

/** Past it the relayer never signs a command that spends: wall clock. */
const commandLifeMs = 15 * 60_000
export const commandDeadline = (): Date => new Date(Date.now() + commandLifeMs)

export interface PayOrder {
  /** One per wish to pay: the same id never pays twice. */
  paymentId: string
  kind: Payment['kind']
  wallet: Stored<Wallet>
  /** The agent that orders it, where that is not the one of the wallet. */
  orderedBy?: string
  toAgentId: string | null
  toAddress: string
  amount: bigint
  chain: Chain | undefined
  gigId: string | null
  note: string | null
}

/** An order whose recipient need not be known: it may have been accepted before. */
export type KnownOrder = Omit<PayOrder, 'toAddress'> & Partial<Pick<PayOrder, 'toAddress'>>

/** The payment that an order was accepted as before, also where its parties have changed since; undefined for a new one. @throws IDEMPOTENCY_KEY_REUSED */
export async function acceptedBefore({ payments }: Parts, order: KnownOrder): Promise<Stored<Payment> | undefined> {
  const existing = await payments.get(order.paymentId)
  return existing && sameOrder(existing, order)
}

/**
 * Accepts a payment: limit, balance and the payment itself in one transaction, with the command in it when it is not queued.
 * @throws DAILY_LIMIT_REACHED, INSUFFICIENT_BALANCE, IDEMPOTENCY_KEY_REUSED
 */
export async function pay(parts: Parts, order: PayOrder): Promise<Stored<Payment>> {
  const { paymentId: id, wallet, orderedBy, kind, toAgentId, toAddress, amount, gigId, note } = order
  const existing = await acceptedBefore(parts, order)
  if (existing) return existing
  const chain = order.chain ?? wallet.chain
  const key = paymentKey(id)
  const isInternal = (await parts.wallets.byAddress(toAddress)) !== undefined
  const { agentId, address } = wallet
  const reservation = { id, owner: 'treasury' as const, key, round: 1, agentId, address, amount, chain, purpose: kind }
  const status = isQueued(amount) ? ('pending' as const) : ('submitted' as const)
  const line = { status, counterpartyId: toAgentId, gigId, description: note ?? words[kind] }
  const now = parts.clock.now()
  const from = { fromAgentId: agentId, fromAddress: address, ...(orderedBy === undefined ? {} : { orderedBy }) }
  const draft = { id, kind, ...from, toAgentId, toAddress, amount, chain, gigId, note }
  const accepted = accept({ ...draft, acceptedAt: now, executeAfter: executeAfter(amount, now) }, commandDeadline())
  let made: Stored<Payment> | undefined
  const contra = isInternal ? account.clearing(key) : account.outside(toAddress)
  // no read after the commit: one that failed would refuse what is accepted
  const make = holdFunds(parts, { ...reservation, contra }, line, async session => {
    made = await parts.payments.create(accepted.state, accepted.events, { session })
  }).then(() => made!)
  return sameOrder(await orExisting(make, () => parts.payments.get(id)), order)
}
const words = { payment: 'Payment', withdrawal: 'Withdrawal' } as const

function sameOrder(payment: Stored<Payment>, { wallet, toAgentId, toAddress, amount, chain, kind }: KnownOrder): Stored<Payment> {
  const isSame =
    payment.fromAgentId === wallet.agentId &&
    payment.kind === kind &&
    payment.toAgentId === toAgentId &&
    (toAgentId !== null || payment.toAddress === toAddress) &&
    payment.amount === amount &&
    payment.chain === (chain ?? wallet.chain)
  return isSame ? payment : refuse('IDEMPOTENCY_KEY_REUSED')
}

/** The payment when its outcome is known, or as it is after `timeoutMs`. It is accepted: an error of a passing cause refuses nothing. */
export async function awaitOutcome(parts: Parts, payment: Stored<Payment>, timeoutMs: number): Promise<Stored<Payment>> {
  if (payment.status === 'pending') return payment
  const probe = async () => {
    const present = await unlessPassing(parts.payments.need(payment.id))
    return !present || present.status === 'submitted' || present.status === 'processing' ? undefined : present
  }
  const ended = await parts.wait('payments', payment.id, probe, timeoutMs)
  return ended ?? (await unlessPassing(parts.payments.need(payment.id))) ?? payment
}
