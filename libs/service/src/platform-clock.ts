import type { Clock, Database } from '@carapace/store'

/** Wall clock plus an offset that only grows (sandbox, tests). The offset is kept, so that a restart does not turn time back. */
export interface PlatformClock extends Clock {
  /** Sets the offset if it is larger than the present one. Resolves to whether it moved. */
  advanceTo(offsetMs: number): Promise<boolean>
  offsetMs(): number
  /** Takes over what another replica has kept. */
  refresh(): Promise<void>
}

export async function openPlatformClock(db: Database): Promise<PlatformClock> {
  const kept = db.connection.collection<{ _id: string; offsetMs: number }>('platform')
  let offset = 0
  const refresh = async () => {
    offset = Math.max(offset, Number((await kept.findOne({ _id: 'clock' }))?.offsetMs ?? 0))
  }
  await refresh()
  return {
    now: () => new Date(Date.now() + offset),
    offsetMs: () => offset,
    refresh,
    advanceTo: async offsetMs => {
      if (offsetMs <= offset) return false
      await kept.updateOne({ _id: 'clock' }, { $max: { offsetMs } }, { upsert: true })
      offset = Math.max(offset, offsetMs)
      return true
    },
  }
}
