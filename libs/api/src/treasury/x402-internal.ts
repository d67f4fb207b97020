import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, microText, txHash, uuid, walletIn, walletOut } from '../core/fields.ts'
import { paymentProof } from '../gateway/x402.ts'

/** What is bought, as the gateway vouches for it. */
const purchase = {
  /** Method and path template. */
  route: z.string().max(200),
  price: microText,
  payTo: walletOut,
  agentId: uuid.nullable(),
  /** Who may use the payment as a credit. */
  buyer: z.string().max(100),
  /** The client's own name for the payment (extension payment-identifier of x402), and a hash of what is bought with it. */
  identifier: z.object({ id: z.string().max(128), request: z.string().max(64) }).optional(),
}

/** An answer that was served, as text of JSON. */
const answer = z.object({ status: z.int(), text: z.string() })

/** What a payment to the intake is for. Only this payer, this amount, on this network. */
const fund = z.object({
  service: z.enum(['escrow', 'domains']),
  subject: id,
  chain,
  payer: walletOut,
  /** No new authorisation is settled: what it would pay for cannot be had. */
  onlyKnown: z.boolean().default(false),
})

const sent = z.discriminatedUnion('scheme', [
  z.object({
    scheme: z.literal('spec'),
    proof: paymentProof,
    /** Of the challenge that the nonce belongs to, Unix milliseconds. */
    issuedAt: z.int(),
    deadline: z.int(),
    /** Registered wallet of the agent that the purchase is for. */
    agentWallet: walletIn.nullable(),
    /** The caller has proven to be that agent. */
    byAgent: z.boolean().default(false),
    /** `x-wallet-address` as sent. */
    claimedWallet: z.string().nullable(),
  }),
  z.object({ scheme: z.enum(['v1', 'v2']), payload: z.record(z.string(), z.unknown()) }),
])

/** A settled payment, leased to one request until it is closed; or one that was served under the same identifier, with its answer. */
const settled = z.object({
  id,
  payer: walletOut,
  chain,
  network: z.string(),
  txHash,
  amount: microText,
  nonce: z.string(),
  answer: answer.optional(),
})
export type SettledX402 = z.output<typeof settled>

export const collectX402 = endpoint({
  method: 'post',
  path: '/internal/v1/x402/payments',
  caller: 'internal',
  summary: 'Verifies and settles a payment for one request. A settled payment that served nothing yet is a credit for its route',
  body: z.object({ ...purchase, fund: fund.optional(), sent }),
  response: settled,
  errors: ['PAYMENT_INVALID', 'REPLAY_DETECTED', 'CHAIN_UNAVAILABLE'],
})

export const closeX402 = endpoint({
  method: 'post',
  path: '/internal/v1/x402/payments/:id/close',
  caller: 'internal',
  summary: 'Says whether the request of a payment was served; one that was not leaves a credit',
  params: { id },
  body: z.object({ served: z.boolean(), answer: answer.optional() }),
  response: z.object({ state: z.string() }),
})

export const holdX402 = endpoint({
  method: 'post',
  path: '/internal/v1/x402/payments/:id/hold',
  caller: 'internal',
  summary: 'Sets a payment at the intake aside for one round of one command. The same request again has the same answer',
  params: { id },
  body: z.object({ key: z.string().max(200), round: z.int().min(1) }),
  /** pending: it is not at the intake for good yet. refused: it never serves this round. */
  response: z.object({ status: z.enum(['held', 'pending', 'refused']), payTo: walletOut }),
  errors: ['CHAIN_UNAVAILABLE'],
})

export const returnX402 = endpoint({
  method: 'post',
  path: '/internal/v1/x402/payments/:id/return',
  caller: 'internal',
  summary: 'Sends a payment at the intake back to its payer. One that is set aside for a command stays until that has ended',
  params: { id },
  body: z.object({ reason: z.string().max(200) }),
  response: z.object({ state: z.string() }),
})
