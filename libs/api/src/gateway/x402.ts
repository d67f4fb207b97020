import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { uuid } from '../core/fields.ts'
import { fundingOptions } from '../core/funding.ts'

/** The challenge of a 402 answer: the fields of the spec and what x402 v1 clients read; v2 clients read the header PAYMENT-REQUIRED. */
export const paymentChallenge = z
  .looseObject({
    paymentRequired: z.literal(true),
    amount: z.string().meta({ description: 'USDC, as text' }),
    currency: z.literal('USDC'),
    payTo: z.string(),
    nonce: z.string(),
    deadline: z.int().meta({ description: 'Unix seconds' }),
    chain: z.string(),
    scheme: z.literal('exact'),
    memo: z.string(),
    x402Version: z.literal(1),
    error: z.string(),
    accepts: z.array(z.looseObject({})),
    message: z.string(),
    code: z.enum(['PAYMENT_REQUIRED', 'PAYMENT_INVALID']),
    status: z.literal(402),
    details: z.looseObject({ options: fundingOptions }).optional().meta({ description: 'Why no source of the caller covers the budget of a gig' }),
  })
  .meta({ id: 'PaymentChallenge' })
export type PaymentChallenge = z.output<typeof paymentChallenge>

/** The spec's payment proof, raw JSON in the header X-Payment. */
export const paymentProof = z
  .object({
    txHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
    amount: z.union([z.string(), z.number()]),
    from: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    to: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  })
  .meta({ id: 'PaymentProof' })

export interface Price {
  path: string
  /** Query values that tell entries of one path apart; the first entry also stands for a missing value. */
  query?: Readonly<Record<string, string>>
  /** Whole USDC, as text. */
  amount: string
  /** Gated: a call without proof gets 402. Otherwise only sold by /api/x402/pay and open by itself. */
  gated: boolean
}
/** Everything that has a price, beside the budgets of fund-escrow (behaviour 12). */
export const x402Prices: readonly Price[] = [
  { path: '/api/reputation/check-eligibility', amount: '0.001', gated: true },
  { path: '/api/agents/:id/reputation', query: { view: 'full' }, amount: '0.002', gated: false },
  { path: '/api/agents/:id/reputation', query: { view: 'basic' }, amount: '0.001', gated: false },
  { path: '/api/trust-receipts/:id', amount: '0.001', gated: false },
]

export const payX402 = endpoint({
  method: 'post',
  path: '/api/x402/pay',
  summary: 'Buy the data of a priced path: the challenge without a proof, the data with one',
  caller: 'public',
  crossOrigin: true,
  rate: 'read',
  body: z.object({
    endpoint: z
      .string()
      .max(500)
      .regex(/^\/[\x21-\x7e]*$/, 'must be a path'),
    agentId: uuid.optional(),
  }),
  response: z.looseObject({}),
  errors: ['NOT_PRICED', 'PAYMENT_REQUIRED', 'PAYMENT_INVALID', 'REPLAY_DETECTED'],
})
