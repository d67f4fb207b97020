import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { refuseField } from '@carapace/api'
import { contextHeader, expiry, type RequestContext, requestIdHeader, signContext } from '@carapace/service'
import { type Identity, nobody } from '../identity/identify.ts'
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

/** Signs what the gateway vouches for towards the service: the header that says so. @param payment that covers the request */
export type Vouched = (payment?: RequestContext['payment']) => string

interface Caller {
  ip: string
  identity: Identity
}

/** @throws VALIDATION_ERROR for an Idempotency-Key that is none */
export type Vouch = (request: IncomingMessage, caller: Caller) => Vouched

const mostAddresses = 1_000

export function vouching(internalKey: string): Vouch {
  // all that is known of nobody is an address: what was made for one serves until contexts expire later
  const ofNobody = new Map<string, Vouched>()
  let step = 0
  return (request, caller) => {
    const key = idempotencyKey(request.headers['idempotency-key'])
    const expires = expiry()
    const make = () => vouchedFor(caller, key, expires, internalKey)
    if (caller.identity !== nobody || key !== undefined) return make()
    if (expires !== step || ofNobody.size >= mostAddresses) ofNobody.clear()
    step = expires
    const vouched = ofNobody.get(caller.ip) ?? make()
    ofNobody.set(caller.ip, vouched)
    return vouched
  }
}

function vouchedFor({ identity, ip }: Caller, key: string | undefined, expires: number, internalKey: string): Vouched {
  const context: RequestContext = { ...identity, ip, ...(key === undefined ? {} : { idempotencyKey: key }), expires }
  let unpaid: string | undefined
  return payment => {
    if (payment) return signContext({ ...context, payment }, internalKey)
    unpaid ??= signContext(context, internalKey)
    return unpaid
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
