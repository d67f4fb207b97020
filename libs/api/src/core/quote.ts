import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { chain, id, microText, uuid, walletOut } from './fields.ts'

/** What x402 has to pay to the intake for one call, and who alone may pay it. */
export const quote = z.object({
  /** What is paid for: a gig, or the full name of a domain. */
  subject: id,
  price: microText,
  chain,
  /** The intake: its key is the platform's, so what funds nothing is returned. */
  payTo: walletOut,
  /** Intakes of former keys of the platform: a challenge that named one of them before the exchange is paid there. */
  formerPayTo: z.array(walletOut).optional(),
  /** Registered wallet of the agent: money of anybody else is refused. */
  payer: walletOut,
  agentId: uuid,
})
export type Quote = z.output<typeof quote>

const body = z.object({
  /** Body of the call, as it was sent. */
  request: z.unknown(),
  caller: z.object({ agentId: uuid, wallet: walletOut }).nullable(),
})

/** Why a call cannot succeed now; only a payment that is known already goes on. */
const refusal = z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() })
const response = z.object({ quote: quote.nullable(), refusal: refusal.nullable() })

/**
 * Fields of an internal endpoint that says what a call would cost by x402, and why it cannot succeed: nobody pays for a refusal. A quote of null:
 * nothing is due.
 */
export const quoting = { method: 'post', caller: 'internal', rate: 'read', body, response } as const
// biome-ignore lint/complexity/noBannedTypes: no parameters, no query
export type QuoteEndpoint = Endpoint<string, 'internal', {}, {}, typeof body, typeof response>
