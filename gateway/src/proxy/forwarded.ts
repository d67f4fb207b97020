import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { refuseField } from '@carapace/api'
import { contextHeader, expiry, type RequestContext, requestIdHeader } from '@carapace/service'
import type { Identity } from '../identity/identify.ts'
import type { RawHeaders } from '../request/headers.ts'

/**
 * The only headers of a client that a service gets. The caller is named by the signed context alone, so identity headers, keys and
 * copies of the context stop here.
 */
const forwarded = [
  'accept',
  'accept-language',
  'content-type',
  'content-encoding',
  'if-none-match',
  'last-event-id',
  'prefer',
  'user-agent',
  'x-payment',
  'payment-signature',
] as const

/** What a connection says about itself, and what the gateway says for all. */
const dropped = new Set(
  'connection keep-alive proxy-authenticate proxy-connection te trailer transfer-encoding upgrade x-powered-by x-request-id x-auth-mode traceparent'.split(
    ' ',
  ),
)

/** Headers of the request to a service. `isPaid`: who pays gets the data, also where it has an equal answer already. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  own: { context: string; requestId: string; traceparent: string; isPaid: boolean },
): RawHeaders {
  const list: RawHeaders = [contextHeader, own.context, requestIdHeader, own.requestId, 'traceparent', own.traceparent]
  for (const name of forwarded) {
    if (own.isPaid && name === 'if-none-match') continue
    const value = headers[name]
    if (typeof value === 'string') list.push(name, value)
  }
  return list
}

/** Headers of a service's answer without those of the connection and those that the gateway says for all. */
export function answerHeaders(upstream: Buffer[]): RawHeaders {
  const list: RawHeaders = []
  for (let i = 0; i < upstream.length; i += 2) {
    const name = upstream[i]!.toString('latin1').toLowerCase()
    if (!dropped.has(name)) list.push(name, upstream[i + 1]!.toString('latin1'))
  }
  return list
}

/** What the gateway vouches for towards the service. @throws VALIDATION_ERROR for an Idempotency-Key that is none */
export function contextOf(request: IncomingMessage, caller: { ip: string; identity: Identity }): RequestContext {
  const key = idempotencyKey(request.headers['idempotency-key'])
  return {
    ...caller.identity,
    ip: caller.ip,
    ...(key === undefined ? {} : { idempotencyKey: key }),
    expires: expiry(),
  }
}

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = String(header)
    .trim()
    .replace(/^"(.*)"$/, '$1')
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) refuseField('idempotency-key', 'must be 1 to 255 visible characters', { header: 'idempotency-key' })
  return key
}
