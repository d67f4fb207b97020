import { Refusal } from '@carapace/api'
import { addressKey } from '@carapace/service'

export interface Attempts {
  /** @throws RATE_LIMITED when this address has had its attempts of the running minute */
  count(ip: string): void
}

const windowMs = 60_000
const mostAddresses = 10_000

/** Counts what costs this gateway more than it costs the client, for each client address. */
export function attemptsOf(limit: number, now: () => number = () => performance.now()): Attempts {
  const windows = new Map<string, { count: number; end: number }>()
  return {
    count: ip => {
      const address = addressKey(ip)
      const present = windows.get(address)
      const time = now()
      const window = present && present.end > time ? present : { count: 0, end: time + windowMs }
      window.count++
      windows.delete(address)
      windows.set(address, window)
      if (windows.size > mostAddresses) windows.delete(windows.keys().next().value!)
      if (window.count > limit) throw new Refusal('RATE_LIMITED', { retryAfter: Math.ceil((window.end - time) / 1000) })
    },
  }
}
