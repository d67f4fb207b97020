/**
 * The only place where an error code meets its HTTP status and standard text.
 * `retryable` codes carry `retryable: true`: the same call may succeed later.
 */
export const errors = {
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid' },
  MALFORMED_JSON: { status: 400, message: 'The body is not a valid JSON object' },
  SELF_ACTION: { status: 400, message: 'An agent cannot do this to itself' },
  AMOUNT_MISMATCH: { status: 400, message: 'The amount is not the budget of the gig' },
  CAP_EXCEEDED: { status: 400, message: 'The amount is above the cap of one gig' },
  BELOW_MINIMUM: { status: 400, message: 'The amount is below the minimum' },
  NAME_RESERVED: { status: 400, message: 'This name is reserved' },
  NAME_INVALID: { status: 400, message: 'This name is not valid' },
  PRICE_MISMATCH: { status: 400, message: 'The price paid is below the price due' },
  NO_TREASURY_WALLET: { status: 400, message: 'The agent has no treasury wallet' },
  NOT_PRICED: { status: 400, message: 'This path has no price' },
  AUTH_REQUIRED: { status: 401, message: 'Identity headers are missing' },
  IDENTITY_INVALID: { status: 401, message: 'The identity headers name no registered agent' },
  SIGNATURE_REQUIRED: { status: 401, message: 'This call needs a request signature' },
  SIGNATURE_INVALID: { status: 401, message: 'The request signature is not valid' },
  SIGNATURE_EXPIRED: { status: 401, message: 'The request signature has expired' },
  SIGNATURE_REPLAYED: { status: 401, message: 'The nonce of the request signature was used before' },
  INVITE_REQUIRED: { status: 401, message: 'Registration needs a valid registrationToken' },
  PAYMENT_REQUIRED: { status: 402, message: 'Payment required' },
  PAYMENT_INVALID: { status: 402, message: 'The payment proof was refused' },
  FUNDS_REQUIRED: { status: 402, message: 'No source of funds covers the amount' },
  INSUFFICIENT_BALANCE: { status: 402, message: 'The treasury balance is too low' },
  FORBIDDEN: { status: 403, message: 'Not permitted for this resource' },
  WALLET_MISMATCH: { status: 403, message: 'The headers name different agents' },
  NOT_ADMIN: { status: 403, message: 'Only the oracle or an admin may do this' },
  NOT_POSTER: { status: 403, message: 'Only the poster may do this' },
  NOT_ASSIGNEE: { status: 403, message: 'Only the assignee may do this' },
  NOT_PARTY: { status: 403, message: 'Only a party may do this' },
  NOT_VALIDATOR: { status: 403, message: 'Only a validator of the panel may vote' },
  NOT_CREW_LEAD: { status: 403, message: 'Only the lead of the crew may do this' },
  NOT_CREW_MEMBER: { status: 403, message: 'Only a member of the crew may do this' },
  NOT_OWNER: { status: 403, message: 'Only the owner may do this' },
  SCORE_TOO_LOW: { status: 403, message: 'The FusedScore is too low' },
  RISK_TOO_HIGH: { status: 403, message: 'The risk score is too high' },
  INSUFFICIENT_BOND: { status: 403, message: 'The available bond is too small' },
  CREW_NOT_ELIGIBLE: { status: 403, message: 'The crew does not meet the requirements of the gig' },
  ACCOUNT_SUSPENDED: { status: 403, message: 'The account is not active' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  ROUTE_NOT_FOUND: { status: 404, message: 'There is no such route' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This route does not know that method' },
  INVALID_STATE: { status: 409, message: 'The current state does not allow this' },
  ALREADY_EXISTS: { status: 409, message: 'It exists already' },
  DUPLICATE_HANDLE: { status: 409, message: 'This handle is in use' },
  DUPLICATE_WALLET: { status: 409, message: 'This wallet belongs to another agent' },
  ALREADY_APPLIED: { status: 409, message: 'The agent has applied already' },
  ALREADY_VOTED: { status: 409, message: 'The validator has voted already' },
  VALIDATION_RESOLVED: { status: 409, message: 'The validation is resolved' },
  NAME_TAKEN: { status: 409, message: 'This name is in use' },
  WINDOW_CLOSED: { status: 409, message: 'The time window has closed' },
  INSUFFICIENT_VALIDATORS: { status: 409, message: 'There are not enough eligible validators' },
  TVL_CAP_REACHED: { status: 409, message: 'The cap on the total value locked is reached', retryable: true },
  REPLAY_DETECTED: { status: 409, message: 'Payment nonce already used' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: 'This idempotency key was used with another body' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'The first request with this idempotency key is still running', retryable: true },
  CONFLICT: { status: 409, message: 'Another request changed this first', retryable: true },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The body must be application/json' },
  RATE_LIMITED: { status: 429, message: 'Too many requests' },
  DAILY_LIMIT_REACHED: { status: 429, message: 'The daily spend limit is reached' },
  COOLDOWN_ACTIVE: { status: 429, message: 'This was done too recently' },
  INTERNAL_ERROR: { status: 500, message: 'Internal error' },
  DEPENDENCY_UNAVAILABLE: { status: 503, message: 'A service that this call needs is not available', retryable: true },
  CHAIN_UNAVAILABLE: { status: 503, message: 'The network is not available', retryable: true },
  PROVIDER_NOT_CONFIGURED: { status: 503, message: 'The wallet provider is not configured', retryable: true },
  TIMEOUT: { status: 504, message: 'The service did not answer in time', retryable: true },
} as const satisfies Record<string, { status: number; message: string; retryable?: true }>

export type ErrorCode = keyof typeof errors
/** What a rule refuses with. VALIDATION_ERROR always names fields: `refuseField`. */
export type RuleCode = Exclude<ErrorCode, 'VALIDATION_ERROR'>

/** What every endpoint may refuse with: gateway and wrapper check the request, and anything may be missing, busy or broken. */
export const commonErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'VALIDATION_ERROR',
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'AUTH_REQUIRED',
  'IDENTITY_INVALID',
  'WALLET_MISMATCH',
  'SIGNATURE_REQUIRED',
  'SIGNATURE_INVALID',
  'SIGNATURE_EXPIRED',
  'SIGNATURE_REPLAYED',
  'FORBIDDEN',
  'NOT_ADMIN',
  'NOT_FOUND',
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_IN_PROGRESS',
  'CONFLICT',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'DEPENDENCY_UNAVAILABLE',
  'TIMEOUT',
])

