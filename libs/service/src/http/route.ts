import { type AnyEndpoint, type ErrorCode, Refusal } from '@carapace/api'
import type { Request, Response } from 'express'
import { contextHeader, type RequestContext, verifyContext } from '../context.ts'
import type { Handler, Platform } from '../define.ts'
import { fingerprintOf, type Idempotency } from '../idempotency.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { inSpan, spanEnds, type Trace } from '../trace.ts'
import { readBody } from './body.ts'
import { asRefusal, sendFailure } from './failure.ts'
import { inputOf, type RouteInput } from './input.ts'
import { type Finished, once } from './once.ts'
import { Reply, send } from './reply.ts'
import { EventStream, sendEvents } from './stream.ts'

export interface RouteParts {
  platform: Platform
  idempotency: Idempotency
  internalKey: string
  checkAnswers: boolean
}

export type Params = Record<string, string>
/** Answers one request, whatever happens. */
export type Serve = (request: Request, response: Response, params: Params) => void

/** The one wrapper round every handler: trace, caller, validation, idempotency, answer, error body, metrics and one log line. */
export function route(endpoint: AnyEndpoint, handler: Handler<AnyEndpoint>, parts: RouteParts): Serve {
  const { newId } = parts.platform
  return attended(endpoint.path, endpoint.method.toUpperCase(), parts, async (request, response, params, { context, requestId }) => {
    const reading = readBody(request)
    const bytes = reading && (await reading)
    const input = inputOf(endpoint, { request, params, bytes, context, requestId, newId })
    const answering = answer(endpoint, handler, input, parts)
    const { status, payload, headers } = answering instanceof Promise ? await answering : answering
    headers['x-request-id'] = requestId
    if (endpoint.method === 'get') setCacheControl(endpoint, headers)
    if (payload instanceof EventStream) sendEvents(request, response, payload, headers, parts.platform.log)
    else send(request, response, status, payload, headers)
  })
}

/** Answers what no route takes with this refusal, with the same log line and metric. */
export function refusing(method: string, parts: RouteParts, refusal: Refusal): Serve {
  return attended('none', method, parts, () => Promise.reject(refusal))
}

interface Vouched {
  context: RequestContext | undefined
  requestId: string
}

function attended(
  path: string,
  method: string,
  { platform, internalKey }: RouteParts,
  work: (request: Request, response: Response, params: Params, vouched: Vouched) => Promise<void>,
): Serve {
  const spanName = `${method} ${path}`
  const observe = observer(platform.metrics, path, method)
  const write = lineWriter(platform.log, method, path)

  const attend = async (request: Request, response: Response, params: Params, trace: Trace): Promise<void> => {
    const start = performance.now()
    const context = verifyContext(request.headers[contextHeader] as string | undefined, internalKey)
    const requestId = context?.requestId ?? trace.traceId
    let failure: Failure | undefined
    try {
      await work(request, response, params, { context, requestId })
    } catch (error) {
      failure = answerFailure(request, response, error, requestId)
    }
    const ms = performance.now() - start
    observe(response.statusCode, ms / 1000)
    spanEnds(trace, path, response.statusCode)
    write({ trace: trace.traceId, requestId, agent: context?.agent?.agentId, status: response.statusCode, ms, failure })
  }
  return (request, response, params) =>
    void inSpan(spanName, 'server', request.headers.traceparent as string | undefined, trace => attend(request, response, params, trace))
}

function answerFailure(request: Request, response: Response, error: unknown, requestId: string): Failure {
  const refusal = asRefusal(error)
  try {
    sendFailure(request, response, refusal, requestId)
    return { code: refusal.code, error }
  } catch (accident) {
    // details that are no JSON: the caller gets an answer all the same
    sendFailure(request, response, new Refusal('INTERNAL_ERROR'), requestId)
    return { code: 'INTERNAL_ERROR', error: accident }
  }
}

/** A plain function where it can be: most reads then cost no further promise. */
function answer(endpoint: AnyEndpoint, handler: Handler<AnyEndpoint>, input: RouteInput, parts: RouteParts): Finished | Promise<Finished> {
  const run = () => {
    const result = handler(input as never)
    return result instanceof Promise
      ? result.then(settled => finish(endpoint, settled, parts.checkAnswers))
      : finish(endpoint, result, parts.checkAnswers)
  }
  if (input.key === undefined) return run()
  return once(parts.idempotency, { id: input.operationId, fingerprint: fingerprintOf(input.rawBody) }, endpoint, async () => run())
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

function setCacheControl(endpoint: AnyEndpoint, headers: Record<string, string>): void {
  if (endpoint.private) {
    headers['cache-control'] = 'private, no-store'
    headers.vary = 'x-agent-id, x-wallet-address'
  } else headers['cache-control'] ??= endpoint.produces === 'image/png' ? 'public, max-age=300' : 'public, max-age=1'
}

interface Failure {
  code: ErrorCode
  error: unknown
}
interface Ended {
  trace: string
  requestId: string
  agent: string | undefined
  status: number
  ms: number
  failure: Failure | undefined
}

/** One line per request. It holds nothing that would have to be cut out, so nothing is searched for. */
function lineWriter(log: Logger, method: string, route: string): (ended: Ended) => void {
  const lines = log.child({}, { redact: [] })
  return ({ trace, requestId, agent, status, ms, failure }) => {
    const line = { trace, requestId, method, route, status, ms: Math.round(ms * 10) / 10, agent, code: failure?.code }
    if (failure && status >= 500) lines.error({ ...line, err: failure.error }, 'request')
    else lines.info(line, 'request')
  }
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
