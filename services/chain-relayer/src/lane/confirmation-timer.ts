import type { Chain } from '@carapace/api'
import type { Metrics } from '@carapace/service'

/** Time from a command to its confirmation. @returns for each network what is called with ms */
export const confirmationTimer =
  (metrics: Metrics) =>
  (chain: Chain) =>
  (afterMs: number): void =>
    metrics.record('chain.confirmation', Math.max(0, afterMs) / 1_000, { chain })
