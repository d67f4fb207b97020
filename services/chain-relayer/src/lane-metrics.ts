import type { Metrics } from '@carapace/service'
import type { LaneState, Lanes } from './lanes.ts'
import type { Networks } from './networks.ts'

const gauges = {
  'lane.depth': state => state.queued,
  'lane.inflight': state => state.inflight,
  'lane.nonce_gap': state => state.nonceGap,
  'lane.leading': state => Number(state.leading),
  'lane.contradicted': state => Number(state.contradiction !== undefined),
  'lane.unchecked': state => state.unchecked,
  'lane.paused': state => Number(state.paused !== undefined),
} as const satisfies Partial<Record<Parameters<Metrics['observe']>[0], (state: LaneState) => number>>

/** Lane depth, nonce gap and the like per network, read when they are scraped. */
export function laneMetrics(metrics: Metrics, lanes: Lanes, networks: Networks): void {
  for (const [name, read] of Object.entries(gauges))
    metrics.observe(name as keyof typeof gauges, () => [...networks.keys()].map(chain => [chain, read(lanes.state(chain))] as const))
}
