import type { Logger } from '@carapace/service'
import { type Database, openCollection } from '@carapace/store'
import { type Hit, memoryWindows, type Windows } from './windows.ts'

interface StoredWindow {
  _id: string
  hits: number
  expireAt: Date
}

/** What this replica knows of a window. */
interface Local {
  id: string
  used: number
  /** Up to where the database has counted. */
  reserved: number
  /** Unix ms */
  end: number
}

const collection = 'rate_windows'

/** Hits that one round trip to the database pays for; 1 for the usual limits, so that those are exact over all replicas. */
const blockOf = (limit: number): number => Math.max(1, Math.floor(limit / 1_000))

/**
 * Counts in the gateway's database, so that all replicas share each window. Windows start at whole multiples of their length.
 * A client that is over its limit costs nothing more until its window ends; when the database is away each replica counts for itself.
 */
export function sharedWindows(db: Database, prefix: string, limit: number, log: Logger): Windows {
  const windows = db.collection<StoredWindow>(collection)
  const fallback = memoryWindows()
  const block = blockOf(limit)
  const local = new Map<string, Local>()
  let windowMs = 60_000

  /** Total after reserving `count` more hits. The upserts of two replicas may collide; the second try then finds the document. */
  const reserve = async (id: string, count: number, end: number, again = true): Promise<number> => {
    try {
      const found = await windows.findOneAndUpdate(
        { _id: id },
        { $inc: { hits: count }, $setOnInsert: { expireAt: new Date(end) } },
        { upsert: true, returnDocument: 'after' },
      )
      return Number(found?.hits ?? count)
    } catch (error) {
      if (again) return reserve(id, count, end, false)
      throw error
    }
  }

  /** What this replica has cached of the window is then too much: the next hit reads the database again, and the rest of a block stays counted. */
  const release = async (key: string, own: Local): Promise<void> => {
    if (local.get(key) === own) local.delete(key)
    await windows
      .updateOne({ _id: own.id }, { $inc: { hits: -1 } })
      .catch((error: unknown) => log.warn({ err: error }, 'rate limits: a hit stays counted'))
  }
  const reservedHit = (key: string, own: Local): Hit => ({ totalHits: own.used, resetTime: new Date(own.end), release: () => release(key, own) })

  return {
    init: options => {
      windowMs = options.windowMs
      fallback.init(options)
    },
    increment: async key => {
      const now = Date.now()
      const end = now - (now % windowMs) + windowMs
      const id = `${prefix}:${key}:${end}`
      let own = local.get(key)
      if (own?.id !== id) {
        sweep(local, now)
        own = { id, used: 0, reserved: 0, end }
        local.set(key, own)
      }
      // the database has not counted this one, and gets none back for it
      if (own.used > limit) return { totalHits: ++own.used, resetTime: new Date(end), release: async () => {} }
      if (own.used < own.reserved) {
        own.used += 1
        return reservedHit(key, own)
      }
      try {
        const total = await reserve(id, block, end)
        own.used = total - block + 1
        own.reserved = total
        return reservedHit(key, own)
      } catch (error) {
        log.warn({ err: error }, 'rate limits: counted by this replica alone')
        return fallback.increment(key)
      }
    },
    shutdown: () => fallback.shutdown(),
  }
}

const most = 10_000

/** Forgets windows that have ended, once there are many. */
function sweep(local: Map<string, { end: number }>, now: number): void {
  if (local.size < most) return
  for (const [key, { end }] of local) if (end <= now) local.delete(key)
}

/** The database forgets windows by itself. */
export async function openSharedWindows(db: Database): Promise<void> {
  await openCollection<StoredWindow>(db, collection, { expire: { key: { expireAt: 1 }, expireAfterSeconds: 0 } })
}
