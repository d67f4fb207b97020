import type { Logger } from '@carapace/service'
import { type Database, openCollection } from '@carapace/store'
import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'

interface Window {
  _id: string
  hits: number
  expireAt: Date
}

const collection = 'rate_windows'

/** Hits that one round trip to the database pays for; 1 for the usual limits, so that those are exact over all replicas. */
const blockOf = (limit: number): number => Math.max(1, Math.floor(limit / 1_000))

/**
 * Counts in the gateway's database, so that all replicas share each window. Windows start at whole multiples of their length.
 * A client that is over its limit costs nothing more until its window ends; when the database is away each replica counts for itself.
 */
export function sharedStore(db: Database, prefix: string, limit: number, log: Logger): Store {
  const windows = db.collection<Window>(collection)
  const fallback = new MemoryStore()
  const block = blockOf(limit)
  const local = new Map<string, { id: string; used: number; reserved: number; end: number }>()
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

  return {
    prefix,
    localKeys: false,
    init: (options: Options) => {
      windowMs = options.windowMs
      fallback.init(options)
    },
    increment: async (key): Promise<ClientRateLimitInfo> => {
      const now = Date.now()
      const end = now - (now % windowMs) + windowMs
      const id = `${prefix}:${key}:${end}`
      let own = local.get(key)
      if (own?.id !== id) {
        sweep(local, now)
        own = { id, used: 0, reserved: 0, end }
        local.set(key, own)
      }
      if (own.used < own.reserved || own.used > limit) return { totalHits: ++own.used, resetTime: new Date(end) }
      try {
        const total = await reserve(id, block, end)
        own.used = total - block + 1
        own.reserved = total
        return { totalHits: own.used, resetTime: new Date(end) }
      } catch (error) {
        log.warn({ err: error }, 'rate limits: counted by this replica alone')
        return fallback.increment(key)
      }
    },
    decrement: async key => {
      const own = local.get(key)
      if (!own || own.end <= Date.now()) return
      own.used -= 1
      await windows.updateOne({ _id: own.id }, { $inc: { hits: -1 } }).catch(() => fallback.decrement(key))
    },
    resetKey: key => {
      local.delete(key)
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
  await openCollection<Window>(db, collection, { expire: { key: { expireAt: 1 }, expireAfterSeconds: 0 } })
}
