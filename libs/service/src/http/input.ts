import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { type AdminCaller, type AgentCaller, type AnyEndpoint, type CallerClass, limits, Refusal, refuse, refuseField } from '@carapace/api'
import { parse as parseQuery } from 'fast-querystring'
import type { z } from 'zod'
import type { RequestContext } from '../context/context.ts'
import { operationIdOf } from './idempotency.ts'

export interface RouteInput {
  params: Record<string, string>
  query: Record<string, unknown>
  /** As validated. */
  body: unknown
  /** As sent: what an idempotency key vouches for. */
  rawBody: Record<string, unknown>
  caller: AgentCaller | AdminCaller | undefined
  context: RequestContext
  key: string | undefined
  operationId: string
  respondAsync: boolean
  waitMs: () => number
  accept: string
  lastEventId: string | undefined
}

export interface Arrival {
  request: IncomingMessage
  /** From the path, decoded. */
  params: Record<string, string>
  bytes: Buffer | undefined
  context: RequestContext | undefined
  requestId: string
  newId: () => string
}

/** A request as its handler gets it. Checked in behaviour 1.5's order: identity, caller = path, then the form of path, body and query. */
export function inputOf(endpoint: AnyEndpoint, arrival: Arrival): RouteInput {
  const { request, requestId } = arrival
  const isRead = endpoint.method === 'get'
  const caller = callerOf(endpoint, arrival.context)
  checkSelf(endpoint, caller, arrival.params)
  const context = arrival.context ?? nobody
  const params = parsed(endpoint.params, arrival.params, 'url') as Record<string, string>
  const rawBody = parseBody(arrival.bytes)
  const body = endpoint.body === undefined ? {} : parsed(endpoint.body, rawBody)
  const query = parsed(endpoint.query, queryOf(request), 'query') as Record<string, unknown>
  // the signer is passed on also where plain mode needs none
  checkActor(endpoint, caller ?? context.admin ?? context.agent, body)
  const key = isRead ? undefined : context.idempotencyKey
  const respondAsync = !isRead && /\brespond-async\b/.test(String(request.headers.prefer ?? ''))
  const answerBy = respondAsync ? 0 : performance.now() + limits.boundedWaitMs
  return {
    params,
    query,
    body,
    rawBody,
    caller,
    context,
    key,
    operationId: isRead ? requestId : operationId(request, { caller: caller?.wallet ?? context.ip ?? '', key, newId: arrival.newId }),
    respondAsync,
    waitMs: () => Math.max(0, answerBy - performance.now()),
    accept: request.headers.accept ?? '',
    lastEventId: request.headers['last-event-id'] as string | undefined,
  }
}

function operationId(request: IncomingMessage, { caller, key, newId }: { caller: string; key: string | undefined; newId: () => string }): string {
  return key === undefined ? newId() : operationIdOf({ caller, method: request.method ?? '', path: pathOf(request), key })
}

/**
 * A part of a request as its schema has it.
 * @param name of that part, for a fault of no single field
 * @throws VALIDATION_ERROR that names every faulty field
 */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, name = 'body'): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new Refusal('VALIDATION_ERROR', {
    errors: result.error.issues.map(issue => ({ path: issue.path.join('.') || name, message: issue.message })),
  })
}

/** The path without its query. */
export function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

const nobody: RequestContext = { mode: 'plain', expires: 0 }
const noQuery = {}

/** A repeated query key counts once, the last one; nested forms such as `a[b]` are no fields of ours. */
function queryOf({ url = '/' }: IncomingMessage): Record<string, unknown> {
  const start = url.indexOf('?')
  if (start < 0) return noQuery
  const query: Record<string, unknown> = parseQuery(url.slice(start + 1))
  for (const name in query) if (Array.isArray(query[name])) query[name] = query[name].at(-1)
  return query
}

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
    if (control.test(value)) refuseField(path, 'must not contain control characters')
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > limits.body.depth) throw tooDeep
  for (const [key, inner] of Object.entries(value)) {
    if (control.test(key)) refuseField(path || 'body', 'must not have names with control characters')
    inspect(inner, path ? `${path}.${key}` : key, depth + 1)
  }
}

/** The caller in the form the endpoint's class promises. @throws AUTH_REQUIRED, NOT_ADMIN */
export function callerOf(endpoint: AnyEndpoint, context: RequestContext | undefined): AgentCaller | AdminCaller | undefined {
  const needed: CallerClass = endpoint.caller
  if (needed === 'public') return undefined
  if (needed === 'internal') {
    if (context?.mode !== 'internal') refuse('AUTH_REQUIRED', undefined, { message: 'This route is for services only' })
    return undefined
  }
  if (needed === 'optional' || needed === 'optionalWallet') return context?.admin ?? context?.agent
  if (needed === 'oracle' || needed === 'admin') {
    const admin = context?.admin
    if (!admin) refuse('AUTH_REQUIRED', undefined, { message: 'x-admin-wallet is missing' })
    if (needed === 'admin' && admin.kind !== 'admin') refuse('NOT_ADMIN')
    return admin
  }
  if ((needed === 'walletOrOracle' || needed === 'agentOrOracle') && context?.admin) return context.admin
  return context?.agent ?? refuse('AUTH_REQUIRED')
}

/** The path parameter that must be the caller's own id. @throws FORBIDDEN */
export function checkSelf(endpoint: AnyEndpoint, caller: AgentCaller | AdminCaller | undefined, params: Record<string, string>): void {
  if (endpoint.self && caller?.kind === 'agent' && params[endpoint.self] !== caller.agentId)
    refuse('FORBIDDEN', { expected: `:${endpoint.self} = x-agent-id` })
}

/** The body field that names the acting agent. @throws FORBIDDEN */
export function checkActor(endpoint: AnyEndpoint, caller: AgentCaller | AdminCaller | undefined, body: unknown): void {
  if (!endpoint.actor || caller?.kind !== 'agent' || typeof body !== 'object' || body === null) return
  const named: unknown = (body as Record<string, unknown>)[endpoint.actor]
  if (named !== undefined && named !== caller.agentId)
    refuse('FORBIDDEN', { field: endpoint.actor }, { message: `${endpoint.actor} must be the caller's agent id` })
}
