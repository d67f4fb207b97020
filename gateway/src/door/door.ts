import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Found, type Refusal, type RouteTable, refuse, type ServiceName } from '@carapace/api'
import {
  asRefusal,
  inSpan,
  inTrace,
  type Logger,
  type Metrics,
  newTrace,
  type RequestContext,
  sendFailure,
  signContext,
  spansAreRecorded,
  type Trace,
  traceparentOf,
} from '@carapace/service'
import type { Request, Response } from 'express'
import { comesAsAdmin, type Identity, type IdentityParts, identify, isNobody } from '../identity/identify.ts'
import type { Payment, PaymentStep } from '../payment.ts'
import { requestHeaders } from '../proxy/forwarded.ts'
import { type PipeCall, pipe } from '../proxy/pipe.ts'
import type { Pools } from '../proxy/pools.ts'
import { rateHeaders } from '../rate/headers.ts'
import { type RateLimits, RateRefusal } from '../rate/limits.ts'
import { ClientGone, checkBodyHeaders, hasBody, readBody } from './body.ts'
import { answerPreflight, type CrossOrigin } from './cross-origin.ts'
import { crossOriginHeaders, isCrossOrigin, policyFor, type RawHeaders } from './headers.ts'
import { answerLocally, isLocal, type LocalParts } from './local.ts'
import { type Peer, peerOf } from './peer.ts'
import { splitTarget } from './target.ts'

export interface DoorParts {
  table: RouteTable
  pools: Pools
  rates: RateLimits
  identity: IdentityParts
  /** Undefined where nothing is sold. */
  collectPayment: PaymentStep | undefined
  crossOrigin: CrossOrigin
  local: LocalParts
  internalKey: string
  trustsProxies: boolean
  upstreamTimeoutMs: number
  /** Headers of every answer. */
  common: RawHeaders
  log: Logger
  metrics: Metrics
}

/** What is known of a request so far, for the log line. */
interface Progress {
  requestId: string
  trace: Trace
  route?: Found
  identity?: Identity
  headers: RawHeaders
}

/** The public door: every request passes these steps in the order of behaviour 1.5, the first that refuses answers. */
export function door(parts: DoorParts): (request: Request, response: Response) => void {
  return (request, response) => {
    const parent = text(request.headers.traceparent)
    if (spansAreRecorded()) void inSpan(`${request.method} gateway`, 'server', parent, trace => serve(request, response, trace, parts))
    else void serve(request, response, newTrace(parent), parts)
  }
}

async function serve(request: Request, response: Response, trace: Trace, parts: DoorParts): Promise<void> {
  const start = performance.now()
  const requestId = randomUUID()
  const traceparent = traceparentOf(trace)!
  const progress: Progress = { requestId, trace, headers: [...parts.common, 'x-request-id', requestId, 'traceparent', traceparent] }
  let failure: Refusal | undefined
  try {
    await pass(request, response, traceparent, progress, parts)
  } catch (error) {
    if (error instanceof ClientGone) {
      response.destroy()
    } else {
      failure = asRefusal(error)
      if (failure.code === 'INTERNAL_ERROR') parts.log.error({ err: error, trace: trace.traceId, requestId }, 'request failed')
      refuseWith(request, response, failure, progress)
    }
  }
  note(request, response, performance.now() - start, trace, progress, failure, parts)
}

async function pass(request: Request, response: Response, traceparent: string, progress: Progress, parts: DoorParts): Promise<void> {
  const target = splitTarget(request.url)
  if (isLocal(target.path, parts.local)) return answerLocally(request, response, target.path, progress.headers, parts.local)
  if (request.method === 'OPTIONS') return answerPreflight(request, response, parts.table, target.path, progress.headers)
  const route = findRoute(request.method, target.path, parts.table)
  progress.route = route
  progress.headers.push(...policyFor(route.endpoint.produces), ...(isCrossOrigin(route) ? crossOriginHeaders : []))
  checkBodyHeaders(request)

  const peer = peerOf(request, parts.trustsProxies)
  const body = bodyReader(request)
  const identity = await admit(request, response, route, peer, body, progress, parts)
  progress.identity = identity
  const payment = parts.collectPayment && (await parts.collectPayment(request, route))
  const context = contextOf(request, progress.requestId, traceparent, peer, identity, payment)
  const call: PipeCall = {
    method: request.method,
    path: target.path + target.query,
    headers: requestHeaders(request.headers, signContext(context, parts.internalKey), traceparent),
    body: hasBody(request) ? await body() : undefined,
    timeoutMs: parts.upstreamTimeoutMs,
    own: progress.headers,
  }
  await pipe(parts.pools.of(route.service), call, response)
}

