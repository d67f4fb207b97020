import { randomUUID } from 'node:crypto'
import type { Clock, Database } from '@carapace/store'

/** Wall clock plus an offset that only grows (sandbox, tests). The offset is stored, so that time does not go back at a restart. */
export interface PlatformClock extends Clock {
  /** Sets the offset if it is larger than the present one. Resolves to whether it moved. */
  advanceTo(offsetMs: number): Promise<boolean>
  offsetMs(): number
  /** Adopts the offset that another replica has stored, and reports this replica's own. */
  refresh(): Promise<void>
  /** Resolves when every live replica that calls `refresh` has at least this offset. */
  reached(offsetMs: number): Promise<void>
  /** This replica's offset no longer matters to others. */
  leave(): Promise<void>
}

interface Offset {
  _id: string
  offsetMs: number
  /** Of a replica: when it last reported. */
  at?: Date
}

/** A replica that has not reported for so long is dead. */
const aliveMs = 6_000
const pollMs = 100

export async function openPlatformClock(db: Database): Promise<PlatformClock> {
  const offsets = db.connection.collection<Offset>('platform')
  const replica = `replica:${randomUUID()}`
  let offset = 0
  let reported = false
  const adopt = async () => {
    offset = Math.max(offset, Number((await offsets.findOne({ _id: 'clock' }))?.offsetMs ?? 0))
  }
  const report = () => offsets.updateOne({ _id: replica }, { $set: { offsetMs: offset, at: new Date() } }, { upsert: true })
  await adopt()
  return {
    now: () => new Date(Date.now() + offset),
    offsetMs: () => offset,
    refresh: async () => {
      await adopt()
      if (!reported) await offsets.deleteMany({ at: { $lt: new Date(Date.now() - aliveMs) } })
      reported = true
      await report()
    },
    reached: async offsetMs => {
      for (;;) {
        const alive = { at: { $gt: new Date(Date.now() - aliveMs) }, _id: { $ne: replica } }
        const isLate = (await offsets.find(alive).toArray()).some(row => Number(row.offsetMs) < offsetMs)
        if (!isLate) return
        await new Promise(resolve => setTimeout(resolve, pollMs))
      }
    },
    leave: async () => {
      if (reported) await offsets.deleteOne({ _id: replica })
    },
    advanceTo: async offsetMs => {
      if (offsetMs <= offset) return false
      await offsets.updateOne({ _id: 'clock' }, { $max: { offsetMs } }, { upsert: true })
      offset = Math.max(offset, offsetMs)
      if (reported) await report()
      return true
    },
  }
}
