import { type AnyEndpoint, Refusal, routes, type ServiceApi } from '@carapace/api'
import type { Request, RequestHandler, Response } from 'express'
import { contextHeader, keysAccepted, type RequestContext, requestIdHeader, verifyContext } from '../context/context.ts'
import type { Handler, Platform } from '../define.ts'
import { type Failure, type Note, openJournal } from '../telemetry/request-log.ts'
import { inSpan, type SpanOf, spanEnds, type Trace } from '../telemetry/trace.ts'
import { holdToErrors } from './declared-errors.ts'
import { fingerprintOf, type Idempotency } from './idempotency.ts'
import { inputOf, pathOf, type RouteInput, readBody } from './input.ts'
import { type Finished, once } from './once.ts'
import { PartedText, sendParted } from './parted.ts'
import { asRefusal, linkToNext, RefusalWithHeaders, Reply, send, sendFailure } from './reply.ts'
import { EventStream, sendEvents } from './stream.ts'

export interface RouteParts {
  platform: Platform
  idempotency: Idempotency
  internalKey: string
  checkAnswers: boolean
  journal: (method: string, route: string) => Note
}

export type Params = Record<string, string>
/** Answers one request, after any failure too. */
export type Serve = (request: Request, response: Response, params: Params) => void

/** The one wrapper round every handler: trace, caller, validation, idempotency, answer, error body, metrics and one log line. */
export function route(endpoint: AnyEndpoint, handler: Handler<AnyEndpoint>, parts: RouteParts): Serve {
  const { newId, log } = parts.platform
  return attended(endpoint.path, endpoint.method.toUpperCase(), parts, (request, response, params, { context, requestId }) => {
    const serve = (bytes: Buffer | undefined) => {
      const input = inputOf(endpoint, { request, params, bytes, context, requestId, newId })
      const answering = answer(endpoint, handler, input, parts)
      return answering instanceof Promise ? answering.then(deliver) : deliver(answering)
    }
    const deliver = ({ status, payload, headers, nextOffset }: Finished): void | Promise<void> => {
      headers['x-request-id'] = requestId
      if (endpoint.method === 'get') setCacheControl(endpoint, headers)
      if (nextOffset !== undefined) headers.link = linkToNext(request, nextOffset)
      if (payload instanceof PartedText) return sendParted(request, response, payload, headers)
      if (payload instanceof EventStream) sendEvents(request, response, payload, headers, log)
      else send(request, response, status, payload, headers)
    }
    const reading = readBody(request)
    return reading === undefined ? serve(undefined) : reading.then(serve)
  })
}

/** Answers what matches no route with this refusal, with the same log line and metric. */
export function refusing(method: string, parts: RouteParts, refusal: Refusal): Serve {
  return attended('none', method, parts, () => Promise.reject(refusal))
}

interface Vouched {
  context: RequestContext | undefined
  requestId: string
}
/** Answers, immediately where nothing has to be waited for: a promise for each step costs more than the step. */
type Work = (request: Request, response: Response, params: Params, vouched: Vouched) => void | Promise<void>

function attended(path: string, method: string, { platform, journal, internalKey }: RouteParts, work: Work): Serve {
  const keys = keysAccepted(internalKey, platform.config)
  const span: SpanOf = { by: platform.name, name: `${method} ${path}`, kind: 'server' }
  const note = journal(method, path)

  const attend = (request: Request, response: Response, params: Params, trace: Trace): void | Promise<void> => {
    const start = performance.now()
    const context = verifyContext(request.headers[contextHeader] as string | undefined, keys)
    const requestId = (context && (request.headers[requestIdHeader] as string | undefined)) ?? trace.traceId
    const end = (failure?: Failure) => {
      const ms = performance.now() - start
      spanEnds(trace, method, path, response.statusCode)
      note({ traceId: trace.traceId, requestId, agentId: context?.agent?.agentId, status: response.statusCode, ms, failure })
    }
    const fail = (error: unknown) => end(answerFailure(request, response, error, requestId))
    try {
      const working = work(request, response, params, { context, requestId })
      if (working !== undefined) return working.then(() => end(), fail)
      end()
    } catch (error) {
      fail(error)
    }
  }
  return (request, response, params) =>
    void inSpan(span, request.headers.traceparent as string | undefined, trace => attend(request, response, params, trace))
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
  return once(parts.idempotency, { id: input.operationId, fingerprint: fingerprintOf(input.rawBody, input.query) }, endpoint, async () => run())
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
  return { status, payload, headers: { ...given.headers }, nextOffset: given.nextOffset }
}

function setCacheControl(endpoint: AnyEndpoint, headers: Record<string, string>): void {
  if (endpoint.private) {
    headers['cache-control'] = 'private, no-store'
    headers.vary = 'x-agent-id, x-wallet-address'
  } else headers['cache-control'] ??= endpoint.produces === 'image/png' ? 'public, max-age=300' : 'public, max-age=1'
}

/**
 * All routes of a service as one Express handler. It finds them by the same table as the gateway does, so that both agree on what a path means,
 * and the number of routes costs nothing.
 */
export function mount(api: ServiceApi, handlers: Record<string, Handler<AnyEndpoint>>, given: Omit<RouteParts, 'journal'>): RequestHandler {
  const parts: RouteParts = { ...given, journal: openJournal(given.platform) }
  const declared = { ...api.endpoints, ...api.internal }
  const table = routes([{ ...api, endpoints: declared }])
  const handlerOf = (name: string, endpoint: AnyEndpoint) => (parts.checkAnswers ? holdToErrors(endpoint, handlers[name]!) : handlers[name]!)
  const serves = new Map<string, Serve>(Object.entries(declared).map(([name, endpoint]) => [name, route(endpoint, handlerOf(name, endpoint), parts)]))
  return (request, response) => {
    const found = table.match(request.method, pathOf(request))
    if ('name' in found) return serves.get(found.name)!(request, response, found.params)
    const refusal =
      'none' in found
        ? new Refusal('ROUTE_NOT_FOUND')
        : new RefusalWithHeaders('METHOD_NOT_ALLOWED', { details: { allow: found.methodNotAllowed } }, { allow: found.methodNotAllowed.join(', ') })
    refusing(request.method, parts, refusal)(request, response, {})
  }
}
