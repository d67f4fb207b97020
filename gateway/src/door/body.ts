import type { IncomingMessage } from 'node:http'
import { limits, Refusal, refuse } from '@carapace/api'

const json = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i

export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

/** What the headers tell of a body, before a byte of it is read. @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE */
export function checkBodyHeaders(request: IncomingMessage): void {
  if (!hasBody(request)) return
  if (Number(request.headers['content-length'] ?? 0) > limits.body.bytes) refuse('PAYLOAD_TOO_LARGE', { limitBytes: limits.body.bytes })
  const type = request.headers['content-type']
  if (type !== undefined && !json.test(type)) refuse('UNSUPPORTED_MEDIA_TYPE')
}

/**
 * The raw bytes of a body, never parsed here. It is read whole before a service hears of the request: a slow client holds no upstream connection,
 * and one that goes away in the middle leaves nothing behind.
 * @throws PAYLOAD_TOO_LARGE for a body without a length that grows too big; ClientGone
 */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (!hasBody(request)) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limits.body.bytes) chunks.push(chunk)
      else reject(new Refusal('PAYLOAD_TOO_LARGE', { details: { limitBytes: limits.body.bytes } }))
    })
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.once('close', () => reject(new ClientGone()))
    request.once('error', () => reject(new ClientGone()))
  })
}

/** The client broke the connection: there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super('The client closed the connection')
    this.name = 'ClientGone'
  }
}
