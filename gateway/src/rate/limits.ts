import { type Found, limits, Refusal } from '@carapace/api'
import { addressKey } from '@carapace/service'
import type { Request, Response } from 'express'
import { MemoryStore, type RateLimitRequestHandler, rateLimit, type Store } from 'express-rate-limit'
import { uuidForm, walletForm } from '../identity/agents.ts'
import type { RawHeaders } from '../request/headers.ts'

export interface RateLimits {
  /** Counts one request for its client address, before anything is known of the caller. @throws RATE_LIMITED with Retry-After */
  byAddress(request: Request, response: Response, route: Found, ip: string): Promise<Standing[]>
  /** Counts a request that is refused before it has a route as a read of its address. @throws RATE_LIMITED */
  byUnrouted(request: Request, response: Response, ip: string): Promise<void>
  /** Counts a request for health, metrics or a file, in a window of its own. @throws RATE_LIMITED */
  byProbe(request: Request, response: Response, ip: string): Promise<void>
  /** Counts a write for its caller: the wallet that signed, else address and identity header as sent. @throws RATE_LIMITED */
  byCaller(request: Request, response: Response, route: Found, ip: string, signedBy?: string): Promise<Standing[]>
  /** Before the credentials of an admin call are checked. @throws RATE_LIMITED when its address had too many refused: a right guess is then refused too */
  checkAdmin(ip: string): void
  /** Counts a refused admin call as a write: keys and wallets cannot be tried out at full speed. @throws RATE_LIMITED */
  failedAdmin(request: Request, response: Response, ip: string): Promise<void>
  close(): Promise<void>
}

export interface RateSettings {
  /** Reads per minute and client address. */
  read: number
  /** Writes per minute and caller. */
  write: number
  /** A store for the windows of one limit: shared by replicas, or in memory. */
  store: (prefix: string, limit: number) => Store
}

/** A 429 and the standing that led to it. */
export class RateRefusal extends Refusal {
  readonly standing: Standing

  constructor(standing: Standing) {
    super('RATE_LIMITED', { retryAfter: secondsLeft(standing) })
    this.standing = standing
  }
}

/** Several probes of an operator may come from one address. */
const probeFactor = 10

/** The rate classes of behaviour 1.9. */
export function rateLimits(settings: RateSettings): RateLimits {
  const stores: Store[] = []
  const make = (name: string, limit: number, windowSeconds: number = limits.rate.windowSeconds, onlySuccesses = false): Limit => {
    const store = settings.store(name, limit)
    stores.push(store)
    const count = rateLimit({
      windowMs: windowSeconds * 1000,
      limit,
      standardHeaders: false,
      legacyHeaders: false,
      skipFailedRequests: onlySuccesses,
      validate: false,
      store,
      keyGenerator: request => (request as Counted).rateKey,
      handler: request => (request as Counted).rateRefused(),
    })
    return { name, windowSeconds, count }
  }
  const read = make('read', settings.read)
  const writeByAddress = make('write-address', settings.write * limits.rate.perIpFactor)
  const write = make('write', settings.write)
  const probe = make('probe', settings.read * probeFactor)
  const admin = make('admin-refused', settings.write)
  const refused = fullWindows()
  const quotas = new Map<string, Limit>()
  const quotaOf = ({ name, endpoint: { quota } }: Found) => {
    const counter = quotas.get(name) ?? make(name, quota!.limit, quota!.windowSeconds, true)
    quotas.set(name, counter)
    return counter
  }

  return {
    byAddress: async (request, response, route, ip) => {
      const address = addressKey(ip)
      const standing = await countRequest(route.endpoint.rate === 'read' ? read : writeByAddress, request, response, address)
      if (route.endpoint.quota) await countRequest(quotaOf(route), request, response, address)
      return [standing]
    },
    byUnrouted: async (request, response, ip) => {
      await countRequest(read, request, response, addressKey(ip))
    },
    byProbe: async (request, response, ip) => {
      await countRequest(probe, request, response, addressKey(ip))
    },
    byCaller: async (request, response, route, ip, signedBy) => {
      if (route.endpoint.rate === 'read') return []
      return [await countRequest(write, request, response, signedBy?.toLowerCase() ?? `${addressKey(ip)} ${callerKey(request)}`)]
    },
    checkAdmin: ip => refused.check(addressKey(ip)),
    failedAdmin: async (request, response, ip) => {
      const address = addressKey(ip)
      await countRequest(admin, request, response, address).catch((error: unknown) => {
        if (error instanceof RateRefusal) refused.add(address, error.standing)
        throw error
      })
    },
    close: async () => {
      for (const store of stores) await store.shutdown?.()
    },
  }
}

