/** Names and values alternate, the form that `writeHead` accepts without copying. */
export type RawHeaders = string[]

export function headerIn(headers: RawHeaders, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (headers[i]!.toLowerCase() === name) return headers[i + 1]
  return undefined
}

const security = ['x-content-type-options', 'nosniff', 'referrer-policy', 'no-referrer', 'x-frame-options', 'DENY']
const jsonPolicy = ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"]
const exposed =
  'etag, link, retry-after, x-request-id, x-auth-mode, x-total-count, ratelimit, ratelimit-policy, idempotency-replayed, payment-required, payment-response, x-payment-response'

/** Headers of every answer; `hsts` when the public address of the gateway is https. */
export function commonHeaders(options: { mode: string; hsts: boolean }): RawHeaders {
  return [...security, 'x-auth-mode', options.mode, ...(options.hsts ? ['strict-transport-security', 'max-age=31536000'] : [])]
}

/** Pages have their own content security policy; everything else may not run or load anything. */
export const policyFor = (produces: string | undefined): RawHeaders => (produces === 'text/html' ? [] : jsonPolicy)

export const crossOriginHeaders: RawHeaders = ['access-control-allow-origin', '*', 'access-control-expose-headers', exposed]

/**
 * In plain mode a header is enough to act as an agent, so no other site may send one through a browser. Admin headers never.
 * The clients of x402 send access-control-expose-headers with their payment, a header of answers; browsers request it as any other.
 */
const requestHeaders =
  'accept, access-control-expose-headers, content-type, if-none-match, last-event-id, mcp-protocol-version, payment-signature, prefer, traceparent, x-payment, x-request-id'
const signedHeaders = 'content-digest, idempotency-key, signature, signature-input, x-agent-id, x-wallet-address'

/** Answer to a preflight. */
export const preflightHeaders: Readonly<Record<'plain' | 'signed', RawHeaders>> = {
  plain: preflight('GET, HEAD, POST', requestHeaders),
  signed: preflight('GET, HEAD, POST, PUT, PATCH, DELETE', `${requestHeaders}, ${signedHeaders}`),
}

function preflight(methods: string, headers: string): RawHeaders {
  return [
    'access-control-allow-origin',
    '*',
    'access-control-allow-methods',
    methods,
    'access-control-allow-headers',
    headers,
    'access-control-max-age',
    '600',
  ]
}
