import { type AdminCaller, type AgentCaller, type AnyEndpoint, type CallerClass, errors, limits, Refusal, refuse } from '@carapace/api'
import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { contextHeader, verifyContext } from '../context.ts'
import type { Handler, Platform } from '../define.ts'
import { fingerprintOf, type Idempotency, operationIdOf } from '../idempotency.ts'
import { currentTrace, inSpan } from '../trace.ts'
import { hasBody, readBody } from './body.ts'
import { asRefusal, sendFailure } from './failure.ts'
import { Reply, send } from './reply.ts'

export interface RouteParts {
  platform: Platform
  idempotency: Idempotency
  internalKey: string
  checkAnswers: boolean
}

/**
 * The one wrapper round every handler: trace, caller, validation, idempotency, answer, error body, metrics and one log line.
 * The order of the checks is behaviour 1.5's.
 */
export function route(
  name: string,
  endpoint: AnyEndpoint,
  handler: Handler<AnyEndpoint>,
  parts: RouteParts,
): (request: Request, response: Response) => void {
  const { log, metrics } = parts.platform
  const method = endpoint.method.toUpperCase()
  return (request, response) => {
    const start = performance.now()
    const context = verifyContext(request.headers[contextHeader] as string | undefined, parts.internalKey)
    const requestId = context?.requestId ?? parts.platform.newId()
    void inSpan(`${method} ${endpoint.path}`, 'server', request.headers.traceparent as string | undefined, async trace => {
      let failure: Refusal | undefined
      try {
        await answer(endpoint, handler, parts, request, response, context, requestId)
      } catch (error) {
        failure = asRefusal(error)
        if (failure.status >= 500) log.error({ err: error, trace: trace.traceId, requestId }, `${name} failed`)
        sendFailure(request, response, failure, requestId)
      }
      const ms = performance.now() - start
      metrics.requests.observe({ route: endpoint.path, method, status: response.statusCode }, ms / 1000)
      log.info(
        {
          trace: trace.traceId,
          requestId,
          method,
          route: endpoint.path,
          status: response.statusCode,
          ms: Math.round(ms * 10) / 10,
          agent: context?.agent?.agentId,
          code: failure?.code,
        },
        'request',
      )
    })
  }
}

async function answer(
  endpoint: AnyEndpoint,
  handler: Handler<AnyEndpoint>,
  parts: RouteParts,
  request: Request,
  response: Response,
  context: RequestContext | undefined,
  requestId: string,
) {
  const caller = callerOf(endpoint, context)
  const known = context ?? { requestId, mode: 'plain', expires: 0 }
  const params = parse(endpoint.params, request.params) as Record<string, string>
  if (endpoint.self && caller?.kind === 'agent' && params[endpoint.self] !== caller.agentId)
    refuse('FORBIDDEN', { expected: `:${endpoint.self} = x-agent-id` })
  const body = endpoint.body === undefined && !hasBody(request) ? {} : await readBody(request, response)
  const query = parse(endpoint.query, flat(request.query as Record<string, unknown>))
  const parsed = endpoint.body === undefined ? body : parse(endpoint.body, body)
  checkActor(endpoint, caller, parsed)

  const key = endpoint.method === 'get' ? undefined : known.idempotencyKey
  const scope = { caller: caller?.wallet ?? known.ip ?? '', method: endpoint.method, path: request.path }
  const operationId = key === undefined ? parts.platform.newId() : operationIdOf({ ...scope, key })
  const input = {
    params,
    query,
    body: parsed,
    caller,
    context: known,
    operationId,
    respondAsync: /\brespond-async\b/.test(String(request.headers.prefer ?? '')),
  } as never
  const run = async () => finish(endpoint, await handler(input), parts.checkAnswers)

  const { status, payload, headers } =
    key === undefined ? await run() : await once(parts.idempotency, operationId, fingerprintOf(body), endpoint, run)
  const cache = endpoint.method === 'get' ? cacheControl(endpoint, headers) : {}
  send(request, response, status, payload, { 'x-request-id': requestId, ...cache, ...headers })
}

interface Finished {
  status: number
  payload: unknown
  headers: Record<string, string>
}