export const memoryStore = (): Store => new MemoryStore()

const mostWindows = 10_000

/** Windows that were met full: until they end, that is known without counting. */
function fullWindows() {
  const full = new Map<string, Standing>()
  const hasEnded = ({ resetTime }: Standing) => resetTime.getTime() <= Date.now()
  return {
    /** @throws RATE_LIMITED */
    check: (key: string): void => {
      const standing = full.get(key)
      if (standing && !hasEnded(standing)) throw new RateRefusal(standing)
    },
    add: (key: string, standing: Standing): void => {
      if (full.size >= mostWindows) for (const [other, window] of full) if (hasEnded(window)) full.delete(other)
      full.set(key, standing)
    },
  }
}

interface Limit {
  name: string
  windowSeconds: number
  count: RateLimitRequestHandler
}

interface Counted extends Request {
  rateKey: string
  rateRefused: () => void
  /** Set by the limiter. */
  rateLimit: { limit: number; remaining: number; resetTime?: Date }
}

/** Counts one request against one limit. @throws RATE_LIMITED */
function countRequest({ name, windowSeconds, count }: Limit, request: Request, response: Response, key: string): Promise<Standing> {
  return new Promise((resolve, reject) => {
    const counted = request as Counted
    const standing = (): Standing => {
      const { limit, remaining, resetTime } = counted.rateLimit
      return { name, limit, remaining, windowSeconds, resetTime: resetTime ?? new Date(Date.now() + windowSeconds * 1000) }
    }
    counted.rateKey = key
    counted.rateRefused = () => reject(new RateRefusal(standing()))
    // it answers by `next` or by the handler above
    void count(request, response, (error?: unknown) => (error === undefined ? resolve(standing()) : reject(error)))
  })
}

/** Who a write claims to come from; what is malformed counts for the address alone. */
function callerKey({ headers }: Request): string {
  const id = String(headers['x-agent-id'] ?? '').toLowerCase()
  if (uuidForm.test(id)) return id
  const wallet = String(headers['x-wallet-address'] ?? headers['x-admin-wallet'] ?? '').toLowerCase()
  return walletForm.test(wallet) ? wallet : ''
}

/** How far a client is into a limit. */
export interface Standing {
  /** Of the limit: `read`, `write`. */
  name: string
  limit: number
  remaining: number
  windowSeconds: number
  resetTime: Date
}

/** Seconds until the window ends, at least 1. */
export const secondsLeft = ({ resetTime }: Standing): number => Math.max(1, Math.ceil((resetTime.getTime() - Date.now()) / 1000))

/**
 * RateLimit and RateLimit-Policy of draft 8 for every limit that was counted, X-RateLimit-* for the last. Written from the limiter's figures
 * and not by the limiter, whose own headers cost more than its counting.
 */
export function rateHeaders(standings: readonly Standing[]): RawHeaders {
  const last = standings.at(-1)
  if (!last) return []
  return [
    'ratelimit',
    standings.map(standing => `"${standing.name}"; r=${standing.remaining}; t=${secondsLeft(standing)}`).join(', '),
    'ratelimit-policy',
    standings.map(({ name, limit, windowSeconds }) => `"${name}"; q=${limit}; w=${windowSeconds}`).join(', '),
    'x-ratelimit-limit',
    String(last.limit),
    'x-ratelimit-remaining',
    String(last.remaining),
    'x-ratelimit-reset',
    String(Math.ceil(last.resetTime.getTime() / 1000)),
  ]
}
