import { gatewayApi, Refusal } from '@carapace/api'
import type { Platform } from '@carapace/service'
import { aggregateStore } from '@carapace/store'
import { Schema } from 'mongoose'

interface SandboxClock {
  id: 'clock'
  /** Platform clock minus wall clock, ms; only grows. */
  offsetMs: number
}

export interface ClockStore {
  /** Moves the platform clock of all services forward. Resolves to the new time. */
  advance(seconds: number): Promise<Date>
}

const schema = new Schema<SandboxClock>({ offsetMs: Number })

/** The sum of all moves, kept in one write with the event that tells of it: two moves at once both count. */
export function clockStore({ db, clock }: Pick<Platform, 'db' | 'clock'>): ClockStore {
  const clocks = aggregateStore<SandboxClock>(db, { collection: 'sandbox', resource: 'clock', schema })
  const exists = async () => {
    if (await clocks.get('clock')) return
    await clocks.create({ id: 'clock', offsetMs: clock.offsetMs() }, []).catch((error: unknown) => {
      if (!(error instanceof Refusal && error.code === 'ALREADY_EXISTS')) throw error
    })
  }
  return {
    advance: async seconds => {
      if (seconds === 0) return clock.now()
      await exists()
      const { offsetMs } = await clocks.change('clock', state => {
        const moved = Math.max(Number(state.offsetMs), clock.offsetMs()) + seconds * 1000
        return { state: { ...state, offsetMs: moved }, events: [gatewayApi.events.clockAdvanced.of({ offsetMs: moved })] }
      })
      await clock.advanceTo(offsetMs)
      return clock.now()
    },
  }
}