/** Rate and identity. An admin is checked first and then not limited; a refused one counts as a write. */
async function admit(
  request: Request,
  response: Response,
  route: Found,
  peer: Peer,
  body: () => Promise<Buffer | undefined>,
  progress: Progress,
  parts: DoorParts,
): Promise<Identity> {
  const { mode } = parts.identity
  const who = () => {
    parts.crossOrigin.check(request)
    return inTrace(progress.trace, () => identify(request, body, route, peer, parts.identity))
  }
  if (comesAsAdmin(request, route, mode))
    return who().catch(async (error: unknown) => {
      await parts.rates.failedAdmin(request, response, peer.ip)
      throw error
    })
  const standings = await parts.rates.byAddress(request, response, route, peer.ip)
  // a signature tells for certain whose write it is, and is worth the wait; headers alone are counted as sent
  if (mode === 'plain' && route.endpoint.rate !== 'read') standings.push(...(await parts.rates.byCaller(request, response, route, peer.ip)))
  progress.headers.push(...rateHeaders(standings))
  const identity = isNobody(request, route, mode) ? nobody : await who()
  if (mode === 'signed') await parts.rates.byCaller(request, response, route, peer.ip, identity.signedBy)
  return identity
}

/** @throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED */
function findRoute(method: string, path: string, table: RouteTable): Found {
  const match = table.match(method, path)
  if ('methodNotAllowed' in match) return refuse('METHOD_NOT_ALLOWED', { allow: match.methodNotAllowed })
  return 'none' in match ? refuse('ROUTE_NOT_FOUND') : match
}

function bodyReader(request: IncomingMessage): () => Promise<Buffer | undefined> {
  let read: Promise<Buffer | undefined> | undefined
  return () => {
    read ??= request.method === 'GET' || request.method === 'HEAD' ? Promise.resolve(undefined) : readBody(request)
    return read
  }
}

const nobody: Identity = { mode: 'plain' }
const contextMs = 30_000

function contextOf(
  request: IncomingMessage,
  requestId: string,
  traceparent: string,
  peer: Peer,
  identity: Identity,
  payment: Payment | undefined,
): RequestContext {
  const key = idempotencyKey(text(request.headers['idempotency-key']))
  return {
    requestId,
    ...identity,
    ip: peer.ip,
    traceparent,
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(payment ? { payment } : {}),
    expires: Date.now() + contextMs,
  }
}

/** @throws VALIDATION_ERROR */
function idempotencyKey(header: string | undefined): string | undefined {
  const key = header?.trim().replace(/^"(.*)"$/, '$1')
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key))
    refuse('VALIDATION_ERROR', { header: 'idempotency-key' }, { message: 'Idempotency-Key must be 1 to 255 visible characters' })
  return key
}

function refuseWith(request: Request, response: Response, refusal: Refusal, progress: Progress): void {
  if (!response.headersSent) {
    const rate = refusal instanceof RateRefusal ? rateHeaders([refusal.standing]) : []
    for (const list of [progress.headers, rate]) for (let i = 0; i < list.length; i += 2) response.setHeader(list[i]!, list[i + 1]!)
    const allow = refusal.code === 'METHOD_NOT_ALLOWED' ? (refusal.extras.details?.allow as string[]) : undefined
    if (allow) response.setHeader('allow', allow.join(', '))
  }
  sendFailure(request, response, refusal, progress.requestId)
}

const ownService: ServiceName = 'gateway'

function note(
  request: Request,
  response: Response,
  ms: number,
  trace: Trace,
  { requestId, route, identity }: Progress,
  failure: Refusal | undefined,
  { log, metrics }: DoorParts,
): void {
  const label = route?.path ?? 'none'
  const method = route ? request.method : 'any'
  // the gateway's own endpoints are counted where they are handled
  if (route?.service !== ownService || failure) observe(metrics, label, method, response.statusCode, ms / 1000)
  log.info(
    {
      trace: trace.traceId,
      requestId,
      method: request.method,
      route: label,
      status: response.statusCode,
      ms: Math.round(ms * 10) / 10,
      agent: identity?.agent?.agentId,
      admin: identity?.admin?.wallet,
      code: failure?.code,
    },
    'request',
  )
}

const series = new WeakMap<Metrics, Map<string, { observe(seconds: number): void }>>()

/** Labels are looked up once for each series: hashing them costs more than counting. */
function observe(metrics: Metrics, route: string, method: string, status: number, seconds: number): void {
  const known = series.get(metrics) ?? new Map()
  series.set(metrics, known)
  const key = `${status} ${method} ${route}`
  const one = known.get(key) ?? metrics.requests.labels({ route, method, status })
  known.set(key, one)
  one.observe(seconds)
}

const text = (value: string | string[] | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
