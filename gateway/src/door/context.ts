import type { IncomingMessage } from 'node:http'
import { refuse } from '@carapace/api'
import { expiry, type RequestContext } from '@carapace/service'
import type { Identity } from '../identity/identify.ts'

/** What the gateway vouches for towards the service. @throws VALIDATION_ERROR for an Idempotency-Key that is none */
export function contextOf(request: IncomingMessage, known: { ip: string; identity: Identity }): RequestContext {
  const key = idempotencyKey(request.headers['idempotency-key'])
  return {
    ...known.identity,
    ip: known.ip,
    ...(key === undefined ? {} : { idempotencyKey: key }),
    expires: expiry(),
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
