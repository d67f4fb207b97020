import type { IncomingMessage } from 'node:http'
import { limits, Refusal } from '@carapace/api'
import express, { type Request, type Response } from 'express'

const parse = express.json({ limit: limits.body.bytes, type: () => true })
const tooDeep = new Refusal('MALFORMED_JSON', { message: `The body is nested deeper than ${limits.body.depth} levels` })
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/

/**
 * The JSON object of a request; an empty body is `{}`.
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON, VALIDATION_ERROR (control characters)
 */
export async function readBody(request: Request, response: Response): Promise<Record<string, unknown>> {
  if (!hasBody(request)) return {}
  const type = request.headers['content-type']
  if (type !== undefined && !/^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i.test(type)) throw new Refusal('UNSUPPORTED_MEDIA_TYPE')
  await new Promise<void>((resolve, reject) => parse(request, response, (error?: unknown) => (error ? reject(bodyRefusal(error)) : resolve())))
  const body: unknown = request.body
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal('MALFORMED_JSON')
  inspect(body, '', 1)
  return body as Record<string, unknown>
}

export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

function bodyRefusal(error: unknown): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined
  if (type === 'entity.too.large') return new Refusal('PAYLOAD_TOO_LARGE')
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return new Refusal('UNSUPPORTED_MEDIA_TYPE')
  return new Refusal('MALFORMED_JSON')
}

function inspect(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    if (control.test(value)) refuseControl(path)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > limits.body.depth) throw tooDeep
  for (const [key, inner] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key
    if (control.test(key)) refuseControl(path)
    inspect(inner, at, depth + 1)
  }
}

function refuseControl(path: string): never {
  throw new Refusal('VALIDATION_ERROR', {
    message: `${path || 'body'} must not contain control characters`,
    errors: [{ path, message: 'must not contain control characters' }],
  })
}
