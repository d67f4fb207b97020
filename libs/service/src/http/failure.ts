import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorCode, errorBody, Refusal, type RefusalExtras } from '@carapace/api'
import { duplicateIndex, isUnavailable, isWriteConflict } from '@carapace/store'
import { send } from './reply.ts'

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

/** Sends a refusal as the spec's error body, or as problem+json when the caller requests it. */
export function sendFailure(request: IncomingMessage, response: ServerResponse, refusal: Refusal, requestId: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = errorBody(refusal, requestId)
  const problem = request.headers.accept?.includes('application/problem+json')
  const headers: Record<string, string> = { 'cache-control': 'private, no-store', 'x-request-id': requestId }
  const retryAfter = refusal.extras.retryAfter ?? (refusal.status === 503 || refusal.status === 504 ? 2 : undefined)
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  if (refusal instanceof RefusalWithHeaders) Object.assign(headers, refusal.headers)
  if (problem) {
    headers['content-type'] = 'application/problem+json; charset=utf-8'
    Object.assign(body, { type: `urn:carapace:error:${refusal.code}`, title: refusal.code, detail: refusal.message, instance: request.url ?? '' })
  }
  send(request, response, refusal.status, body, headers)
}
