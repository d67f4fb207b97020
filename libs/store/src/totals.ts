import type { PageQuery } from '@carapace/api'
import type { Database } from './database.ts'

/** One page of a list, and how many matches there are in all. */
export interface Page<T> {
  items: T[]
  total: number
}

/** How many documents lists have in all. A count walks every key of its range; cached ones let a list cost the same however long it is. */
export interface Totals {
  /** Reads a page, and counts only what the page itself does not show. */
  page<T>(filter: Record<string, unknown>, page: PageQuery, read: () => Promise<T[]>): Promise<Page<T>>
  /** How many match, also when a page would show it. */
  of(filter: Record<string, unknown>): Promise<number>
  /** Something was written here: what was counted before no longer holds. */
  forget(): void
}

/** Milliseconds for which a count may miss what another process has written: as long as public reads may be cached. */
const cachedForMs = 1_000
const mostCached = 1_000

interface CachedTotal {
  total: Promise<number>
  until: number
}

/** The totals of one collection; aggregates that this process saves there are known of. */
export function totalsOf(db: Database, collection: string): Totals {
  const cached = totals(filter => db.connection.collection(collection).countDocuments(filter))
  db.changes.on('saved', saved => {
    if (saved === collection) cached.forget()
  })
  return cached
}

/** `now` in milliseconds. */
export function totals(count: (filter: Record<string, unknown>) => Promise<number>, now: () => number = () => performance.now()): Totals {
  const cached = new Map<string, CachedTotal>()

  const totalOf = (filter: Record<string, unknown>): Promise<number> => {
    const key = keyOf(filter)
    const present = cached.get(key)
    if (present && present.until > now()) return present.total
    cached.delete(key)
    const entry = { total: count(filter), until: now() + cachedForMs }
    cached.set(key, entry)
    if (cached.size > mostCached) cached.delete(cached.keys().next().value!)
    entry.total.catch(() => cached.get(key) === entry && cached.delete(key))
    return entry.total
  }

  return {
    page: async (filter, { limit, offset }, read) => {
      const items = await read()
      const end = offset + items.length
      const isLast = items.length < limit && (items.length > 0 || offset === 0)
      // written between the two reads, or by another process: there are never fewer than were just seen
      return { items, total: isLast ? end : Math.max(items.length ? end : 0, await totalOf(filter)) }
    },
    of: totalOf,
    forget: () => cached.clear(),
  }
}

/** The same text for the same filter; dates and 64-bit integers differ from their texts. */
const keyOf = (filter: Record<string, unknown>): string =>
  JSON.stringify(filter, function (this: Record<string, unknown>, name, value: unknown) {
    const raw = this[name]
    if (raw instanceof Date) return { date: raw.getTime() }
    return typeof value === 'bigint' ? { int64: String(value) } : value
  })
