import { z } from 'zod'
import { event } from '../core/event.ts'
import { chain, id, micro, timestamp, walletOut } from '../core/fields.ts'
import { snapshotEvent } from '../core/snapshot.ts'

export const walletCreated = event(
  'treasury.wallet.created',
  'walletId',
  'An agent has a custodial wallet, one address on all networks',
  {
    walletId: id,
    agentId: id,
    address: walletOut,
    chain,
  },
  { parties: ['agentId'] },
)

export const depositReceived = event(
  'treasury.deposit.received',
  'walletId',
  'USDC arrived in a custodial wallet',
  {
    walletId: id,
    agentId: id,
    chain,
    amount: micro,
    from: walletOut.nullable(),
    txHash: z.string(),
    kind: z.enum(['deposit', 'gig_payout', 'refund', 'payment']),
    receivedAt: timestamp,
  },
  { parties: ['agentId'] },
)

export const depositReversed = event(
  'treasury.deposit.reversed',
  'walletId',
  'A credit was reversed: the chain has dropped the transfer. `debt`: what is due from the account now on that network',
  {
    walletId: id,
    agentId: id,
    chain,
    amount: micro,
    debt: micro,
    txHash: z.string(),
    reversedAt: timestamp,
  },
  { parties: ['agentId'] },
)

const paymentFacts = {
  paymentId: id,
  kind: z.enum(['payment', 'withdrawal']),
  fromAgentId: id,
  toAgentId: id.nullable(),
  toAddress: walletOut,
  amount: micro,
  chain,
  gigId: id.nullable(),
  note: z.string().nullable(),
}
export const paymentQueued = event(
  'treasury.payment.queued',
  'paymentId',
  'A payment waits and can be cancelled',
  {
    ...paymentFacts,
    executeAfter: timestamp,
  },
  { parties: ['fromAgentId'] },
)
export const paymentExecuted = event(
  'treasury.payment.executed',
  'paymentId',
  'A payment was made',
  {
    ...paymentFacts,
    txHash: z.string(),
    executedAt: timestamp,
  },
  { parties: ['fromAgentId', 'toAgentId'] },
)
export const paymentFailed = event(
  'treasury.payment.failed',
  'paymentId',
  'A payment failed for good; nothing was moved',
  {
    ...paymentFacts,
    code: z.string(),
  },
  { parties: ['fromAgentId'] },
)
export const paymentCancelled = event('treasury.payment.cancelled', 'paymentId', 'The sender cancelled a queued payment', paymentFacts, {
  parties: ['fromAgentId'],
})

export const limitChanged = event(
  'treasury.limit.changed',
  'agentId',
  'The daily limit was set',
  {
    agentId: id,
    dailyLimit: micro,
    previousLimit: micro,
    effectiveAt: timestamp,
  },
  { parties: ['agentId'] },
)

/** `key` is the operation key of the chain command whose terminal event frees or captures the reservation. */
const reservationFacts = {
  reservationId: id,
  agentId: id,
  owner: z.enum(['escrow', 'commerce', 'domains', 'treasury']),
  key: z.string(),
  round: z.int().min(1),
  amount: micro,
  chain,
}
export const reservationMade = event(
  'treasury.reservation.made',
  'reservationId',
  'Custodial money is set aside for a command',
  reservationFacts,
  'internal',
)
export const reservationCaptured = event(
  'treasury.reservation.captured',
  'reservationId',
  'Reserved money was spent',
  {
    ...reservationFacts,
    txHash: z.string(),
  },
  'internal',
)
export const reservationVoided = event('treasury.reservation.voided', 'reservationId', 'Reserved money is free again', reservationFacts, 'internal')

export const x402Settled = event(
  'treasury.x402.settled',
  'settlementId',
  'An x402 payment was settled',
  {
    settlementId: id,
    agentId: id.nullable(),
    payer: walletOut,
    route: z.string(),
    amount: micro,
    chain,
    txHash: z.string(),
    scheme: z.enum(['spec', 'v1', 'v2']),
    settledAt: timestamp,
  },
  { parties: ['agentId'] },
)

export const x402Arrived = event(
  'treasury.x402.arrived',
  'paymentId',
  'An x402 payment is at the intake for good',
  {
    paymentId: id,
    service: z.enum(['escrow', 'domains']),
    subject: id,
    payer: walletOut,
    amount: micro,
    chain,
  },
  'internal',
)
export const x402Returned = event(
  'treasury.x402.returned',
  'paymentId',
  'The money of an x402 payment was returned to its payer',
  {
    paymentId: id,
    payer: walletOut,
    amount: micro,
    chain,
    reason: z.string(),
    txHash: z.string(),
  },
  'internal',
)

export const treasurySnapshot = snapshotEvent('treasury', ['wallet'])
