import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** An answer that is more than its declared status and a JSON body. Made by `reply`, `image`, `list`. */
export class Reply {
  readonly status: number | undefined
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number | undefined, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** A declared status other than the main one. @example return reply(202, { ...view(gig), statusUrl }) */
export const reply = (status: number, body: unknown, headers?: Record<string, string>) => new Reply(status, body, headers)

/** A binary or text answer with its content type. */
export const content = (type: string, body: Buffer | string, headers?: Record<string, string>) =>
  new Reply(undefined, Buffer.from(body), { 'content-type': type, ...headers })

/** A bare array with its total in `X-Total-Count` and the next page in `Link`. */
export const bareList = (items: unknown[], total: number, page: { limit: number; offset: number }) =>
  new Reply(undefined, items, {
    'x-total-count': String(total),
    ...(page.offset + items.length < total ? { 'x-next-offset': String(page.offset + page.limit) } : {}),
  })

/** Writes an answer: ETag and 304 on GET, length, type. HEAD sends no body. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) if (name !== 'x-next-offset') response.setHeader(name, value)
  if (headers['x-next-offset'] !== undefined) response.setHeader('link', `<${nextUrl(request, headers['x-next-offset'])}>; rel="next"`)
  if (!Buffer.isBuffer(body) && headers['content-type'] === undefined) response.setHeader('content-type', 'application/json; charset=utf-8')
  if (status === 200 && (request.method === 'GET' || request.method === 'HEAD')) {
    const etag = headers.etag ?? `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
    response.setHeader('etag', etag)
    if (request.headers['if-none-match'] === etag) {
      response.statusCode = 304
      response.removeHeader('content-type')
      response.end()
      return
    }
  }
  response.setHeader('content-length', bytes.length)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

function nextUrl(request: IncomingMessage, offset: string): string {
  const url = new URL(request.url ?? '/', 'http://local')
  url.searchParams.set('offset', offset)
  return `${url.pathname}${url.search}`
}
