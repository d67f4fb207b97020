import type { IncomingMessage } from 'node:http'
import { type AdminCaller, type AgentCaller, type AnyEndpoint, limits, Refusal } from '@carapace/api'
import { parse as parseQuery } from 'fast-querystring'
import type { z } from 'zod'
import type { RequestContext } from '../context/context.ts'
import { parseBody } from './body.ts'
import { callerOf, checkActor, checkSelf } from './caller.ts'
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
  const params = parse(endpoint.params, arrival.params) as Record<string, string>
  const rawBody = parseBody(arrival.bytes)
  const body = endpoint.body === undefined ? {} : parse(endpoint.body, rawBody)
  const query = parse(endpoint.query, queryOf(request)) as Record<string, unknown>
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

/** @throws VALIDATION_ERROR that names every faulty field */
function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = result.error.issues.map(issue => ({ path: issue.path.join('.'), message: issue.message }))
  const first = faults[0]!
  throw new Refusal('VALIDATION_ERROR', { message: first.path ? `${first.path}: ${first.message}` : first.message, errors: faults })
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
