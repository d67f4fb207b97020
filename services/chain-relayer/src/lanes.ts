import type { Chain } from '@carapace/api'
import type { Bus } from '@carapace/bus'
import { type RunningLane, runLane } from './leader.ts'
import type { Networks } from './networks.ts'

export interface LaneState {
  leading: boolean
  /** Operations that are not signed. */
  queued: number
  /** Transactions that are not mined. */
  inflight: number
  /** Slots between the lowest unmined one and the next nonce that nothing holds: must be 0. */
  nonceGap: number
  paused: string | undefined
  /** In what the node contradicts itself: until it stops doing so, the lane waits. */
  contradiction: string | undefined
  /** Number of header fields that receipts are not compared with. */
  unchecked: number
}

/** The lanes of this process, one a network. */
export interface Lanes {
  /** They follow the chains and publish events once `after` has resolved. */
  start(bus: Bus, after: Promise<void>): void
  state(chain: Chain): LaneState
  /** This process wrote something for the leaders: those of this process search for it soon, others with their next search. */
  checkStore(): void
  close(): Promise<void>
}

const idle: LaneState = { leading: false, queued: 0, inflight: 0, nonceGap: 0, paused: undefined, contradiction: undefined, unchecked: 0 }

export function openLanes(networks: Networks): Lanes {
  const running = new Map<Chain, RunningLane>()
  let isClosed = false
  return {
    start: (bus, after) => {
      const run = () => {
        if (isClosed) return
        for (const [chain, { parts }] of networks) running.set(chain, runLane(parts, bus))
      }
      // Where it fails the start of the service fails with it.
      after.then(run, () => {})
    },
    state: chain => {
      const lane = running.get(chain)?.current()
      if (!lane) return idle
      const inflight = lane.slots.openCount
      const lowest = lane.slots.lowestOpen()
      const nonceGap = lowest ? lane.slots.nextNonce - lowest.nonce - inflight : 0
      const { paused, contradiction, unchecked } = lane
      return { leading: true, queued: lane.queue.size, inflight, nonceGap: Math.max(0, nonceGap), paused, contradiction, unchecked: unchecked.size }
    },
    checkStore: () => {
      for (const lane of running.values()) lane.current()?.checkStore()
    },
    close: async () => {
      isClosed = true
      await Promise.all([...running.values()].map(lane => lane.close()))
      await Promise.all([...networks.values()].map(network => network.close()))
    },
  }
}
