/** Names and values alternate, the form that `writeHead` accepts without copying. */
export type RawHeaders = string[]

const security = ['x-content-type-options', 'nosniff', 'referrer-policy', 'no-referrer', 'x-frame-options', 'DENY']
const jsonPolicy = ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"]
const exposed =
  'etag, link, retry-after, x-request-id, x-auth-mode, x-total-count, ratelimit, ratelimit-policy, idempotency-replayed, payment-required, payment-response'

/** Headers of every answer; `hsts` when the public address of the gateway is https. */
export function commonHeaders(options: { mode: string; hsts: boolean }): RawHeaders {
  return [...security, 'x-auth-mode', options.mode, ...(options.hsts ? ['strict-transport-security', 'max-age=31536000'] : [])]
}

/** Pages have their own content security policy; everything else may not run or load anything. */
export const policyFor = (produces: string | undefined): RawHeaders => (produces === 'text/html' ? [] : jsonPolicy)

export const crossOriginHeaders: RawHeaders = ['access-control-allow-origin', '*', 'access-control-expose-headers', exposed]

/** Answer to a preflight. Identity headers are not among the allowed ones, so no other site can act for an agent through a browser. */
export const preflightHeaders: RawHeaders = [
  'access-control-allow-origin',
  '*',
  'access-control-allow-methods',
  'GET, HEAD, POST',
  'access-control-allow-headers',
  'accept, content-type, if-none-match, payment-signature, prefer, traceparent, x-payment',
  'access-control-max-age',
  '600',
]
