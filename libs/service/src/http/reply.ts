import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorCode, errorBody, type PageQuery, Refusal, type RefusalExtras } from '@carapace/api'
import { duplicateIndex, isUnavailable, isWriteConflict } from '@carapace/store'

/** An answer that is more than its declared status and a JSON body. Made by `reply`, `image`, `list`. */
export class Reply {
  readonly status: number | undefined
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  /** Where the next page of a list begins. */
  readonly nextOffset: number | undefined

  constructor(status: number | undefined, body: unknown, headers: Readonly<Record<string, string>> = {}, nextOffset?: number) {
    this.status = status
    this.body = body
    this.headers = headers
    this.nextOffset = nextOffset
  }
}

/** A declared status other than the main one. @example return reply(202, { ...view(gig), statusUrl }) */
export const reply = (status: number, body: unknown, headers?: Record<string, string>) => new Reply(status, body, headers)

/** A binary or text answer with its content type. */
export const content = (type: string, body: Buffer | string, headers?: Record<string, string>) =>
  new Reply(undefined, Buffer.from(body), { 'content-type': type, ...headers })

/** A bare array with its total in `X-Total-Count` and the next page in `Link`. */
export const bareList = (items: unknown[], total: number, page: PageQuery) =>
  new Reply(undefined, items, { 'x-total-count': String(total) }, page.offset + items.length < total ? page.offset + page.limit : undefined)

/** Writes an answer: ETag and 304 on GET, length, type; they are added to `headers`. HEAD sends no body. */
export function send(request: IncomingMessage, response: ServerResponse, status: number, body: unknown, headers: Record<string, string>): void {
  // one string goes out with the header in a single write; a Buffer would cost a second one
  const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body)
  if (status === 200 && (request.method === 'GET' || request.method === 'HEAD')) {
    headers.etag ??= tagOf(bytes)
    if (matchesEtag(request.headers['if-none-match'], headers.etag)) {
      response.writeHead(304, headers)
      response.end()
      return
    }
  }
  if (typeof bytes === 'string') headers['content-type'] ??= 'application/json; charset=utf-8'
  headers['content-length'] = String(Buffer.byteLength(bytes))
  response.writeHead(status, headers)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** The ETag of a content. */
export const tagOf = (bytes: string | Buffer): string =>
  `W/"${typeof bytes === 'string' ? quickHash(bytes) : createHash('sha1').update(bytes).digest('base64url')}"`

/** RFC 9110: a list of tags or `*`, compared weakly. */
export function matchesEtag(given: string | undefined, etag: string): boolean {
  return given !== undefined && (given === etag || given.trim() === '*' || tagsIn(given).includes(weak(etag)))
}

/** The tags of If-None-Match, all as weak ones. */
export const tagsIn = (given: string | undefined): string[] => (given === undefined ? [] : given.split(',').map(weak))

const weak = (tag: string): string => `W/${tag.trim().replace(/^W\//, '')}`

/** 53 bits of a string (cyrb53, public domain): distinguishes two versions of one answer, and a weak ETag needs no more. */
function quickHash(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return (4_294_967_296 * (2_097_151 & low) + (high >>> 0)).toString(36)
}

/** The `Link` header (RFC 8288) to the page of the same list that begins at `offset`. */
export function linkToNext(request: IncomingMessage, offset: number): string {
  const url = new URL(request.url ?? '/', 'http://local')
  url.searchParams.set('offset', String(offset))
  return `<${url.pathname}${url.search}>; rel="next"`
}

/** A refusal whose answer carries headers of its own. */
export class RefusalWithHeaders extends Refusal {
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, extras: RefusalExtras, headers: Readonly<Record<string, string>>) {
    super(code, extras)
    this.headers = headers
  }
}

/** What an accident means to the caller: a refusal stays, a lost database is 503, a lost race 409, the rest a 500 without details. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (duplicateIndex(error) !== undefined || isWriteConflict(error)) return new Refusal('CONFLICT')
  if (isUnavailable(error)) return new Refusal('DEPENDENCY_UNAVAILABLE', { retryAfter: 2 })
  return new Refusal('INTERNAL_ERROR')
}

/** Seconds, where a refusal names none. A 429 without a window is over when something else ends, such as a stream of its reader. */
const usualPauses: Readonly<Record<number, number>> = { 429: 30, 503: 2, 504: 2 }

/** Sends a refusal as the spec's error body, or as problem+json when the caller requests it. */
export function sendFailure(request: IncomingMessage, response: ServerResponse, refusal: Refusal, requestId: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = errorBody(refusal, requestId)
  const problem = request.headers.accept?.includes('application/problem+json')
  const headers: Record<string, string> = { 'cache-control': 'private, no-store', 'x-request-id': requestId }
  const retryAfter = refusal.extras.retryAfter ?? usualPauses[refusal.status]
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  if (refusal instanceof RefusalWithHeaders) Object.assign(headers, refusal.headers)
  if (problem) {
    headers['content-type'] = 'application/problem+json; charset=utf-8'
    Object.assign(body, { type: `urn:carapace:error:${refusal.code}`, title: refusal.code, detail: refusal.message, instance: request.url ?? '' })
  }
  send(request, response, refusal.status, body, headers)
}
