import { setTimeout } from 'node:timers/promises'
import {
  type AnyEndpoint,
  type BodyInputOf,
  type ErrorCode,
  errors,
  isDotSegment,
  type QueryInputOf,
  Refusal,
  type ResponseOf,
  refuse,
  type ServiceName,
} from '@carapace/api'
import type { Config } from '../config/config.ts'
import { callHeaders, expiry } from '../context/context.ts'
import { maySendAgain, pauseBeforeTry } from './send-again.ts'

/**
 * Reads another service's internal endpoints: one hop, 2 s. For refusals that must not rest on a projection, never inside a chain of calls. Within that
 * time a call to a service that restarts is sent again: a read after any broken connection, a write while no connection is made.
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
      // with it the address would be another one; and nothing has such a name
      if (Object.values(args.params ?? {}).some(isDotSegment)) refuse('NOT_FOUND')
      const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(args.params?.[name] ?? ''))
      const query = new URLSearchParams(
        Object.entries((args.query ?? {}) as Record<string, string>).filter(([, value]) => value !== undefined),
      ).toString()
      const request = {
        method: endpoint.method.toUpperCase(),
        headers: {
          ...callHeaders({ mode: 'internal', expires: expiry() }, internalKey),
          ...(args.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(args.body === undefined ? {} : { body: JSON.stringify(args.body) }),
        signal: AbortSignal.timeout(args.timeoutMs ?? 2_000),
      }
      // the service may be back at another address
      const send = () => answerOf(`${address(service)}${path}${query ? `?${query}` : ''}`, request)
      const { ok, body, retryAfter } = await sendUntilAnswered(send, isRead(endpoint), request.signal).catch(() =>
        refuse('DEPENDENCY_UNAVAILABLE', { service }),
      )
      if (!isRecord(body)) refuse('DEPENDENCY_UNAVAILABLE', { service })
      if (ok) return body as never
      throw refusalOf(body, service, retryAfter)
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

/** @throws when no whole answer came, or it is no JSON */
async function answerOf(url: string, request: RequestInit): Promise<PeerAnswer> {
  const response = await fetch(url, request)
  return { ok: response.ok, body: JSON.parse(await response.text()), retryAfter: response.headers.get('retry-after') }
}

/** @throws the last error, at the latest when the signal ends the time */
async function sendUntilAnswered(send: () => Promise<PeerAnswer>, isRead: boolean, signal: AbortSignal): Promise<PeerAnswer> {
  for (let failures = 0; ; failures++) {
    try {
      return await send()
    } catch (error) {
      if (signal.aborted || !maySendAgain(isRead, error)) throw error
      await setTimeout(pauseBeforeTry(failures), undefined, { signal })
    }
  }
}

/** Internal reads that need a body are declared as such by their rate class. */
const isRead = ({ method, caller, rate }: AnyEndpoint): boolean => method === 'get' || (caller === 'internal' && rate === 'read')

/** Refusals that are between the services only: the caller could do nothing about them. */
const ownAffairs = new Set<ErrorCode>(['AUTH_REQUIRED', 'ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'UNSUPPORTED_MEDIA_TYPE'])

function refusalOf(body: Record<string, unknown>, service: ServiceName, retryAfter: string | null): Refusal {
  const code = typeof body.code === 'string' && Object.hasOwn(errors, body.code) ? (body.code as ErrorCode) : undefined
  if (!code || errors[code].status >= 500 || ownAffairs.has(code)) return new Refusal('DEPENDENCY_UNAVAILABLE', { details: { service } })
  return new Refusal(code, {
    message: String(body.message ?? body.error),
    ...(isRecord(body.details) ? { details: body.details } : {}),
    ...(body.retryable === true ? { retryable: true } : {}),
    ...(retryAfter === null ? {} : { retryAfter: Number(retryAfter) }),
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
