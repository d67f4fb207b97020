import type { AnyEndpoint, ErrorCode, Refusal } from '@carapace/api'
import type { Idempotency, StoredAnswer } from './idempotency.ts'
import { asRefusal, RefusalWithHeaders } from './reply.ts'

export interface Finished {
  status: number
  payload: unknown
  headers: Record<string, string>
  /** Where the next page of a list begins. */
  nextOffset?: number | undefined
}

const json = { 'content-type': 'application/json; charset=utf-8' }
const replayed = { 'idempotency-replayed': 'true' }

/**
 * Runs once per key: a success or a final refusal is saved and replayed, everything else may be tried again.
 * @throws what `run` throws; the saved refusal; IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS
 */
export async function once(
  idempotency: Idempotency,
  { id, fingerprint }: { id: string; fingerprint: string },
  endpoint: AnyEndpoint,
  run: () => Promise<Finished>,
): Promise<Finished> {
  const earlier = await idempotency.claim(id, fingerprint)
  if (earlier) return replay(earlier)
  try {
    const done = await run()
    if (done.status >= 400) await idempotency.release(id)
    else await idempotency.save(id, { status: done.status, body: bodyToSave(endpoint, done) })
    return done
  } catch (error) {
    const refusal = asRefusal(error)
    if (isFinal(refusal)) await idempotency.save(id, { status: refusal.status, body: JSON.stringify({ code: refusal.code, ...refusal.extras }) })
    else await idempotency.release(id)
    throw error
  }
}

function replay({ status, body }: StoredAnswer): Finished {
  if (status < 400) return { status, payload: Buffer.from(body), headers: { ...json, ...replayed } }
  const { code, ...extras } = JSON.parse(body)
  throw new RefusalWithHeaders(code as ErrorCode, extras, replayed)
}

const isFinal = (refusal: Refusal) => [403, 404, 409].includes(refusal.status) && !refusal.isRetryable

function bodyToSave(endpoint: AnyEndpoint, { payload }: Finished): string {
  return endpoint.sensitive || Buffer.isBuffer(payload) ? '{"success":true}' : JSON.stringify(payload)
}
