import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { limits, Refusal } from '@carapace/api'

const tooDeep = new Refusal('MALFORMED_JSON', { message: `The body is nested deeper than ${limits.body.depth} levels` })
const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/

/**
 * The bytes of a request's body; undefined when there is none. Reads no more than the limit.
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE (no JSON, not UTF-8, compressed)
 */
export function readBody(request: IncomingMessage): Promise<Buffer> | undefined {
  checkBodyHeaders(request)
  return hasBody(request) ? collectBody(request, () => new Refusal('MALFORMED_JSON', { message: 'The body broke off' })) : undefined
}

/**
 * The JSON object of a body; none at all or an empty one is `{}`.
 * @throws MALFORMED_JSON, VALIDATION_ERROR (control characters)
 */
export function parseBody(bytes: Buffer | undefined): Record<string, unknown> {
  if (bytes === undefined || bytes.length === 0) return {}
  const body = parseJson(bytes)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal('MALFORMED_JSON')
  inspect(body, '', 1)
  return body as Record<string, unknown>
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** What the headers declare of a body, before a byte of it is read. @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE */
export function checkBodyHeaders(request: IncomingMessage): void {
  if (!hasBody(request)) return
  const { 'content-length': length, 'content-type': type, 'content-encoding': encoding = 'identity' } = request.headers
  if (Number(length ?? 0) > limits.body.bytes) throw tooLarge()
  if (type !== undefined && !(jsonType.test(type) && /^utf-?8$/i.test(charset.exec(type)?.[1] ?? 'utf-8')))
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE')
  if (encoding.toLowerCase() !== 'identity') throw new Refusal('UNSUPPORTED_MEDIA_TYPE', { message: 'The body must not be compressed' })
}

/**
 * The raw bytes of a body.
 * @param brokeOff what to reject with when the sender goes away in the middle
 * @throws PAYLOAD_TOO_LARGE for a body without a length that grows too big
 */
export function collectBody(request: IncomingMessage, brokeOff: () => Error): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // it went away before anybody listened
    if (request.destroyed) return reject(brokeOff())
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limits.body.bytes) chunks.push(chunk)
      else reject(tooLarge())
    })
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.once('error', () => reject(brokeOff()))
    request.once('close', () => {
      if (!request.complete) reject(brokeOff())
    })
  })
}

const tooLarge = () => new Refusal('PAYLOAD_TOO_LARGE', { details: { limitBytes: limits.body.bytes } })

function parseJson(bytes: Buffer): unknown {
  try {
    return isUtf8(bytes) ? JSON.parse(bytes.toString()) : undefined
  } catch {
    return undefined
  }
}

function inspect(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    if (control.test(value)) refuseControl(path)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > limits.body.depth) throw tooDeep
  for (const [key, inner] of Object.entries(value)) {
    if (control.test(key)) refuseControl(path)
    inspect(inner, path ? `${path}.${key}` : key, depth + 1)
  }
}

function refuseControl(path: string): never {
  throw new Refusal('VALIDATION_ERROR', {
    message: `${path || 'body'} must not contain control characters`,
    errors: [{ path, message: 'must not contain control characters' }],
  })
}
