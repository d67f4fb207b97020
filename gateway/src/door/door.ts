import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Found, type Refusal, type RouteTable, refuse } from '@carapace/api'
import {
  asRefusal,
  checkBodyHeaders,
  hasBody,
  inSpan,
  inTrace,
  type Logger,
  newTrace,
  sendFailure,
  signContext,
  spansAreRecorded,
  type Trace,
  traceparentOf,
} from '@carapace/service'
import type { Request, Response } from 'express'
import type { AdminLog } from '../identity/admin-log.ts'
import { comesAsAdmin, type Identity, type IdentityParts, identify, isNobody } from '../identity/identify.ts'
import type { PaymentStep } from '../payment.ts'
import { requestHeaders } from '../proxy/forwarded.ts'
import { type PipeCall, pipe } from '../proxy/pipe.ts'
import type { Pools } from '../proxy/pools.ts'
import type { Streams } from '../proxy/streams.ts'
import { rateHeaders } from '../rate/headers.ts'
import { type RateLimits, RateRefusal } from '../rate/limits.ts'
import { ClientDisconnected, readBody } from './body.ts'
import { contextOf } from './context.ts'
import { answerPreflight, type CrossOrigin } from './cross-origin.ts'
import { crossOriginHeaders, policyFor, type RawHeaders } from './headers.ts'
import { answerLocally, isLocal, type LocalParts } from './local.ts'
import { type Peer, peerOf } from './peer.ts'
import type { Ended } from './record.ts'
import { splitTarget } from './target.ts'

export interface DoorParts {
  table: RouteTable
  pools: Pools
  streams: Streams
  rates: RateLimits
  identity: IdentityParts
  adminLog: AdminLog
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
  record(ended: Ended): void
}

/** What is known of a request so far, for the log line. */
interface Progress {
  requestId: string
  trace: Trace
  route?: Found
  identity?: Identity
  headers: RawHeaders
  /** It is in the log of admin calls, without its outcome. */
  isNoted?: boolean
}

/** The public door: every request passes these steps in the order of behaviour 1.5, the first that refuses answers. */
export function door(parts: DoorParts): (request: Request, response: Response) => void {
  return (request, response) => {
    const parent = text(request.headers.traceparent)
    if (spansAreRecorded()) void inSpan(`${request.method} gateway`, 'server', parent, trace => serve(request, response, trace, parts))
    else void serve(request, response, newTrace(parent), parts)
  }
}

/** Noted where the client went away before there was an answer; the number is nginx's. */
const unanswered = 499

async function serve(request: Request, response: Response, trace: Trace, parts: DoorParts): Promise<void> {
  const start = performance.now()
  const requestId = randomUUID()
  const traceparent = traceparentOf(trace)!
  const progress: Progress = { requestId, trace, headers: [...parts.common, 'x-request-id', requestId, 'traceparent', traceparent] }
  let failure: Refusal | undefined
  try {
    await pass(request, response, traceparent, progress, parts)
  } catch (error) {
    if (error instanceof ClientDisconnected) {
      response.destroy()
    } else {
      failure = asRefusal(error)
      if (failure.code === 'INTERNAL_ERROR') parts.log.error({ err: error, trace: trace.traceId, requestId }, 'request failed')
      refuseWith(request, response, failure, progress)
    }
  }
  const { route, identity, isNoted } = progress
  const status = response.headersSent ? response.statusCode : unanswered
  if (isNoted)
    await parts.adminLog
      .end(requestId, status)
      .catch((error: unknown) => parts.log.error({ err: error, requestId }, 'the outcome of an admin call is not in its log'))
  parts.record({ requestId, trace, method: request.method, status, ms: performance.now() - start, route, identity, failure })
}

async function pass(request: Request, response: Response, traceparent: string, progress: Progress, parts: DoorParts): Promise<void> {
  const target = splitTarget(request.url)
  if (isLocal(target.path, parts.local)) return answerLocally(request, response, target.path, progress.headers, parts.local)
  if (request.method === 'OPTIONS') return answerPreflight(request, response, parts.table, target.path, progress.headers)
  const route = findRoute(request.method, target.path, parts.table)
  progress.route = route
  progress.headers.push(...policyFor(route.endpoint.produces), ...(route.endpoint.crossOrigin ? crossOriginHeaders : []))
  checkBodyHeaders(request)

  const peer = peerOf(request, parts.trustsProxies)
  const body = bodyReader(request)
  const identity = await admit(request, response, route, peer, body, progress, parts)
  progress.identity = identity
  const payment = parts.collectPayment && (await parts.collectPayment(request, route))
  const context = contextOf(request, { ip: peer.ip, identity, payment })
  const call: PipeCall = {
    method: request.method,
    path: target.path + target.query,
    headers: requestHeaders(request.headers, { context: signContext(context, parts.internalKey), requestId: progress.requestId, traceparent }),
    body: hasBody(request) ? await body() : undefined,
    timeoutMs: parts.upstreamTimeoutMs,
    own: progress.headers,
  }
  if (identity.admin && route.method !== 'get') {
    await parts.adminLog.begin({ _id: progress.requestId, ...identity.admin, method: request.method, path: target.path }, call.body)
    progress.isNoted = true
  }
  // nobody would read its answer, and its close event has already fired
  if (response.destroyed) throw new ClientDisconnected()
  if (route.endpoint.produces === 'text/event-stream') {
    const origin = parts.pools.originOf(route.service)
    await parts.streams.forward(request, response, { ...call, origin })
  } else await pipe(() => parts.pools.of(route.service), call, response)
}

/** Rate and identity. An admin is checked first and then not limited; a refused one counts as a write, and after too many refusals every admin call of that address is refused unchecked. */
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
    parts.crossOrigin.check(request, route)
    return isNobody(request, route, mode) ? nobody : inTrace(progress.trace, () => identify(request, body, route, peer, parts.identity))
  }
  if (comesAsAdmin(request, route, mode)) {
    parts.rates.checkAdmin(peer.ip)
    try {
      return await who()
    } catch (error) {
      await parts.rates.failedAdmin(request, response, peer.ip)
      throw error
    }
  }
  const standings = await parts.rates.byAddress(request, response, route, peer.ip)
  // a signature proves whose write it is, and is worth the wait; headers alone are counted as sent
  if (mode === 'plain' && route.endpoint.rate !== 'read') standings.push(...(await parts.rates.byCaller(request, response, route, peer.ip)))
  progress.headers.push(...rateHeaders(standings))
  const identity = await who()
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

function refuseWith(request: Request, response: Response, refusal: Refusal, progress: Progress): void {
  if (!response.headersSent) {
    const rate = refusal instanceof RateRefusal ? rateHeaders([refusal.standing]) : []
    for (const list of [progress.headers, rate]) for (let i = 0; i < list.length; i += 2) response.setHeader(list[i]!, list[i + 1]!)
    const allow = refusal.code === 'METHOD_NOT_ALLOWED' ? (refusal.extras.details?.allow as string[]) : undefined
    if (allow) response.setHeader('allow', allow.join(', '))
  }
  sendFailure(request, response, refusal, progress.requestId)
}

const text = (value: string | string[] | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
