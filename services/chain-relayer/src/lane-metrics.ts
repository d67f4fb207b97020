import type { Chain } from '@carapace/api'
import type { Metrics } from '@carapace/service'
import type { LaneState, Lanes } from './lanes.ts'
import type { Networks } from './networks.ts'

const gauges: readonly (readonly [name: string, help: string, read: (state: LaneState) => number])[] = [
  ['lane_depth', 'Operations that are not signed yet', state => state.queued],
  ['lane_inflight', 'Transactions that are not mined yet', state => state.inflight],
  ['lane_nonce_gap', 'Nonces below the next one that nothing holds; must be 0', state => state.nonceGap],
  ['lane_leading', '1 while this process leads the lane', state => Number(state.leading)],
  ['lane_contradicted', '1 while the node contradicts itself and the lane waits', state => Number(state.contradiction !== undefined)],
  ['lane_unchecked', 'Header fields that this network fills in another way: receipts are not compared with them', state => state.unchecked],
  ['lane_paused', '1 while the lane signs and sends nothing', state => Number(state.paused !== undefined)],
]

/** Lane depth, nonce gap and the like per network, read when they are scraped; time to confirm as the outcomes come. */
export function laneMetrics(metrics: Metrics, lanes: Lanes, networks: Networks): void {
  for (const chain of networks.keys()) {
    for (const [name, help, read] of gauges) metrics.gauge(`${name}_${chain.toLowerCase()}`, `${help} (${chain})`, () => read(lanes.state(chain)))
  }
}

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
