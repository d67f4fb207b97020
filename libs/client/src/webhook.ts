/** The three headers of Standard Webhooks, as any HTTP library gives them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** A delivery that is not what the platform sent. */
export class WebhookError extends Error {
  override name = 'WebhookError'
}

const toleranceSeconds = 300
const prefix = 'whsec_'

/**
 * The notification in a delivery, once its signature and its time are right (Standard Webhooks).
 * @param secret of the webhook; several while it is being rotated
 * @param body as it arrived, not parsed
 * @throws WebhookError for a delivery that must not be believed
 * @example const notification = await verifyWebhook(secret, request.headers, await request.text())
 */
export async function verifyWebhook<Data = Record<string, unknown>>(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  now: number = Date.now(),
): Promise<Data> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => headerOf(headers, name))
  if (!id || !timestamp || !signatures) throw new WebhookError('headers of Standard Webhooks are missing')
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= toleranceSeconds)) throw new WebhookError('the time of the delivery is too far away')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await crypto.subtle.importKey(
      'raw',
      bytesOf(one.startsWith(prefix) ? one.slice(prefix.length) : one),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    )
    for (const part of signatures.split(' ')) {
      const [version, signature] = part.split(',')
      if (version !== 'v1' || !signature || !isBase64(signature)) continue
      if (await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed)) return JSON.parse(text) as Data
    }
  }
  throw new WebhookError('no signature matches')
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), char => char.charCodeAt(0))
  } catch {
    throw new WebhookError('a secret is not base64')
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.[0]
}
