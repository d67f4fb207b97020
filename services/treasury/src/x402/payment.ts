import { type Chain, type Draft, x402Arrived, x402Settled } from '@carapace/api'
import { commands, type OnChain, sentOnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type PaymentState, x402PaymentStates } from './payment-states.ts'

export type PaymentScheme = 'spec' | 'v1' | 'v2'

export interface X402Payment {
  /** Follows from network, payer and token nonce (v1, v2) or from the challenge's nonce (spec): one payment, one record. */
  id: string
  scheme: PaymentScheme
  state: PaymentState
  /** Method and path template of what is bought. */
  route: string
  /** µ */
  amount: bigint
  payTo: string
  /** The agent that it is bought for. */
  agentId: string | null
  /** Who may use it as a credit: the wallet that signed the call, in lower case, else the client's address; of money at the intake, the agent. */
  buyer: string
  /** The client's own name for the payment, and a hash of what is bought with it. */
  identifier?: { id: string; request: string } | undefined
  payer: string
  chain: Chain
  nonce: string
  /** Of the transfer that a proof of the spec's dialect names: it proves once. */
  proofTx?: string
  /** Of the command that settles it; of round 0 for a transfer that its payer sent. With the place where its money came. */
  onChain: Required<OnChain>
  /** Until then one request has it (wall clock). */
  leasedUntil: Date | null
  settledAt: Date | null
  failure: string | null
  /** What money at the intake is for; absent = income of a sold read. */
  fund?: Fund
}

/** What happens to money at the intake. */
export interface Fund {
  /** Who spends it; none: it was sent for nothing that can be had. */
  service: 'escrow' | 'domains' | 'none'
  /** A gig, or the full name of a domain. */
  subject: string
  /** The command that it is set aside for. */
  hold: { key: string; onChain: Required<OnChain> } | null
  /** When time alone sends it back. */
  returnAt: Date | null
  giveBack: { reason: string; failures: number; onChain: Required<OnChain> } | null
  /** The request that it paid for had its answer. */
  isAnswered: boolean
  /** No reorganisation drops the transfer that it came by, as the relayer has reported. */
  isFinal?: true
  /** It was spent although it had been returned: the platform has paid. */
  isOverdrawn?: true
  /** The chain dropped the transfer that it came by after it was spent, or sent back: the platform bears it. */
  isDropped?: true
  /** Why its service refused it: it goes back as soon as no reorganisation can drop it. */
  refusal?: string
}

/** A credit is served within this time; money at the intake that nothing spends in this time is returned. */
export const creditMs = 24 * 3_600_000
/** So long after its time a transaction that no node knows is waited for. Then what was final counts as there: nodes prune old transactions. */
export const prunedMs = 3_600_000
/** One whose transaction failed in a block stays open so long: anybody may submit it until it has ended. */
export const longestAuthorizationMs = 3_600_000
/** Longer than a request can wait for its settlement and its answer. */
const leaseMs = 45_000

/** The relayer signs no settlement later than this. */
const commandLifeMs = 15 * 60_000

/** What a buyer signed (EIP-3009), without its amount, nonce and parties, which the payment has. */
export interface SignedTransfer {
  validAfter: bigint
  /** Unix seconds. */
  validBefore: bigint
  signature: string
}

type Fresh = Omit<X402Payment, 'state' | 'onChain' | 'leasedUntil' | 'settledAt' | 'failure'>

/** Of a payment that was just made. */
export const newFund = (service: Fund['service'], subject: string): Fund => ({
  service,
  subject,
  hold: null,
  returnAt: null,
  giveBack: null,
  isAnswered: false,
})

export const leaseFrom = (wallMs: number) => new Date(wallMs + leaseMs)

/** Claims an authorisation and orders its settlement, in one write. */
export function claim(fresh: Fresh, signed: SignedTransfer, wallMs: number): Decision<X402Payment> {
  const { id, payer, payTo, amount, chain, nonce } = fresh
  const validUntilMs = signed.validBefore * 1_000n
  const latestMs = BigInt(wallMs + commandLifeMs)
  const deadline = new Date(Number(validUntilMs < latestMs ? validUntilMs : latestMs))
  const command = commands.treasurySettleX402({ paymentId: id, from: payer, to: payTo, amount, chain, nonce, ...signed, deadline })
  const open = { onChain: sentOnChain, settledAt: null, failure: null }
  return { state: { ...fresh, ...open, state: 'claimed', leasedUntil: leaseFrom(wallMs) }, events: [command] }
}

/** Of a transfer that no command of ours has sent. */
export const arrivedBy = (txHash: string): Required<OnChain> => ({ ...sentOnChain, status: 'confirmed', round: 0, txHash })

