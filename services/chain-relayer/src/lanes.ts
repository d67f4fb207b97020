import type { Chain } from '@carapace/api'
import type { Bus } from '@carapace/bus'
import { ledUnderOtherKey } from './lane/keys/network-leases.ts'
import { figuresOf } from './lane/lane-figures.ts'
import { type LaneFigures, leaseFigures } from './lane/lease.ts'
import { type RunningLane, runLane } from './leader.ts'
import type { Networks } from './networks.ts'

export interface LaneState extends LaneFigures {
  leading: boolean
  paused: string | undefined
  /** In what the node contradicts itself: until it stops doing so, the lane waits. */
  contradiction: string | undefined
  /** Number of header fields that receipts are not compared with. */
  unchecked: number
}

/** The lanes of this process: one a network, and one more while its former key retires. */
export interface Lanes {
  /** They follow the chains and publish events once `after` has resolved. */
  start(bus: Bus, after: Promise<void>): void
  state(chain: Chain): LaneState
  /** The same, with the figures of the process that leads, where that is another one; and whether any does. */
  status(chain: Chain): Promise<LaneState & { led: boolean }>
  /** This process wrote something for the leaders: those of this process search for it soon, others with their next search. */
  checkStore(): void
  close(): Promise<void>
}

const idle: LaneState = { leading: false, queued: 0, inflight: 0, nonceGap: 0, paused: undefined, contradiction: undefined, unchecked: 0 }

export function openLanes(networks: Networks): Lanes {
  const running = new Map<Chain, RunningLane>()
  const retiring: RunningLane[] = []
  let isClosed = false
  const state = (chain: Chain): LaneState => {
    const lane = running.get(chain)?.current()
    if (!lane) return idle
    const { paused, contradiction, unchecked } = lane
    return { leading: true, ...figuresOf(lane), paused, contradiction, unchecked: unchecked.size }
  }
  return {
    start: (bus, after) => {
      const run = () => {
        if (isClosed) return
        for (const [chain, { parts, retiring: former }] of networks) {
          if (former) retiring.push(runLane(former, bus))
          running.set(chain, runLane(parts, bus))
        }
      }
      // Where it fails the start of the service fails with it.
      after.then(run, () => {})
    },
    state,
    status: async chain => {
      const own = state(chain)
      if (own.leading) return { ...own, led: true }
      const { parts } = networks.get(chain)!
      const figures = await leaseFigures(parts.db.leases, (await ledUnderOtherKey(parts)) ?? parts.id)
      return { ...own, ...figures, led: figures !== undefined }
    },
    checkStore: () => {
      for (const lane of [...running.values(), ...retiring]) lane.current()?.checkStore()
    },
    close: async () => {
      isClosed = true
      await Promise.all([...running.values(), ...retiring].map(lane => lane.close()))
      await Promise.all([...networks.values()].map(network => network.close()))
    },
  }
}
