import { setTimeout as sleep } from 'node:timers/promises'
import { apis, gatewayApi, moveClock, type ServiceName } from '@carapace/api'
import type { Platform } from '@carapace/service'
import { aggregateStore } from '@carapace/store'

interface SandboxClock {
  id: 'clock'
  /** Platform clock minus wall clock, ms; only grows. */
  offsetMs: number
}

export interface ClockStore {
  /** Moves the platform clock forward and publishes the move. Resolves to the new offset, ms. */
  advance(seconds: number): Promise<number>
}

/** How long an answer waits for the services. */
const patienceMs = 10_000
const againMs = 250

/** Every service adopts the new time and runs what became due. Resolves to the names of those that are still at work after 10 s. */
export async function moveAllClocks({ peers }: Pick<Platform, 'peers'>, offsetMs: number): Promise<ServiceName[]> {
  const end = Date.now() + patienceMs
  const move = async (name: ServiceName): Promise<ServiceName[]> => {
    for (;;) {
      const left = end - Date.now()
      if (left <= 0) return [name]
      const isDone = await peers.call(name, moveClock, { body: { offsetMs }, timeoutMs: left }).then(
        () => true,
        () => false,
      )
      if (isDone) return []
      await sleep(Math.min(againMs, Math.max(0, end - Date.now())))
    }
  }
  const served = Object.values(apis).filter(api => !('planned' in api))
  return (await Promise.all(served.map(({ name }) => move(name)))).flat()
}

/** The sum of all moves, saved in one write with its event: two concurrent moves both count. */
export function clockStore({ db, clock }: Pick<Platform, 'db' | 'clock'>): ClockStore {
  const clocks = aggregateStore<SandboxClock>(db, { collection: 'sandbox', resource: 'clock' })
  const exists = async () => {
    if (await clocks.get('clock')) return
    await clocks.createOnce('clock', () => ({ state: { id: 'clock', offsetMs: clock.offsetMs() }, events: [] }))
  }
  return {
    advance: async seconds => {
      if (seconds === 0) return clock.offsetMs()
      await exists()
      const { offsetMs } = await clocks.change('clock', state => {
        const moved = Math.max(Number(state.offsetMs), clock.offsetMs()) + seconds * 1000
        return { state: { ...state, offsetMs: moved }, events: [gatewayApi.events.clockAdvanced.of({ offsetMs: moved })] }
      })
      await clock.advanceTo(offsetMs)
      return offsetMs
    },
  }
}
