import { AsyncResource } from 'node:async_hooks'
import type { Database } from '../database.ts'
import type { Claims, Pending, PendingFilter, Swept } from './claims.ts'
import { leaseMs } from './entry.ts'
import type { Rests } from './rests.ts'
import { keyOf, type OutboxWork, type Work } from './work.ts'

export interface Sweeps {
  /** Sweeps for unsent events now and hands them over to be sent. */
  sweep(): Promise<void>
  /** Something could not be sent: its collection is swept again at that time. @param at ms, wall clock */
  again(collection: string, at: number): void
  /** A document is no longer being sent. Sweeps again if the last sweep ended at its limit, while the broker still has work from it. */
  ended(document: Pick<Work, 'collection' | 'id'>, waiting: number): void
  /** Resolves after the sweeps so far. */
  settled(): Promise<void>
  close(): void
}

export interface SweepsOptions {
  /** No sweep starts by itself before this resolves. */
  after: Promise<void>
  /** Pause between two sweeps of everything. */
  everyMs: number
  /** How often leases are renewed and what could not be sent is tried again. */
  tickMs: number
  /** Documents in work concurrently. */
  window: number
  rests: Rests
  failed(error: unknown): void
  stopped: AbortSignal
}

/**
 * Finds what no write of this process announced: what a dead process left, and what could not be sent. Writes announce themselves, so that a sweep of
 * everything is only the safety net; it costs one call of the database. Renews the leases of what is being sent.
 */
export function outboxSweeps(db: Database, claims: Claims, work: OutboxWork, options: SweepsOptions): Sweeps {
  const { after, everyMs, tickMs, window, rests, failed, stopped } = options
  const page = 4 * window
  /** Collections with something that could not be sent, and when they are swept again, ms. */
  const due = new Map<string, number>()
  /** Of each sweep under way: what was emptied since it began, and may be full in what it reads. */
  const emptied = new Set<Set<string>>()
  let fullAt = 0
  let hasMore = false
  let sweeping = after.then(sweep).catch(failed)
  const timer = setInterval(() => {
    sweeping = sweeping.then(tick).catch(failed)
  }, tickMs)

  async function tick(): Promise<void> {
    const now = Date.now()
    await renew(claims, work)
    if (now >= fullAt) return sweep()
    await sweepOf([...due].filter(([, at]) => at <= now).map(([collection]) => collection))
  }

  async function sweep(): Promise<void> {
    hasMore = false
    // replicas part by chance
    fullAt = Date.now() + everyMs * (0.75 + Math.random() / 2)
    await sweepOf([...db.outboxes.keys()])
  }

  async function sweepOf(collections: readonly string[]): Promise<void> {
    if (collections.length === 0) return
    for (const collection of collections) {
      // what still rests is not in this sweep
      const next = rests.nextEnd(collection)
      if (next === undefined) due.delete(collection)
      else due.set(collection, next)
    }
    try {
      await handOver(collections)
    } catch (error) {
      for (const collection of collections) again(collection, Date.now() + tickMs)
      throw error
    }
  }

  async function handOver(collections: readonly string[]): Promise<void> {
    const claimable = (collection: string) => {
      const resting = rests.of(collection)
      return { ...claims.claimable(), ...(resting.length > 0 && { _id: { $nin: resting } }) }
    }
    const meanwhile = new Set<string>()
    emptied.add(meanwhile)
    try {
      const found = await unsentIn(db, collections, claimable, claims.swept, page)
      const origin = new AsyncResource('OutboxSweep')
      for (const collection of collections) {
        const own = found.filter(one => one.collection === collection)
        hasMore ||= own.length === page
        const idle = own.filter(({ _id }) => !work.holds(collection, _id) && !meanwhile.has(keyOf(collection, _id)))
        if (idle.length > 0) for (const { id, handoff } of await claims.many(collection, idle)) work.wake(collection, id, handoff, origin)
      }
    } finally {
      emptied.delete(meanwhile)
    }
  }

  function again(collection: string, at: number): void {
    due.set(collection, Math.min(at, due.get(collection) ?? at))
  }

  function sweepNext(): void {
    sweeping = sweeping.then(sweep).catch(failed)
  }

  return {
    sweep,
    again,
    ended: ({ collection, id }, waiting) => {
      for (const meanwhile of emptied) meanwhile.add(keyOf(collection, id))
      if (!hasMore || waiting >= window / 2) return
      hasMore = false
      if (!stopped.aborted) sweepNext()
    },
    settled: () => sweeping,
    close: () => clearInterval(timer),
  }
}

type Unsent = Swept & { collection: string }

/** Documents with unsent events, so many of each collection at most, by one call. */
async function unsentIn(
  db: Database,
  collections: readonly string[],
  filterOf: (collection: string) => PendingFilter,
  fields: Claims['swept'],
  limit: number,
): Promise<Unsent[]> {
  const stages = (collection: string) => [
    { $match: filterOf(collection) },
    { $limit: limit },
    { $project: { ...fields, collection: { $literal: collection } } },
  ]
  const [first, ...others] = collections
  const unions = others.map(coll => ({ $unionWith: { coll, pipeline: stages(coll) } }))
  return db.connection
    .collection<Pending>(first!)
    .aggregate<Unsent>([...stages(first!), ...unions])
    .toArray()
}

async function renew(claims: Claims, work: OutboxWork): Promise<void> {
  const now = Date.now()
  const due = work.running().filter(({ leasedAt }) => now - leasedAt >= leaseMs / 4)
  for (const one of due) one.leasedAt = now
  for (const collection of new Set(due.map(one => one.collection))) {
    const ids = due.filter(one => one.collection === collection).map(({ id }) => id)
    await claims.renew(collection, ids)
  }
}
