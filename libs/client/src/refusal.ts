import type { ErrorCode } from './generated/types.ts'

/** What an error body says besides its code and its text. */
export interface RefusalFacts {
  /** One line for each faulty field, of VALIDATION_ERROR. */
  errors?: readonly { path: string; message: string }[]
  /** Facts for programs, such as `{ required, actual }`; of a 402 challenge the whole body. */
  details?: Readonly<Record<string, unknown>>
  requestId?: string
  /** How long the platform wants a caller to wait. */
  retryAfterMs?: number
  /** The same call may succeed later. */
  isRetryable?: boolean
}

/**
 * A call that the platform refused, or did not answer (DEPENDENCY_UNAVAILABLE, status 503).
 * @example if (isRefusal(error, 'SCORE_TOO_LOW')) console.log(error.details.required)
 */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly errors: readonly { path: string; message: string }[]
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  readonly isRetryable: boolean

  constructor(code: ErrorCode, status: number, message: string, facts: RefusalFacts = {}) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = status
    this.errors = facts.errors ?? []
    this.details = facts.details ?? {}
    this.requestId = facts.requestId
    this.retryAfterMs = facts.retryAfterMs
    this.isRetryable = facts.isRetryable ?? false
  }
}

/** Whether a call was refused, with one of these codes where some are named. */
export function isRefusal<Code extends ErrorCode = ErrorCode>(error: unknown, ...codes: Code[]): error is Refusal & { code: Code } {
  return error instanceof Refusal && (codes.length === 0 || (codes as ErrorCode[]).includes(error.code))
}

/** A call that got no answer: another attempt may. */
export const noAnswer = (baseUrl: string, cause: unknown): Refusal =>
  new Refusal('DEPENDENCY_UNAVAILABLE', 503, `No answer from ${baseUrl}: ${String(cause)}`, { isRetryable: true })

/** Gateways and proxies on the way answer these without a body of the platform. */
const passing = new Set([429, 502, 503, 504])
const challenges: readonly string[] = ['PAYMENT_REQUIRED', 'PAYMENT_INVALID']

/** The refusal in an answer that is an error. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const { status, headers } = response
  const body = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  const timing = Number.isFinite(retryAfter) ? { retryAfterMs: retryAfter * 1_000 } : {}
  const isPassing = passing.has(status)
  if (typeof body?.code !== 'string')
    return new Refusal('DEPENDENCY_UNAVAILABLE', status, `Answer ${status} without a code`, { ...timing, details: { body }, isRetryable: isPassing })
  const { code, message, error, errors, details = {}, requestId, retryable } = body as unknown as ErrorBody
  return new Refusal(code, status, message ?? error ?? code, {
    ...timing,
    ...(errors ? { errors } : {}),
    ...(requestId ? { requestId } : {}),
    details: challenges.includes(code) ? body : details,
    isRetryable: retryable === true || isPassing,
  })
}

interface ErrorBody {
  code: ErrorCode
  message?: string
  /** In the place of the message, of a replay and of a challenge. */
  error?: string
  errors?: readonly { path: string; message: string }[]
  details?: Record<string, unknown>
  requestId?: string
  retryable?: boolean
}