/** Records a transfer that the payer sent itself. One to the intake is final: nothing has to be waited for. */
export function settleSent(fresh: Fresh, txHash: string, now: Date, wallMs: number): Decision<X402Payment> {
  const leasedUntil = leaseFrom(wallMs)
  const fund = fresh.fund && { ...fresh.fund, isFinal: true as const }
  const open = { onChain: arrivedBy(txHash), settledAt: now, failure: null, leasedUntil }
  const state = dated({ ...fresh, ...(fund ? { fund } : {}), ...open, state: 'settled' }, now)
  return { state, events: [settledEvent(state), ...arrivals(state)] }
}

/** @param at `isFinal`: no reorganisation reverses it */
export function settle(payment: X402Payment, at: { onChain: Required<OnChain>; isFinal: boolean }, now: Date): Decision<X402Payment> {
  const { isFinal, onChain } = at
  const isNew = payment.state === 'claimed' || payment.state === 'failed'
  const included = { ...payment, ...(payment.fund ? { fund: { ...includedAgain(payment.fund), ...(isFinal ? { isFinal } : {}) } } : {}) }
  const moved = { ...included, onChain, state: x402PaymentStates.move(payment.state, 'settle'), settledAt: payment.settledAt ?? now, failure: null }
  const mayGoBack = isFinal && moved.state === 'settled' && moved.fund?.refusal !== undefined
  const state = isNew || mayGoBack ? dated(moved, now) : moved
  return { state, events: [...(isNew ? [settledEvent(state)] : []), ...(isFinal ? arrivals(state) : [])] }
}

/** Money at the intake is not held for ever. */
const dated = (payment: X402Payment, now: Date): X402Payment =>
  payment.fund
    ? { ...payment, fund: { ...payment.fund, returnAt: payment.fund.refusal === undefined ? new Date(now.getTime() + creditMs) : now } }
    : payment

const includedAgain = ({ isDropped: _, isFinal: __, ...fund }: Fund): Fund => fund

/** Notifies the service that spends it. */
const arrivals = ({ id, state, fund, payer, amount, chain }: X402Payment): Draft[] =>
  fund && fund.service !== 'none' && fund.refusal === undefined && state === 'settled'
    ? [x402Arrived.of({ paymentId: id, service: fund.service, subject: fund.subject, payer, amount, chain })]
    : []

/** Announces again what is at the intake for good and nothing has used: the announcement before may have been lost, or what it led to. */
export function announceAgain(payment: X402Payment): Decision<X402Payment> | undefined {
  if (!payment.fund) return undefined
  const state: X402Payment = { ...payment, fund: { ...payment.fund, isFinal: true } }
  const events = arrivals(state)
  return events.length > 0 ? { state, events } : undefined
}

/** Whether what was final and was never reported as dropped is there, although no node knows its transaction any more. */
export const isPruned = ({ settledAt, fund }: X402Payment, now: Date): boolean =>
  fund?.isFinal === true && settledAt !== null && now.getTime() >= settledAt.getTime() + creditMs + prunedMs

/** Failure of a payment whose transfer the chain dropped. */
export const transferDropped = 'transfer_dropped'

const failable: readonly PaymentState[] = ['claimed', 'settled', 'served', 'held', 'returning']

/** What left the intake for it cannot be stopped. */
export const hasLeft = ({ state, fund }: X402Payment): boolean =>
  state === 'spent' || state === 'returned' || (state === 'returning' && fund?.giveBack?.onChain.status !== 'failed')

/**
 * No money arrived, or what arrived was dropped. A cancelled authorisation becomes final, too: what has failed only notes the outcome. What is spent or
 * on its way back is a loss of the platform.
 */
export function fail(payment: X402Payment, at: { failure: string; onChain: Required<OnChain> }): Decision<X402Payment> {
  const { fund } = payment
  const { onChain } = at
  if (fund && hasLeft(payment)) return { state: { ...payment, onChain, fund: { ...fund, isDropped: true } }, events: [] }
  if (!failable.includes(payment.state)) return { state: { ...payment, onChain }, events: [] }
  const ended = fund ? { fund: { ...fund, returnAt: null } } : {}
  const state = { ...payment, ...ended, ...at, state: x402PaymentStates.move(payment.state, 'fail') }
  // another payment may bear the identifier of one without money
  return { state: state.state === 'failed' ? { ...state, identifier: undefined } : state, events: [] }
}

const settledEvent = ({ id, agentId, payer, route, amount, chain, onChain, scheme, settledAt }: X402Payment): Draft =>
  x402Settled.of({
    settlementId: id,
    agentId,
    payer,
    route,
    amount,
    chain,
    txHash: onChain.txHash!,
    scheme,
    settledAt: settledAt!.toISOString(),
  })
