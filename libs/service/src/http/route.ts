import { type AdminCaller, type AgentCaller, type AnyEndpoint, type CallerClass, type ErrorCode, errors, Refusal, refuse } from '@carapace/api'
import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { contextHeader, verifyContext } from '../context.ts'
import type { Handler, Platform } from '../define.ts'
import { fingerprintOf, type Idempotency, operationIdOf } from '../idempotency.ts'
import type { Metrics } from '../metrics.ts'
import { inSpan, type Trace } from '../trace.ts'
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
  const { log } = parts.platform
  const method = endpoint.method.toUpperCase()
  const spanName = `${method} ${endpoint.path}`
  const observe = observer(parts.platform.metrics, endpoint.path, method)

  const handle = async (request: Request, response: Response, trace: Trace): Promise<void> => {
    const start = performance.now()
    const context = verifyContext(request.headers[contextHeader] as string | undefined, parts.internalKey)
    const requestId = context?.requestId ?? trace.traceId
    let code: ErrorCode | undefined
    try {
      const input = inputOf(endpoint, parts.platform, request, context, requestId)
      if (endpoint.body !== undefined || hasBody(request)) await addBody(endpoint, input, request, response)
      const { status, payload, headers } = await answer(endpoint, handler, input, parts)
      headers['x-request-id'] = requestId
      if (endpoint.method === 'get') setCacheControl(endpoint, headers)
      send(request, response, status, payload, headers)
    } catch (error) {
      const refusal = asRefusal(error)
      code = refusal.code
      if (refusal.status >= 500) log.error({ err: error, trace: trace.traceId, requestId }, `${name} failed`)
      sendFailure(request, response, refusal, requestId)
    }
    const ms = performance.now() - start
    observe(response.statusCode, ms / 1000)
    const agent = context?.agent?.agentId
    log.info(
      { trace: trace.traceId, requestId, method, route: endpoint.path, status: response.statusCode, ms: Math.round(ms * 10) / 10, agent, code },
      'request',
    )
  }
  return (request, response) =>
    void inSpan(spanName, 'server', request.headers.traceparent as string | undefined, trace => handle(request, response, trace))
}

interface RouteInput {
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
  accept: string
}

function inputOf(endpoint: AnyEndpoint, platform: Platform, request: Request, context: RequestContext | undefined, requestId: string): RouteInput {
  const caller = callerOf(endpoint, context)
  const params = parse(endpoint.params, request.params) as Record<string, string>
  if (endpoint.self && caller?.kind === 'agent' && params[endpoint.self] !== caller.agentId)
    refuse('FORBIDDEN', { expected: `:${endpoint.self} = x-agent-id` })
  const known = context ?? { requestId, mode: 'plain', expires: 0 }
  const key = endpoint.method === 'get' ? undefined : known.idempotencyKey
  return {
    params,
    query: {},
    body: {},
    rawBody: {},
    caller,
    context: known,
    key,
    operationId:
      key === undefined
        ? platform.newId()
        : operationIdOf({ caller: caller?.wallet ?? known.ip ?? '', method: endpoint.method, path: request.path, key }),
    respondAsync: endpoint.method !== 'get' && /\brespond-async\b/.test(String(request.headers.prefer ?? '')),
    accept: request.headers.accept ?? '',
    ...(endpoint.body === undefined
      ? { query: parse(endpoint.query, flat(request.query as Record<string, unknown>)) as Record<string, unknown> }
      : {}),
  }
}

async function addBody(endpoint: AnyEndpoint, input: RouteInput, request: Request, response: Response): Promise<void> {
  input.rawBody = await readBody(request, response)
  if (endpoint.body === undefined) return
  input.body = parse(endpoint.body, input.rawBody)
  input.query = parse(endpoint.query, flat(request.query as Record<string, unknown>)) as Record<string, unknown>
  checkActor(endpoint, input.caller, input.body)
}

interface Finished {
  status: number
  payload: unknown
  headers: Record<string, string>
}

/** A plain function where it can be: most reads then cost no further promise. */
function answer(endpoint: AnyEndpoint, handler: Handler<AnyEndpoint>, input: RouteInput, parts: RouteParts): Finished | Promise<Finished> {
  const run = () => {
    const result = handler(input as never)
    return result instanceof Promise
      ? result.then(settled => finish(endpoint, settled, parts.checkAnswers))
      : finish(endpoint, result, parts.checkAnswers)
  }
  return input.key === undefined ? run() : once(parts.idempotency, input.operationId, fingerprintOf(input.rawBody), endpoint, async () => run())
}

function finish(endpoint: AnyEndpoint, result: unknown, check: boolean): Finished {
  const given = result instanceof Reply ? result : new Reply(undefined, result)
  const status = given.status ?? endpoint.status
  const isObject = typeof given.body === 'object' && given.body !== null && !Array.isArray(given.body) && !Buffer.isBuffer(given.body)
  const payload = isObject && endpoint.method !== 'get' && status < 400 ? { success: true, ...(given.body as object) } : given.body
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
    if (done.status >= 400) {
      await idempotency.release(id)
      return done
    }
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
  for (const name in query) if (Array.isArray(query[name])) query[name] = query[name].at(-1)
  return query
}

function setCacheControl(endpoint: AnyEndpoint, headers: Record<string, string>): void {
  if (endpoint.private) {
    headers['cache-control'] = 'private, no-store'
    headers.vary = 'x-agent-id, x-wallet-address'
  } else headers['cache-control'] ??= endpoint.produces === 'image/png' ? 'public, max-age=300' : 'public, max-age=1'
}

/** Resolves the metric's labels once per status, not per request. */
function observer(metrics: Metrics, path: string, method: string): (status: number, seconds: number) => void {
  const children = new Map<number, { observe(seconds: number): void }>()
  return (status, seconds) => {
    let child = children.get(status)
    if (!child) {
      child = metrics.requests.labels({ route: path, method, status })
      children.set(status, child)
    }
    child.observe(seconds)
  }
}
