import { Timestamp } from 'bson'
import type { Storage } from '../storage/storage.ts'
import type { Snapshot } from '../storage/table.ts'
import { fail } from '../values/errors.ts'

/** A state of the store that later reads with `readConcern: snapshot` can name by its time. */
export interface Moment {
  at: Timestamp
  snapshot: Snapshot
  usedAt: number
  /** Reads that are under way. */
  readers: number
}

export type History = Map<string, Moment>

/** A moment without a read for this long is released, because it prevents LMDB from reusing its pages. */
export const momentMs = 60_000
let lastTick = 0

/** The moment that a read names, or a new one: the newest state. Throws 239 SnapshotTooOld for one that was released. */
export function momentOf(history: History, storage: Storage, atClusterTime: unknown, now: number): Moment {
  if (atClusterTime === undefined) {
    lastTick = (lastTick + 1) % 0x7fff_ffff
    const moment = {
      at: new Timestamp({ t: Math.floor(now / 1000), i: lastTick + 1 }),
      snapshot: storage.snapshot(),
      usedAt: now,
      readers: 0,
    }
    history.set(moment.at.toString(), moment)
    return moment
  }
  if (!(atClusterTime instanceof Timestamp)) return fail(14, "BSON field 'readConcern.atClusterTime' is the wrong type, expected type 'timestamp'")
  const moment = history.get(atClusterTime.toString()) ?? fail(239, 'Read timestamp is older than the oldest available timestamp.')
  moment.usedAt = now
  return moment
}

/** Ends with the read, until when the moment is in use. */
export async function reading<T>(moment: Moment, read: T | Promise<T>): Promise<T> {
  moment.readers += 1
  try {
    return await read
  } finally {
    moment.readers -= 1
    moment.usedAt = Date.now()
  }
}

export function forgetMoments(history: History, isOver: (moment: Moment) => boolean): void {
  for (const [key, moment] of history) {
    if (!isOver(moment)) continue
    moment.snapshot.release()
    history.delete(key)
  }
}
