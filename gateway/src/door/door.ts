import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Found, type Refusal, type RouteTable, refusalIn, refuse } from '@carapace/api'
import {
  asRefusal,
  checkBodyHeaders,
  hasBody,
  inTrace,
  type Logger,
  openTrace,
  type Peers,
  requestIdHeader,
  spanEnds,
  type Trace,
  traceparentOf,
} from '@carapace/service'
import type { Request, Response } from 'express'
import { sendCached } from '../cache/cached-answer.ts'
import { type Caching, placeOf, sendThroughCache, writtenBy } from '../cache/caching.ts'
import type { MicroCache, Place } from '../cache/micro-cache.ts'
import type { AdminLog } from '../identity/admin-log.ts'
import { comesAsAdmin, type Identity, type IdentityParts, identify, isNobody, nobody } from '../identity/identify.ts'
import type { Inside } from '../inside/inside.ts'
import type { OperatorDoor } from '../operator/operator.ts'
import { type Protocol, type ProtocolName, protocolOf } from '../protocols.ts'
import { encodingFor } from '../proxy/compress.ts'
import { requestHeaders, type Vouch, type Vouched } from '../proxy/forwarded.ts'
import { CaughtAnswer, type PipeCall, type Pools, pipe } from '../proxy/pipe.ts'
import type { Streams } from '../proxy/streams.ts'
import { type RateLimits, rateHeaders } from '../rate/limits.ts'
import type { Hit } from '../rate/windows.ts'
import { crossOriginHeaders, policyFor, type RawHeaders } from '../request/headers.ts'
import { bodyReader, ClientDisconnected, isLoopback, type Peer, peerOf, type Target } from '../request/request.ts'
import { buyerOf } from '../x402/buyer.ts'
import { sentPayment } from '../x402/proof.ts'
import { boughtBy, maySell } from '../x402/purchase.ts'
import { quotedFor } from '../x402/quoted.ts'
import type { Sell } from '../x402/step.ts'
import { answerPreflight, type CrossOrigin } from './cross-origin.ts'
import { findRoute, targetOf } from './find-route.ts'
import { answerLocally, isLocal, type LocalParts } from './local.ts'
import { closing, sendStored } from './paid-answer.ts'
import { type Ended, unanswered } from './record.ts'
import { sendRefusal } from './send-refusal.ts'
import { speak } from './speak.ts'

export interface DoorParts {
  table: RouteTable
  pools: Pools
  streams: Streams
  rates: RateLimits
  cache: MicroCache
  identity: IdentityParts
  adminLog: AdminLog
  protocols: Readonly<Record<ProtocolName, Protocol>>
  /** Undefined where nothing is sold. */
  sell: Sell | undefined
  peers: Peers
  crossOrigin: CrossOrigin
  operator: OperatorDoor
  /** A call that was made inside comes from where its outer request does. */
  inside: Pick<Inside, 'outerOf'>
  /** @throws FORBIDDEN for a Host header under which this gateway is not known */
  checkHost(host: string | undefined): void
  local: LocalParts
  vouch: Vouch
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
  /** Its entry in the log of admin calls, without its outcome. */
  adminCall?: string
  /** It counts against the quota of its endpoint. */
  counted?: Pick<Hit, 'release'> | undefined
  /** It may have reached its service. */
  isForwarded?: boolean
  /** Its service has answered so, and the answer went out. */
  answered?: number
}

/** The public door: every request passes these steps in the order of behaviour 1.5, the first that refuses answers. */
export function door(parts: DoorParts): (request: Request, response: Response) => void {
  return (request, response) => {
    const span = { by: 'gateway', name: request.method, kind: 'server', fromOutside: true } as const
    void serve(request, response, openTrace(span, text(request.headers.traceparent)), parts)
  }
}

async function serve(request: Request, response: Response, trace: Trace, parts: DoorParts): Promise<void> {
  const start = performance.now()
  const requestId = requestIdOf(request)
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
      sendRefusal(request, response, failure, progress)
    }
  }
  // one that is cut off, or whose answer is lost, may have been carried out
  const hasFailed = !progress.isForwarded || (progress.answered ?? 0) >= 400
  if (hasFailed) await progress.counted?.release()
  const { route, identity, adminCall } = progress
  const status = response.headersSent ? response.statusCode : unanswered
  spanEnds(trace, request.method, route?.path ?? 'none', status)
  trace.span?.end()
  if (adminCall !== undefined)
    await parts.adminLog
      .end(adminCall, status)
      .catch((error: unknown) => parts.log.error({ err: error, requestId }, 'the outcome of an admin call is not in its log'))
  parts.record({ requestId, trace, method: request.method, status, ms: performance.now() - start, route, identity, failure })
}

