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
    code: z.enum(['PAYMENT_REQUIRED', 'PAYMENT_INVALID', 'FUNDS_REQUIRED']),
    status: z.literal(402),
    details: z
      .looseObject({ options: fundingOptions })
      .optional()
      .meta({ description: 'With FUNDS_REQUIRED: why no source of the caller covers the amount' }),
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
export type PaymentProof = z.output<typeof paymentProof>

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