export interface FieldFault {
  /** From the outermost field in, as in `members.0.agentId`; a header by its name, the request's address as `url`. */
  path: string
  message: string
}

export interface RefusalExtras {
  /** Replaces the standard text of the code; says which field and what would be right. */
  message?: string
  /** One line for each faulty field: always of VALIDATION_ERROR, of no other code. */
  errors?: FieldFault[]
  /** Seconds, becomes the Retry-After header. */
  retryAfter?: number
  /** Facts for the caller's program, such as `{ resource: 'gig' }`. */
  details?: Record<string, unknown>
  /**
   * true: the refusal rests on a state that ends by itself, so the same call may succeed later and is not stored under an idempotency key.
   * false: it is final although its code mostly is not, as where the payment of the call goes back.
   */
  retryable?: boolean
}

/** A request that is refused for a reason the caller can act on; the framework answers it as the error body. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly extras: RefusalExtras

  constructor(code: ErrorCode, extras: RefusalExtras = {}) {
    super(extras.message ?? textOf(extras.errors?.[0]) ?? errors[code].message)
    this.name = 'Refusal'
    this.code = code
    this.extras = extras
  }

  get status(): number {
    return errors[this.code].status
  }

  /** The same call may succeed later: for some codes unless the refusal says otherwise, else where it rests on a passing state. */
  get isRetryable(): boolean {
    return this.extras.retryable ?? 'retryable' in errors[this.code]
  }
}

const textOf = (fault: FieldFault | undefined): string | undefined => fault && `${fault.path}: ${fault.message}`

/**
 * Stops the current work with a code of the table. `details` says what it was about.
 * @example if (gig.posterId !== caller) refuse('NOT_POSTER')
 */
export function refuse(code: RuleCode, details?: Record<string, unknown>, extras: Omit<RefusalExtras, 'details' | 'errors'> = {}): never {
  throw new Refusal(code, details ? { ...extras, details } : extras)
}

/**
 * Stops the current work with VALIDATION_ERROR, which names the faulty field.
 * @example refuseField('amount', 'must be above 0')
 */
export function refuseField(path: string, message: string, details?: Record<string, unknown>): never {
  throw new Refusal('VALIDATION_ERROR', { errors: [{ path, message }], ...(details ? { details } : {}) })
}

/** The states that end without a further call, and what each may become. */
export type PassingStates = Readonly<Record<string, readonly string[]>>

/**
 * Extras of a refusal in `state` that is none of `allowed`: retryable when that state becomes an allowed one by itself.
 * @example refuse('INVALID_STATE', { state, allowed }, retryableIn({ funding: ['locked'] }, state, allowed))
 */
export function retryableIn(passing: PassingStates, state: string, allowed: readonly string[]): Pick<RefusalExtras, 'retryable'> {
  return passing[state]?.some(next => allowed.includes(next)) ? { retryable: true } : {}
}

/** The spec's error body for a refusal: `{message, code, status}` and what the code adds to it. */
export function errorBody(refusal: Refusal, requestId: string): Record<string, unknown> {
  const { code, status, message, extras } = refusal
  if (code === 'REPLAY_DETECTED') return { error: message, code, status, requestId }
  return {
    message,
    code,
    status,
    requestId,
    ...(extras.errors ? { errors: extras.errors } : {}),
    ...(refusal.isRetryable ? { retryable: true } : {}),
    ...(extras.details ? { details: extras.details } : {}),
  }
}

/**
 * The refusal that an error body states, the inverse of `errorBody`; undefined for a body without a known code.
 * @param retryAfter the header of the answer
 */
export function refusalIn(body: unknown, retryAfter?: string | null): Refusal | undefined {
  if (!isRecord(body) || typeof body.code !== 'string' || !Object.hasOwn(errors, body.code)) return undefined
  const seconds = Number(retryAfter ?? Number.NaN)
  return new Refusal(body.code as ErrorCode, {
    message: String(body.message ?? body.error),
    ...(Array.isArray(body.errors) ? { errors: body.errors as FieldFault[] } : {}),
    ...(isRecord(body.details) ? { details: body.details } : {}),
    ...(body.retryable === true ? { retryable: true } : {}),
    ...(Number.isFinite(seconds) ? { retryAfter: seconds } : {}),
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
