import { type PaymentChallenge, Refusal, usd } from '@carapace/api'
import { type KnownNetwork, paymentTerms, paymentTermsV1 } from '@carapace/chain'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import type { Challenged } from './nonce.ts'
import { deadlineOf } from './nonce.ts'

/** A 402 answer: its body serves the spec's dialect and x402 v1, its header PAYMENT-REQUIRED serves v2. */
export class PaymentRefusal extends Refusal {
  readonly body: PaymentChallenge
  readonly header: string

  constructor(body: PaymentChallenge, header: string) {
    super(body.code, { message: body.message })
    this.body = body
    this.header = header
  }
}

export interface Offer {
  challenged: Challenged
  networks: readonly KnownNetwork[]
  nonce: string
  issuedAt: number
  /** Absolute address of the request. */
  url: string
  memo: string
  description: string
  /** Of x402 v2. */
  extensions: Record<string, unknown>
  /** Why the payment that was sent is refused, in a code of x402; undefined: none was sent. */
  refused?: { reason: string; message: string } | undefined
  /** Why no source of the caller covers it, as its service says. */
  shortfall?: Refusal | undefined
}

const mimeType = 'application/json'

/** One 402 answer for all three dialects; both networks are offered. */
export function challenge({ challenged, networks, nonce, issuedAt, url, memo, description, extensions, refused, shortfall }: Offer): PaymentRefusal {
  const { price, payTo } = challenged
  const terms = networks.map(network => paymentTerms(network, price, payTo))
  const resource = { url, description, mimeType }
  const body: PaymentChallenge = {
    paymentRequired: true,
    amount: String(usd(price)),
    currency: 'USDC',
    payTo,
    nonce,
    deadline: Math.floor(deadlineOf(issuedAt) / 1_000),
    chain: networks[0]!.chain,
    scheme: 'exact',
    memo,
    x402Version: 1,
    error: refused?.reason ?? 'X-PAYMENT header is required',
    accepts: terms.map((each, at) => ({ ...paymentTermsV1(each, networks[at]!.chain, resource) })),
    message: refused?.message ?? shortfall?.message ?? 'Payment required',
    code: refused ? 'PAYMENT_INVALID' : shortfall ? 'FUNDS_REQUIRED' : 'PAYMENT_REQUIRED',
    status: 402,
    ...(shortfall ? { details: shortfall.extras.details as NonNullable<PaymentChallenge['details']> } : {}),
  }
  const error = refused?.reason ?? 'PAYMENT-SIGNATURE header is required'
  return new PaymentRefusal(body, encodePaymentRequiredHeader({ x402Version: 2, error, resource, accepts: terms, extensions }))
}