async function pass(request: Request, response: Response, traceparent: string, progress: Progress, parts: DoorParts): Promise<void> {
  const peer = parts.inside.outerOf(request)?.peer ?? peerOf(request, parts.trustsProxies)
  let destination: Destination | undefined
  try {
    destination = destinationOf(request, response, progress.headers, parts)
  } catch (error) {
    // what is refused before it has a route counts as a read: else trying out paths and hosts would be free
    await parts.rates.byUnrouted(peer.ip)
    throw error
  }
  // a preflight that is allowed is not counted: a browser sends it before each of its calls
  if (!destination) return
  const { target } = destination
  if (destination.by === 'local') {
    if (!isLoopback(peer.ip)) await parts.rates.byProbe(peer.ip)
    return answerLocally(request, response, target.path, progress.headers, parts.local)
  }
  if (destination.by === 'operator') {
    const { requestId, headers } = progress
    return traced(progress, () => parts.operator.serve(request, response, { ...target, peer, requestId, headers, body: bodyReader(request) }))
  }
  const { route } = destination
  progress.route = route
  progress.headers.push(...policyFor(route.endpoint.produces), ...(parts.crossOrigin.mayRead(route) ? crossOriginHeaders : []))
  checkBodyHeaders(request)

  const body = bodyReader(request)
  const protocol = protocolOf(route)
  if (protocol)
    return traced(progress, () => speak(parts.protocols[protocol], { request, response, route, peer, body, traceparent, ...progress }, parts))
  const identity = await admit(request, route, peer, body, progress, parts)
  progress.identity = identity
  const vouched = parts.vouch(request, { ip: peer.ip, identity })
  const place = placeOf(request, route, target)
  const cached = place && parts.cache.find(place.key)
  if (cached) return sendCached(request, response, cached, progress.headers)
  const answer = () => fulfil(request, response, { route, target, peer, identity, vouched, body, place, traceparent }, progress, parts)
  const isForwardedAlone = identity.admin === undefined && (parts.sell === undefined || !(route.endpoint.quote || maySell(route)))
  return isForwardedAlone ? answer() : traced(progress, answer)
}

/** What a request is for, and what answers it. */
type Destination = { target: Target; by: 'local' } | { target: Target; by: 'operator' } | { target: Target; by: 'route'; route: Found }

/** Undefined for a preflight, which is answered then. @throws VALIDATION_ERROR, FORBIDDEN, ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED */
function destinationOf(request: Request, response: Response, headers: RawHeaders, parts: DoorParts): Destination | undefined {
  const target = targetOf(request)
  if (isLocal(target.path, parts.local)) return { target, by: 'local' }
  parts.checkHost(request.headers.host)
  if (parts.operator.serves(target.path)) return { target, by: 'operator' }
  if (request.method === 'OPTIONS') {
    answerPreflight(request, response, parts, target.path, headers)
    return undefined
  }
  return { target, by: 'route', route: findRoute(parts.table, request.method, target.path) }
}

/** Runs what makes calls of its own. What is only forwarded names its trace in a header. */
const traced = <T>({ trace }: Progress, work: () => T): T => (trace.span === undefined ? work() : inTrace(trace, work))

/** A request that is admitted and was not answered from memory. */
interface Admitted {
  route: Found
  target: Target
  peer: Peer
  identity: Identity
  vouched: Vouched
  body: () => Promise<Buffer | undefined>
  place: Place | undefined
  traceparent: string
}

