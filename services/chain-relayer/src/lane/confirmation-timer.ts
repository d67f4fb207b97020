import type { Chain } from '@carapace/api'
import type { Metrics } from '@carapace/service'

const buckets = [0.5, 1, 2, 5, 10, 20, 60, 300]

/** Time from a command to its confirmation. @returns for each network what is called with ms */
export function confirmationTimer(metrics: Metrics): (chain: Chain) => (afterMs: number) => void {
  const seconds = metrics.histogram('chain_confirmation_seconds', 'Seconds from a command to its confirmation', buckets, ['chain'])
  return chain => afterMs => seconds.observe({ chain }, Math.max(0, afterMs) / 1_000)
}
