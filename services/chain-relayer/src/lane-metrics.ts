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

/** Lane depth, nonce gap and the like per network, read when they are scraped. */
export function laneMetrics(metrics: Metrics, lanes: Lanes, networks: Networks): void {
  for (const [name, help, read] of gauges)
    metrics.gauges(name, help, 'chain', () => [...networks.keys()].map(chain => [chain, read(lanes.state(chain))] as const))
}