/** Sells what has a price, and lets the service answer. */
async function fulfil(request: Request, response: Response, admitted: Admitted, progress: Progress, parts: DoorParts): Promise<void> {
  const { route, target, peer, identity, vouched, body, place, traceparent } = admitted
  // who has other sources gets a challenge of x402 only when none of them covers it
  const isQuoted = parts.sell !== undefined && route.endpoint.quote !== undefined
  const paysLater = isQuoted && identity.agent !== undefined && !sentPayment(request)
  const bought = parts.sell && maySell(route) ? await boughtBy(request, route, target, identity, body) : undefined
  const quoted = async () => {
    const order = await quotedFor(parts.peers, route, identity, await body())
    return order && { order, buyer: buyerOf(order.fund!.agentId, identity, peer) }
  }
  const due = isQuoted && !paysLater ? await quoted() : bought && { order: bought.purchase, buyer: buyerOf(bought.agentId, identity, peer) }
  const sale = due && (await parts.sell!(request, due.order, due.buyer))
  progress.headers.push(...(sale?.headers ?? []))
  if (sale?.answered) return sendStored(request, response, sale.answered, progress.headers)
  const context = vouched(sale?.payment)
  const call: PipeCall = {
    method: request.method,
    path: target.path + target.query,
    headers: requestHeaders(request.headers, {
      ...{ context, requestId: progress.requestId, traceparent },
      isPaid: sale !== undefined,
    }),
    body: hasBody(request) ? await body() : undefined,
    // of two with one key the service lets one happen; a payment is settled by its own steps
    mayRepeat: route.endpoint.repeatable || (request.headers['idempotency-key'] !== undefined && !sale),
    timeoutMs: parts.upstreamTimeoutMs,
    own: progress.headers,
    encoding: encodingFor(request.headers),
    onData: sale?.copy.add,
    ...(paysLater ? { caught: 402 } : {}),
  }
  if (identity.admin && route.method !== 'get') {
    const { requestId } = progress
    progress.adminCall = await parts.adminLog.begin({ requestId, ...identity.admin, method: request.method, path: call.path }, call.body)
  }
  const written = route.method === 'get' && !sale ? undefined : writtenBy(route, identity, call.body)
  const forwarded = forward(request, response, route, call, { cache: parts.cache, place, written }, parts).catch(async (error: unknown) => {
    if (!(error instanceof CaughtAnswer)) throw error
    const shortfall = refusalIn(JSON.parse(error.body.toString())) ?? refuse('DEPENDENCY_UNAVAILABLE')
    const wanted = await quoted()
    if (wanted) await parts.sell!(request, wanted.order, wanted.buyer, shortfall)
    throw shortfall
  })
  progress.isForwarded = true
  await (sale ? closing(sale, forwarded, response) : forwarded)
  progress.answered = response.statusCode
}

async function forward(request: Request, response: Response, route: Found, call: PipeCall, caching: Caching, parts: DoorParts): Promise<void> {
  // nobody would read its answer, and its close event has already fired
  if (response.destroyed) throw new ClientDisconnected()
  if (route.endpoint.produces === 'text/event-stream') {
    const origin = parts.pools.originOf(route.service)
    await parts.streams.forward(request, response, { ...call, origin })
  } else await sendThroughCache(caching, own => pipe(() => parts.pools.of(route.service), { ...call, ...own }, response))
}

/** Rate and identity. An admin is checked first and then not limited; a refused one counts as a write, and after too many refusals every admin call of that address is refused unchecked. */
async function admit(
  request: Request,
  route: Found,
  peer: Peer,
  body: () => Promise<Buffer | undefined>,
  progress: Progress,
  parts: DoorParts,
): Promise<Identity> {
  const { mode } = parts.identity
  const caller = () => {
    parts.crossOrigin.check(request, route)
    return isNobody(request, route, mode) ? nobody : inTrace(progress.trace, () => identify(request, body, route, peer, parts.identity))
  }
  if (comesAsAdmin(request, route, mode)) {
    parts.rates.checkAdmin(peer.ip)
    try {
      return await caller()
    } catch (error) {
      await parts.rates.failedAdmin(peer.ip)
      throw error
    }
  }
  const standings = await parts.rates.byAddress(route, peer.ip)
  progress.counted = await parts.rates.byQuota(route, peer.ip)
  // a signature proves whose write it is, and is worth the wait; headers alone are counted as sent
  if (mode === 'plain' && route.endpoint.rate !== 'read') standings.push(...(await parts.rates.byCaller(request, route, peer.ip)))
  progress.headers.push(...rateHeaders(standings))
  const identity = await caller()
  if (mode === 'signed') await parts.rates.byCaller(request, route, peer.ip, identity.signedBy)
  return identity
}

/** The caller's own id, so that its logs and ours name a request alike. */
function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers[requestIdHeader]
  return typeof sent === 'string' && /^[\x21-\x7e]{1,64}$/.test(sent) ? sent : randomUUID()
}

const text = (value: string | string[] | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
