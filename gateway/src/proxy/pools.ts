import type { ServiceName } from '@carapace/api'
import { Pool } from 'undici'

export interface Pools {
  of(service: ServiceName): Pool
  /** The service's base URL. */
  originOf(service: ServiceName): string
  close(): Promise<void>
}

/** A write that waits for the chain holds its connection for up to 10 s: many of one caller must not leave the others without. */
const maxConnections = 512

/** Keep-alive connections to each service; a new address (a service that was started again) gets a new pool. */
export function openPools(address: (service: ServiceName) => string, connections = maxConnections): Pools {
  const pools = new Map<ServiceName, { origin: string; pool: Pool }>()
  return {
    of: service => {
      const origin = address(service)
      const known = pools.get(service)
      if (known?.origin === origin) return known.pool
      // a pool whose address is no longer used ends what runs on it, then closes by itself
      known?.pool.close().catch(() => {})
      const pool = new Pool(origin, { connections, pipelining: 1, connectTimeout: 5_000, headersTimeout: 0, bodyTimeout: 15_000 })
      pools.set(service, { origin, pool })
      return pool
    },
    originOf: address,
    close: async () => {
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
    },
  }
}
