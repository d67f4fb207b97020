import { type Found, limits, Refusal } from '@carapace/api'
import { addressKey } from '@carapace/service'
import type { Request, Response } from 'express'
import { MemoryStore, type Options, rateLimit, type Store } from 'express-rate-limit'
import { uuidForm, walletForm } from '../identity/agents.ts'
import type { RawHeaders } from '../request/headers.ts'

export interface RateLimits {
  /** Counts one request for its client address, before anything is known of the caller. @throws RATE_LIMITED with Retry-After */
  byAddress(request: Request, response: Response, route: Found, ip: string): Promise<Standing[]>
  /** Counts a request that is refused before it has a route as a read of its address. @throws RATE_LIMITED */
  byUnrouted(ip: string): Promise<void>
  /** Counts a request for health, metrics or a file, in a window of its own. @throws RATE_LIMITED */
  byProbe(ip: string): Promise<void>
  /** Counts a write for its caller: the wallet that signed, else address and identity header as sent. @throws RATE_LIMITED */
  byCaller(request: Request, route: Found, ip: string, signedBy?: string): Promise<Standing[]>
  /** Before the credentials of an admin call are checked. @throws RATE_LIMITED when its address had too many refused: a right guess is then refused too */
  checkAdmin(ip: string): void
  /** Counts a refused admin call as a write: keys and wallets cannot be tried out at full speed. @throws RATE_LIMITED */
  failedAdmin(ip: string): Promise<void>
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
  const make = (name: string, limit: number, windowSeconds: number = limits.rate.windowSeconds): Limit => {
    const store = settings.store(name, limit)
    stores.push(store)
    return { name, limit, windowSeconds, store }
  }
  const window = (name: string, limit: number): Limit => {
    const made = make(name, limit)
    // of the options a store needs nothing else
    void made.store.init?.({ windowMs: made.windowSeconds * 1000 } as Options)
    return made
  }
  const read = window('read', settings.read)
  const writeByAddress = window('write-address', settings.write * limits.rate.perIpFactor)
  const write = window('write', settings.write)
  const probe = window('probe', settings.read * probeFactor)
  const admin = window('admin-refused', settings.write)
  const refused = fullWindows()
  const quotas = new Map<string, Quota>()
  const quotaOf = ({ name, endpoint: { quota } }: Found) => {
    const counter = quotas.get(name) ?? quotaCounter(make(name, quota!.limit, quota!.windowSeconds))
    quotas.set(name, counter)
    return counter
  }

  return {
    byAddress: async (request, response, route, ip) => {
      const address = addressKey(ip)
      const standing = await count(route.endpoint.rate === 'read' ? read : writeByAddress, address)
      if (route.endpoint.quota) await quotaOf(route)(request, response, address)
      return [standing]
    },
    byUnrouted: async ip => {
      await count(read, addressKey(ip))
    },
    byProbe: async ip => {
      await count(probe, addressKey(ip))
    },
    byCaller: async (request, route, ip, signedBy) => {
      if (route.endpoint.rate === 'read') return []
      return [await count(write, signedBy?.toLowerCase() ?? `${addressKey(ip)} ${callerKey(request)}`)]
    },
    checkAdmin: ip => refused.check(addressKey(ip)),
    failedAdmin: async ip => {
      const address = addressKey(ip)
      await count(admin, address).catch((error: unknown) => {
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
  limit: number
  windowSeconds: number
  store: Store
}

/**
 * Counts one request against one limit. Straight in the store: the limiter around it would cost a read more than its window does, for options that only
 * quotas have.
 * @throws RATE_LIMITED
 */
async function count({ name, limit, windowSeconds, store }: Limit, key: string): Promise<Standing> {
  const { totalHits, resetTime } = await store.increment(key)
  const standing = standingOf(name, windowSeconds, { limit, remaining: Math.max(limit - totalHits, 0), resetTime })
  if (totalHits > limit) throw new RateRefusal(standing)
  return standing
}

/** Counts one request against a quota. @throws RATE_LIMITED */
type Quota = (request: Request, response: Response, key: string) => Promise<void>

interface Counted extends Request {
  rateKey: string
  rateRefused: () => void
  /** Set by the limiter. */
  rateLimit: { limit: number; remaining: number; resetTime?: Date }
}

/** A request that has failed is no longer counted. */
function quotaCounter({ name, limit, windowSeconds, store }: Limit): Quota {
  const limiter = rateLimit({
    windowMs: windowSeconds * 1000,
    limit,
    standardHeaders: false,
    legacyHeaders: false,
    skipFailedRequests: true,
    validate: false,
    store,
    keyGenerator: request => (request as Counted).rateKey,
    handler: request => (request as Counted).rateRefused(),
  })
  return (request, response, key) =>
    new Promise((resolve, reject) => {
      const counted = request as Counted
      counted.rateKey = key
      counted.rateRefused = () => reject(new RateRefusal(standingOf(name, windowSeconds, counted.rateLimit)))
      // it answers by `next` or by the handler above
      void limiter(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
    })
}

function standingOf(
  name: string,
  windowSeconds: number,
  { limit, remaining, resetTime }: { limit: number; remaining: number; resetTime?: Date | undefined },
): Standing {
  return { name, limit, remaining, windowSeconds, resetTime: resetTime ?? new Date(Date.now() + windowSeconds * 1000) }
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
