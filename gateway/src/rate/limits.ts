import { type Found, limits, Refusal } from '@carapace/api'
import type { Request, Response } from 'express'
import { ipKeyGenerator, MemoryStore, type RateLimitRequestHandler, rateLimit, type Store } from 'express-rate-limit'
import { uuidForm, walletForm } from '../identity/agent-caller.ts'
import { RateHeaders } from './headers.ts'

export interface RateLimits {
  /** Counts one request for its client address, before anything is known of the caller. @throws RATE_LIMITED with Retry-After */
  byAddress(request: Request, response: Response, route: Found, ip: string): Promise<RateHeaders>
  /** Counts a write for its caller: the wallet that signed, else address and identity header as sent. @throws RATE_LIMITED */
  byCaller(request: Request, route: Found, ip: string, signedBy: string | undefined, headers: RateHeaders): Promise<void>
  /** Counts a refused admin call as a write: keys and wallets cannot be tried out at full speed. @throws RATE_LIMITED */
  failedAdmin(request: Request, ip: string): Promise<void>
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

/** The rate classes of behaviour 1.9. */
export function rateLimits(settings: RateSettings): RateLimits {
  const stores: Store[] = []
  const make = (name: string, limit: number, windowSeconds: number = limits.rate.windowSeconds, onlySuccesses = false) => {
    const store = settings.store(name, limit)
    stores.push(store)
    return rateLimit({
      windowMs: windowSeconds * 1000,
      limit,
      identifier: name,
      standardHeaders: 'draft-8',
      legacyHeaders: true,
      skipFailedRequests: onlySuccesses,
      validate: false,
      store,
      keyGenerator: request => (request as Keyed).rateKey,
      handler: request => (request as Keyed).refuseRate(),
    })
  }
  const read = make('read', settings.read)
  const writeByAddress = make('write-address', settings.write * limits.rate.perIpFactor)
  const write = make('write', settings.write)
  const admin = make('admin-refused', settings.write)
  const quotas = new Map<string, RateLimitRequestHandler>()
  const quotaOf = ({ name, endpoint: { quota } }: Found) => {
    const known = quotas.get(name) ?? make(name, quota!.limit, quota!.windowSeconds, true)
    quotas.set(name, known)
    return known
  }

  return {
    byAddress: async (request, response, route, ip) => {
      const headers = new RateHeaders()
      const address = addressKey(ip)
      await count(route.endpoint.rate === 'read' ? read : writeByAddress, request, headers, address)
      if (route.endpoint.quota) await count(quotaOf(route), request, new RateHeaders(response), address)
      return headers
    },
    byCaller: async (request, route, ip, signedBy, headers) => {
      if (route.endpoint.rate === 'read') return
      await count(write, request, headers, signedBy?.toLowerCase() ?? `${addressKey(ip)} ${callerKey(request)}`)
    },
    failedAdmin: (request, ip) => count(admin, request, new RateHeaders(), addressKey(ip)),
    close: async () => {
      for (const store of stores) await store.shutdown?.()
    },
  }
}

export const memoryStore = (): Store => new MemoryStore()

interface Keyed extends Request {
  rateKey: string
  refuseRate: () => void
}

function count(limiter: RateLimitRequestHandler, request: Request, headers: RateHeaders, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const keyed = request as Keyed
    keyed.rateKey = key
    keyed.refuseRate = () => reject(new RateRefusal(headers))
    // it answers by `next` or by the handler above
    void limiter(request, headers.response, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
  })
}

/** A 429 with the headers that tell the limit. */
export class RateRefusal extends Refusal {
  readonly headers: RateHeaders

  constructor(headers: RateHeaders) {
    super('RATE_LIMITED', { retryAfter: Math.max(1, Number(headers.values.get('retry-after') ?? limits.rate.windowSeconds)) })
    this.headers = headers
  }
}

/** Addresses of one IPv6 site (/56) are one client. */
const addressKey = (ip: string): string => (ip.includes(':') ? ipKeyGenerator(ip) : ip)

/** Who a write claims to come from; what is malformed counts for the address alone. */
function callerKey({ headers }: Request): string {
  const id = String(headers['x-agent-id'] ?? '').toLowerCase()
  if (uuidForm.test(id)) return id
  const wallet = String(headers['x-wallet-address'] ?? headers['x-admin-wallet'] ?? '').toLowerCase()
  return walletForm.test(wallet) ? wallet : ''
}
