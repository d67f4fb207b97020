import { type Found, limits, Refusal } from '@carapace/api'
import { addressKey } from '@carapace/service'
import type { Request } from 'express'
import { uuidForm, walletForm } from '../identity/agents.ts'
import type { RawHeaders } from '../request/headers.ts'
import type { Hit, Windows } from './windows.ts'

export interface RateLimits {
  /** Counts one request for its client address, before anything is known of the caller. @throws RATE_LIMITED with Retry-After */
  byAddress(route: Found, ip: string): Promise<Standing[]>
  /**
   * Counts a request for its address against the quota of its endpoint, where that has one. A quota limits what is done: the hit is
   * released where it is certain that nothing was done.
   * @throws RATE_LIMITED
   */
  byQuota(route: Found, ip: string): Promise<Pick<Hit, 'release'> | undefined>
  /** Counts a request that is refused before it has a route as a read of its address. @throws RATE_LIMITED */
  byUnrouted(ip: string): Promise<void>
  /** Counts a request for health, metrics or a file, in a window of its own. @throws RATE_LIMITED */
  byProbe(ip: string): Promise<void>
  /** Counts a write for its caller: the wallet that signed; else its address, in plain mode with the identity header as sent. @throws RATE_LIMITED */
  byCaller(request: Request, route: Found, ip: string, signedBy?: string): Promise<Standing[]>
  /** Before the credentials of an admin call are checked. @throws RATE_LIMITED when its address had too many refused: a right guess is then refused too */
  checkAdmin(ip: string): void
  /** Counts a refused admin call as a write: keys and wallets cannot be tried out at full speed. @throws RATE_LIMITED */
  failedAdmin(ip: string): Promise<void>
  close(): Promise<void>
}

export interface RateSettings {
  mode: 'plain' | 'signed'
  /** Reads per minute and client address. */
  read: number
  /** Writes per minute and caller. */
  write: number
  /** The windows of one limit: shared by replicas, or in memory. */
  windows: (prefix: string, limit: number) => Windows
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
  const opened: Windows[] = []
  const window = (name: string, limit: number, windowSeconds: number = limits.rate.windowSeconds): Limit => {
    const windows = settings.windows(name, limit)
    windows.init({ windowMs: windowSeconds * 1000 })
    opened.push(windows)
    return { name, limit, windowSeconds, windows }
  }
  const read = window('read', settings.read)
  const writeByAddress = window('write-address', settings.write * limits.rate.perIpFactor)
  const write = window('write', settings.write)
  const probe = window('probe', settings.read * probeFactor)
  const admin = window('admin-refused', settings.write)
  const refused = fullWindows()
  const quotas = new Map<string, Limit>()
  const quotaOf = (name: string, { limit, windowSeconds }: { limit: number; windowSeconds: number }) => {
    const quota = quotas.get(name) ?? window(name, limit, windowSeconds)
    quotas.set(name, quota)
    return quota
  }

  return {
    byAddress: async (route, ip) => [await count(route.endpoint.rate === 'read' ? read : writeByAddress, addressKey(ip))],
    byQuota: async ({ name, endpoint: { quota } }, ip) => (quota ? countReleasable(quotaOf(name, quota), addressKey(ip)) : undefined),
    byUnrouted: async ip => {
      await count(read, addressKey(ip))
    },
    byProbe: async ip => {
      await count(probe, addressKey(ip))
    },
    byCaller: async (request, route, ip, signedBy) => {
      if (route.endpoint.rate === 'read') return []
      // a name that nobody proves would give each stranger as many windows as it can think of
      const claimed = settings.mode === 'plain' ? callerKey(request) : ''
      return [await count(write, signedBy?.toLowerCase() ?? `${addressKey(ip)} ${claimed}`)]
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
      for (const windows of opened) windows.shutdown()
    },
  }
}

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
  windows: Windows
}

/** Counts one request against one limit. @throws RATE_LIMITED */
async function count(limit: Limit, key: string): Promise<Standing> {
  const hit = await limit.windows.increment(key)
  if (hit.totalHits > limit.limit) throw new RateRefusal(standingOf(limit, hit))
  return standingOf(limit, hit)
}

/** As `count`; a request that is refused is not counted, so that those which are released make room. @throws RATE_LIMITED */
async function countReleasable(limit: Limit, key: string): Promise<Hit> {
  const hit = await limit.windows.increment(key)
  if (hit.totalHits <= limit.limit) return hit
  await hit.release()
  throw new RateRefusal(standingOf(limit, hit))
}

const standingOf = ({ name, limit, windowSeconds }: Limit, { totalHits, resetTime }: Hit): Standing => ({
  ...{ name, limit, windowSeconds, resetTime },
  remaining: Math.max(limit - totalHits, 0),
})

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
