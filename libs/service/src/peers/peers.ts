import { setTimeout } from 'node:timers/promises'
import {
  type AnyEndpoint,
  type BodyInputOf,
  type ErrorCode,
  isDotSegment,
  type QueryInputOf,
  Refusal,
  type ResponseOf,
  refusalIn,
  refuse,
  requestOf,
  type ServiceName,
} from '@carapace/api'
import { Agent, type Dispatcher, request } from 'undici'
import type { Config } from '../config/config.ts'
import { callHeaders, expiry } from '../context/context.ts'
import { greetedConnections } from './greeted-connections.ts'
import { maySendAgain, pauseBeforeTry } from './send-again.ts'

/**
 * Reads another service's internal endpoints: one hop, 2 s. For refusals that must not rest on a projection, never inside a chain of calls. Within that
 * time a call to a service that restarts is sent again: a read after any broken connection, a write while the service has accepted no connection.
 */
export interface Peers {
  /** @throws DEPENDENCY_UNAVAILABLE when the owner does not answer; the owner's own refusals as they are */
  call<E extends AnyEndpoint>(
    service: ServiceName,
    endpoint: E,
    args?: { params?: Record<string, string>; query?: QueryInputOf<E>; body?: BodyInputOf<E>; timeoutMs?: number },
  ): Promise<ResponseOf<E>>
  /** As `call`, with undefined for 404. */
  find<E extends AnyEndpoint>(
    service: ServiceName,
    endpoint: E,
    args?: { params?: Record<string, string>; query?: QueryInputOf<E>; body?: BodyInputOf<E> },
  ): Promise<ResponseOf<E> | undefined>
}

/** A new service has the next number, so that no other moves. */
const portOffsets: Readonly<Record<ServiceName, number>> = {
  identity: 0,
  reputation: 1,
  marketplace: 2,
  swarm: 3,
  escrow: 4,
  commerce: 5,
  treasury: 6,
  domains: 7,
  social: 8,
  notifications: 9,
  'chain-relayer': 10,
  gateway: 11,
}

/** The port of a service that runs alone. */
export const servicePort = (service: ServiceName, base: number): number => base + portOffsets[service]

/** Where services that run alone find each other. */
export const addressesOf =
  ({ SERVICE_URL, SERVICE_PORT_BASE }: Pick<Config, 'SERVICE_URL' | 'SERVICE_PORT_BASE'>) =>
  (service: ServiceName): string =>
    SERVICE_URL.replace('{service}', service).replace('{port}', String(servicePort(service, SERVICE_PORT_BASE)))

/** @param address where a service answers, from the SERVICE_URL template or the composition root */
export function makePeers(address: (service: ServiceName) => string, internalKey: string): Peers {
  const peers: Peers = {
    call: async (service, endpoint, args = {}) => {
      // with it the address would be another one, and nothing has such a name
      if (Object.values(args.params ?? {}).some(isNoSegment)) refuse('NOT_FOUND')
      const { method, target } = requestOf(endpoint, args as Parameters<typeof requestOf>[1])
      const sent: PeerRequest = {
        method,
        headers: {
          ...callHeaders({ mode: 'internal', expires: expiry() }, internalKey),
          ...(args.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(args.body === undefined ? {} : { body: JSON.stringify(args.body) }),
        signal: AbortSignal.timeout(args.timeoutMs ?? 2_000),
      }
      // the service may be back at another address
      const send = () => answerOf(`${address(service)}${target}`, { ...sent, dispatcher: endpoint.repeatable ? connections : greeted })
      const answer = await sendUntilAnswered(send, endpoint.repeatable, sent.signal).catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service }))
      if (!answer.ok) throw refusalOf(answer, service)
      if (typeof answer.body !== 'object' || answer.body === null) refuse('DEPENDENCY_UNAVAILABLE', { service })
      return answer.body as never
    },
    find: (service, endpoint, args) =>
      peers.call(service, endpoint, args).catch((error: unknown) => {
        if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined
        throw error
      }),
  }
  return peers
}

interface PeerAnswer {
  ok: boolean
  body: unknown
  retryAfter: string | null
}

interface PeerRequest extends Pick<Dispatcher.RequestOptions, 'headers' | 'body'> {
  method: Dispatcher.HttpMethod
  signal: AbortSignal
}

/** No write may be on its way while the service ends its connection (`fastExpress`): one is used no more when so much less than the service announces is left. */
const keepAliveTimeoutThreshold = 2_000
/**
 * Of all callers of a process, as long as it lives. `fetch` costs several times as much for each call, in streams and objects that nobody here needs.
 */
const connections = new Agent({ keepAliveTimeoutThreshold })
/** For calls that may not be sent again once something of them was sent. */
const greeted = new Agent({ keepAliveTimeoutThreshold, ...greetedConnections(2_000) })

/** @throws when no whole answer came, or it is no JSON */
async function answerOf(url: string, sent: PeerRequest & { dispatcher: Dispatcher }): Promise<PeerAnswer> {
  const { statusCode, headers, body } = await request(url, sent)
  const retryAfter = headers['retry-after']
  return { ok: statusCode >= 200 && statusCode < 300, body: await body.json(), retryAfter: typeof retryAfter === 'string' ? retryAfter : null }
}

/** @throws the last error, at the latest when the signal ends the time */
async function sendUntilAnswered(send: () => Promise<PeerAnswer>, mayRepeat: boolean, signal: AbortSignal): Promise<PeerAnswer> {
  for (let failures = 0; ; failures++) {
    try {
      return await send()
    } catch (error) {
      if (signal.aborted || !maySendAgain(mayRepeat, error)) throw error
      await setTimeout(pauseBeforeTry(failures), undefined, { signal })
    }
  }
}

const isNoSegment = (value: string): boolean => value === '' || isDotSegment(value)

/** Refusals that are between the services only: the caller could do nothing about them. */
const ownAffairs = new Set<ErrorCode>(['AUTH_REQUIRED', 'ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'UNSUPPORTED_MEDIA_TYPE'])

function refusalOf({ body, retryAfter }: PeerAnswer, service: ServiceName): Refusal {
  const refusal = refusalIn(body, retryAfter)
  return refusal && refusal.status < 500 && !ownAffairs.has(refusal.code) ? refusal : new Refusal('DEPENDENCY_UNAVAILABLE', { details: { service } })
}
