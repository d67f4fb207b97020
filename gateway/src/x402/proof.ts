import type { IncomingMessage } from 'node:http'
import { type PaymentProof, paymentProof } from '@carapace/api'
import { paymentIdentifier } from './extensions.ts'

/** A payment as one of the three dialects sends it. `unreadable`: something was sent that is none of them. */
export type Sent =
  | { scheme: 'spec'; proof: PaymentProof }
  | { scheme: 'v1' | 'v2'; payload: Record<string, unknown>; identifier?: unknown }
  | { scheme: 'unreadable' }
  | undefined

/** Reads PAYMENT-SIGNATURE (x402 v2), or X-PAYMENT, which v1 and the spec's dialect share. Never throws. */
export function sentPayment({ headers }: IncomingMessage): Sent {
  const v2 = textOf(headers['payment-signature'])
  if (v2 !== undefined) return standard(decoded(v2))
  const shared = textOf(headers['x-payment'])
  if (shared === undefined) return undefined
  const payment = shared.startsWith('{') ? parsed(shared) : decoded(shared)
  if (payment && 'txHash' in payment && 'nonce' in payment) {
    const { data } = paymentProof.safeParse(payment)
    return data ? { scheme: 'spec', proof: data } : { scheme: 'unreadable' }
  }
  return standard(payment)
}

function standard(payload: Record<string, unknown> | undefined): Sent {
  if (payload?.x402Version === 2) return v2Payment(payload)
  if (payload?.x402Version === 1) return { scheme: 'v1', payload }
  return { scheme: 'unreadable' }
}

/** Clients send the extensions of the challenge back: of them only the identifier says something. */
function v2Payment({ extensions, ...payload }: Record<string, unknown>): Sent {
  const identifier = (extensions as Record<string, { info?: { id?: unknown } } | undefined> | undefined)?.[paymentIdentifier]?.info?.id
  return { scheme: 'v2', payload, ...(identifier === undefined ? {} : { identifier }) }
}

const decoded = (base64: string) => parsed(Buffer.from(base64, 'base64').toString())

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  const value = Array.isArray(header) ? header[0] : header
  const trimmed = value?.trim()
  return trimmed === undefined || trimmed === '' ? undefined : trimmed
}
