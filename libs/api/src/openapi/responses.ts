import { z } from 'zod'
import { callers } from '../core/callers.ts'
import { type ErrorCode, errors } from '../core/errors.ts'
import { fundingOptions } from '../core/funding.ts'
import type { Json, SchemaBook } from '../core/json-schema.ts'
import type { AnyEndpoint } from '../core/service-api.ts'
import { paymentChallenge } from '../gateway/x402.ts'
import { needsIdentity } from './security.ts'

const text = (description: string): Json => ({ description, schema: { type: 'string' } })

/** Headers of answers, each once. */
export const responseHeaders: Readonly<Record<string, Json>> = {
  'x-request-id': text("The caller's own, if it has 1 to 64 visible characters"),
  'x-auth-mode': { description: 'How callers show who they are', schema: { type: 'string', enum: ['plain', 'signed'] } },
  'RateLimit-Policy': text('The limits that were counted, draft 8'),
  RateLimit: text('What is left of them, draft 8'),
  'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 0 } },
  ETag: text('For If-None-Match'),
  Link: text('The next page, `rel="next"`'),
  'X-Total-Count': { description: 'Entries of the whole list', schema: { type: 'integer', minimum: 0 } },
  'Idempotency-Replayed': { description: 'The stored answer of the first request with this key', schema: { type: 'string', enum: ['true'] } },
  'PAYMENT-REQUIRED': text('The x402 version 2 challenge, base64'),
  'PAYMENT-RESPONSE': text('What became of an x402 payment, base64'),
}
const common = ['x-request-id', 'x-auth-mode', 'RateLimit-Policy', 'RateLimit']
const headers = (...names: string[]): Json => Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

const errorContent = {
  'application/json': { schema: { $ref: '#/components/schemas/Error' } },
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
}
/** Answers that many operations share. */
export const sharedResponses = (book: SchemaBook): Record<string, Json> => ({
  Refused: { description: 'Refused', headers: headers(...common), content: errorContent },
  MissingPage: {
    description: 'There is no such page',
    headers: headers(...common),
    content: { 'text/html': { schema: bodyOf('text/html') }, ...errorContent },
  },
  Unavailable: { description: 'Refused for now', headers: headers(...common, 'Retry-After'), content: errorContent },
  PaymentRequired: {
    description: 'Payment required',
    headers: headers(...common, 'PAYMENT-REQUIRED'),
    content: { 'application/json': { schema: { anyOf: [book.schema(paymentChallenge, 'output'), { $ref: '#/components/schemas/Error' }] } } },
  },
  NotModified: { description: 'As the ETag in If-None-Match says', headers: headers('x-request-id', 'ETag') },
})

/** The error bodies; REPLAY_DETECTED says `error` in place of `message`. */
export function errorSchemas(book: SchemaBook): Record<string, Json> {
  const properties = {
    message: { type: 'string' },
    error: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errors) },
    status: { type: 'integer' },
    requestId: { type: 'string' },
    retryable: { type: 'boolean' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } }, required: ['path', 'message'] },
    },
    details: { type: 'object', properties: { options: book.schema(fundingOptions, 'output') } },
  }
  const required = ['code', 'status']
  const problem = { type: { type: 'string' }, title: { type: 'string' }, detail: { type: 'string' }, instance: { type: 'string' } }
  return {
    Error: { type: 'object', properties, required },
    Problem: { type: 'object', properties: { ...problem, ...properties }, required: ['type', 'title', ...required] },
  }
}

/** Every answer of an operation. */
export function responses(endpoint: AnyEndpoint, book: SchemaBook): Json {
  const good = success(endpoint, book)
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of refusalsOf(endpoint)) {
    const { status } = errors[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return {
    ...Object.fromEntries([endpoint.status, ...endpoint.also].map(status => [String(status), good])),
    ...(endpoint.method === 'get' ? { 304: shared('NotModified') } : {}),
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), shared(sharedFor(status, endpoint), codes.join(', '))])),
    default: shared('Unavailable', 'Any other error'),
  }
}

const shared = (name: string, description?: string): Json => ({ $ref: `#/components/responses/${name}`, ...(description ? { description } : {}) })
function sharedFor(status: number, { produces }: AnyEndpoint): string {
  if (status === 404 && produces === 'text/html') return 'MissingPage'
  if (status === 402) return 'PaymentRequired'
  return status === 429 || status >= 500 ? 'Unavailable' : 'Refused'
}

function success(endpoint: AnyEndpoint, book: SchemaBook): Json {
  const isRead = endpoint.method === 'get'
  const schema = endpoint.response ? book.schema(endpoint.response, 'output') : { type: 'object' }
  const main = endpoint.produces ? { [endpoint.produces]: { schema: bodyOf(endpoint.produces) } } : { 'application/json': { schema } }
  const others = Object.fromEntries(endpoint.alsoProduces.map(type => [type, { schema: bodyOf(type) }]))
  const names = [
    ...common,
    ...(isRead ? ['ETag'] : ['Idempotency-Replayed']),
    ...(endpoint.response instanceof z.ZodArray && isRead ? ['X-Total-Count', 'Link'] : []),
    ...(endpoint.prices.length > 0 ? ['PAYMENT-RESPONSE'] : []),
  ]
  return { description: 'Done', headers: headers(...names), content: { ...main, ...others } }
}

/** A picture is bytes, which JSON schema has no type for. */
const bodyOf = (type: string): Json => {
  if (type.startsWith('image/')) return {}
  return type.endsWith('json') ? { type: 'object' } : { type: 'string' }
}

/** What an operation may be refused with: its own codes, and those of the door as far as they can happen to it. */
function refusalsOf(endpoint: AnyEndpoint): ErrorCode[] {
  const isWrite = endpoint.method !== 'get'
  const isCaller = needsIdentity(endpoint) || callers[endpoint.caller as keyof typeof callers].optional || endpoint.signed !== endpoint.caller
  const forOperators = endpoint.caller === 'oracle' || endpoint.caller === 'admin'
  const possible: readonly [boolean, readonly ErrorCode[]][] = [
    [true, ['VALIDATION_ERROR', 'RATE_LIMITED']],
    [Object.keys(endpoint.params.shape).length > 0, ['NOT_FOUND']],
    [isWrite, ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS', 'CONFLICT']],
    [isCaller, ['AUTH_REQUIRED', 'IDENTITY_INVALID', 'SIGNATURE_REQUIRED', 'SIGNATURE_INVALID', 'SIGNATURE_EXPIRED', 'SIGNATURE_REPLAYED']],
    [isCaller && !forOperators, ['WALLET_MISMATCH', 'FORBIDDEN']],
    [forOperators, ['NOT_ADMIN']],
    [endpoint.prices.length > 0, ['PAYMENT_REQUIRED', 'PAYMENT_INVALID', 'REPLAY_DETECTED']],
  ]
  const codes = new Set([...endpoint.errors, ...possible.flatMap(([applies, list]) => (applies ? list : []))])
  return [...codes].sort((a, b) => errors[a].status - errors[b].status)
}
