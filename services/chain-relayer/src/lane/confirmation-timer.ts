import type { Chain } from '@carapace/api'
import type { Metrics } from '@carapace/service'

/** Time to confirm of a network: seconds and count, so that their rates give the mean. */
export function confirmationTimer(metrics: Metrics, chain: Chain): (afterMs: number) => void {
  const name = chain.toLowerCase()
  const seconds = metrics.counter(`lane_confirm_seconds_total_${name}`, `Seconds from command to confirmation, added up (${chain})`, [])
  const count = metrics.counter(`lane_confirmed_total_${name}`, `Confirmed operations (${chain})`, [])
  return afterMs => {
    seconds.inc(Math.max(0, afterMs) / 1_000)
    count.inc()
  }
}