function finish(endpoint: AnyEndpoint, result: unknown, check: boolean): Finished {
  const given = result instanceof Reply ? result : new Reply(undefined, result)
  const status = given.status ?? endpoint.status
  const isObject = typeof given.body === 'object' && given.body !== null && !Array.isArray(given.body) && !Buffer.isBuffer(given.body)
  const payload = isObject && endpoint.method !== 'get' ? { success: true, ...(given.body as object) } : given.body
  if (check && endpoint.response && status === endpoint.status && !Buffer.isBuffer(payload)) {
    const verdict = endpoint.response.safeParse(JSON.parse(JSON.stringify(payload)))
    if (!verdict.success) throw new Error(`the answer of ${endpoint.method} ${endpoint.path} is not as declared: ${verdict.error.message}`)
  }
  return { status, payload, headers: { ...given.headers } }
}

/** Runs once per key: a success or a final refusal is kept and replayed, everything else may be tried again. */
async function once(
  idempotency: Idempotency,
  id: string,
  fingerprint: string,
  endpoint: AnyEndpoint,
  run: () => Promise<Finished>,
): Promise<Finished> {
  const earlier = await idempotency.claim(id, fingerprint)
  if (earlier) return { status: earlier.status, payload: Buffer.from(earlier.body), headers: { ...earlier.headers, 'idempotency-replayed': 'true' } }
  try {
    const done = await run()
    const body = Buffer.isBuffer(done.payload) ? '{"success":true}' : JSON.stringify(endpoint.sensitive ? { success: true } : done.payload)
    await idempotency.keep(id, { status: done.status, body, headers: { 'content-type': 'application/json; charset=utf-8' } })
    return done
  } catch (error) {
    const refusal = asRefusal(error)
    const final = [403, 404, 409].includes(refusal.status) && !('retryable' in errors[refusal.code])
    if (final)
      await idempotency.keep(id, {
        status: refusal.status,
        body: JSON.stringify(refusalBody(refusal)),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      })
    else await idempotency.release(id)
    throw error
  }
}

function refusalBody(refusal: Refusal): Record<string, unknown> {
  return {
    message: refusal.message,
    code: refusal.code,
    status: refusal.status,
    ...(refusal.extras.details ? { details: refusal.extras.details } : {}),
  }
}

/** The caller in the form the endpoint's class promises. @throws AUTH_REQUIRED, NOT_ADMIN */
function callerOf(endpoint: AnyEndpoint, context: RequestContext | undefined): AgentCaller | AdminCaller | undefined {
  const needed: CallerClass = endpoint.caller
  if (needed === 'public') return undefined
  if (needed === 'internal') {
    if (context?.mode !== 'internal') refuse('AUTH_REQUIRED', undefined, { message: 'This route is for services only' })
    return undefined
  }
  if (needed === 'optional') return context?.admin ?? context?.agent
  if (needed === 'oracle' || needed === 'admin') {
    const admin = context?.admin
    if (!admin) refuse('AUTH_REQUIRED', undefined, { message: 'x-admin-wallet is missing' })
    if (needed === 'admin' && admin.kind !== 'admin') refuse('NOT_ADMIN')
    return admin
  }
  if (needed === 'walletOrOracle' && context?.admin) return context.admin
  return context?.agent ?? refuse('AUTH_REQUIRED')
}

function checkActor(endpoint: AnyEndpoint, caller: AgentCaller | AdminCaller | undefined, body: unknown): void {
  if (!endpoint.actor || caller?.kind !== 'agent' || typeof body !== 'object' || body === null) return
  const named: unknown = (body as Record<string, unknown>)[endpoint.actor]
  if (named !== undefined && named !== caller.agentId)
    refuse('FORBIDDEN', { field: endpoint.actor }, { message: `${endpoint.actor} must be the caller's agent id` })
}

/** @throws VALIDATION_ERROR that names every faulty field */
function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = result.error.issues.map(issue => ({ path: issue.path.join('.'), message: issue.message }))
  const first = faults[0]!
  throw new Refusal('VALIDATION_ERROR', { message: first.path ? `${first.path}: ${first.message}` : first.message, errors: faults })
}

/** A repeated query key counts once, the last one; nested forms such as `a[b]` are no fields of ours. */
function flat(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]))
}

function cacheControl(endpoint: AnyEndpoint, headers: Record<string, string>): Record<string, string> {
  if (endpoint.private) return { 'cache-control': 'private, no-store', vary: 'x-agent-id, x-wallet-address' }
  if (endpoint.produces === 'image/png') return { 'cache-control': headers['cache-control'] ?? 'public, max-age=300' }
  return { 'cache-control': 'public, max-age=1' }
}

export const bodyLimit = limits.body.bytes
export { currentTrace }
