import type { IncomingMessage } from 'node:http'
import { refuse } from '@carapace/api'
import type { RequestContext } from '@carapace/service'
import type { Identity } from '../identity/identify.ts'
import type { Payment } from '../payment.ts'

const contextMs = 30_000

/** What the gateway vouches for towards the service. @throws VALIDATION_ERROR for an Idempotency-Key that is none */
export function contextOf(
  request: IncomingMessage,
  known: { requestId: string; traceparent: string; ip: string; identity: Identity; payment: Payment | undefined },
): RequestContext {
  const key = idempotencyKey(request.headers['idempotency-key'])
  return {
    requestId: known.requestId,
    ...known.identity,
    ip: known.ip,
    traceparent: known.traceparent,
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(known.payment ? { payment: known.payment } : {}),
    expires: Date.now() + contextMs,
  }
}

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = String(header)
    .trim()
    .replace(/^"(.*)"$/, '$1')
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    refuse('VALIDATION_ERROR', { header: 'idempotency-key' }, { message: 'Idempotency-Key must be 1 to 255 visible characters' })
  return key
}
