import type { Database } from '../database.ts'
import type { Claims, Pending } from './claims.ts'
import { leaseMs } from './entry.ts'
import type { Rests } from './rests.ts'
import type { OutboxWork } from './work.ts'

export interface Sweeps {
  /** Searches for unsent events now and hands them over to be sent. */
  sweep(): Promise<void>
  /** Sweeps after the sweep that runs. */
  sweepNext(): void
  /** Sweeps again if the last sweep ended at its limit, while the broker still has work from it. */
  goOn(waiting: number): void
  /** Resolves after the sweeps so far. */
  settled(): Promise<void>
}

export interface SweepsOptions {
  /** No sweep starts by itself before this resolves. */
  after: Promise<void>
  /** Documents in work concurrently. */
  window: number
  rests: Rests
  failed(error: unknown): void
  stopped: AbortSignal
}

/** Finds what no write of this process announced, and renews the leases of what is being sent. */
export function outboxSweeps(db: Database, claims: Claims, work: OutboxWork, { after, window, rests, failed, stopped }: SweepsOptions): Sweeps {
  const page = 4 * window
  let hasMore = false
  let sweeping = after.then(sweep).catch(failed)

  async function sweep(): Promise<void> {
    hasMore = false
    await renew(claims, work)
    for (const collection of db.outboxes.keys()) {
      const resting = rests.of(collection)
      const found = await db.connection
        .collection<Pending>(collection)
        .find({ ...claims.claimable(), ...(resting.length > 0 && { _id: { $nin: resting } }) }, { projection: { _id: 1 }, limit: page })
        .toArray()
      hasMore ||= found.length === page
      const idle = found.map(({ _id }) => _id).filter(id => !work.holds(collection, id))
      if (idle.length > 0) for (const { id, handoff } of await claims.many(collection, idle)) work.wake(collection, id, handoff)
    }
  }

  function sweepNext(): void {
    sweeping = sweeping.then(sweep).catch(failed)
  }

  return {
    sweep: sweep,
    sweepNext: sweepNext,
    goOn: waiting => {
      if (!hasMore || waiting >= window / 2) return
      hasMore = false
      if (!stopped.aborted) sweepNext()
    },
    settled: () => sweeping,
  }
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
