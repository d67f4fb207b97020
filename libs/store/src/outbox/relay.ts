import { type Bus, settledWithin } from '@carapace/bus'
import type { Database } from '../database.ts'
import { leasedClaims, type Pending, soleClaims } from './claims.ts'
import { outboxClears } from './clears.ts'
import { type Handoff, leaseMs, outgoing } from './entry.ts'

export interface RelayOptions {
  /** CloudEvents source, `/carapace/<service>` */
  source: string
  /** How often what a crash or a dead broker left behind is looked for. Default 1,000 ms. */
  sweepMs?: number
  /** Documents in work at once. Default 256. */
  window?: number
  /** No other process shares this database: documents are sent without a lease. */
  exclusive?: boolean
  /** Nothing is sent before this resolves. */
  after?: Promise<void>
  /** Told once for each failed attempt; the events stay in the outbox. */
  onError?: (error: unknown) => void
}

export interface Relay {
  /** Looks for unsent events now. Resolves when a look has been taken, not when all is sent. */
  sweep(): Promise<void>
  /** Seconds (wall clock) since the oldest unsent event was written; 0 when all is sent. */
  lagSeconds(): Promise<number>
  close(): Promise<void>
}

/** A document that is being sent: by whom it is waited for, and since when its lease runs (ms). */
interface Work {
  done: Promise<void>
  leasedAt: number
  collection: string
  id: string
}

const closeMs = 2_000

/**
 * Sends embedded events in order per document and removes them only after the confirm. Woken by writes; a sweep finds the rest.
 * A document in work is leased, so replicas may sweep at once; a duplicate after a crash is harmless to idempotent consumers.
 */
export function startRelay(db: Database, bus: Bus, options: RelayOptions): Relay {
  const { source, sweepMs = 1_000, window = 256, onError = () => undefined } = options
  const raw = (collection: string) => db.connection.collection<Pending>(collection)
  const claims = options.exclusive ? soleClaims(db) : leasedClaims(db)
  const clears = outboxClears(db, claims)
  const inWork = new Map<string, Work>()
  const dirty = new Set<string>()
  const waiting = new Map<string, [collection: string, id: string, handoff: Handoff | undefined]>()
  const page = 4 * window
  let more = false
  let closed = false
  let open = options.after === undefined

  const wake = (collection: string, id: string, handoff: Handoff | undefined) => {
    if (closed || handoff?.entries.length === 0) return
    const key = `${collection}/${id}`
    if (inWork.has(key)) {
      dirty.add(key)
      return
    }
    if (!open || inWork.size >= window) {
      // two writes in a row: what both left behind is read from the document
      waiting.set(key, [collection, id, waiting.has(key) ? undefined : handoff])
      return
    }
    const done = drain(key, collection, id, handoff)
      .catch(tell)
      .finally(() => {
        inWork.delete(key)
        if (dirty.delete(key)) wake(collection, id, undefined)
        wakeNext()
        // the next look is taken while the broker still has work from the last one
        if (more && waiting.size < window / 2) again()
      })
    inWork.set(key, { done, leasedAt: Date.now(), collection, id })
  }

  function wakeNext(): void {
    const [next] = waiting
    if (!next) return
    waiting.delete(next[0])
    wake(...next[1])
  }

  /** Sends until the document's outbox is empty. */
  async function drain(key: string, collection: string, id: string, handoff: Handoff | undefined): Promise<void> {
    for (let next = handoff ?? (await claims.one(collection, id)); next && !closed; next = await claims.one(collection, id)) {
      dirty.delete(key)
      await bus.publish(next.entries.map(entry => outgoing(entry, source)))
      const ids = next.entries.map(entry => entry.id)
      const cleared = await clears.clear(collection, id, ids)
      if (cleared && !dirty.has(key)) return
      if (!cleared) await clears.removeSent(collection, id, ids)
    }
  }

  async function renew(): Promise<void> {
    const now = Date.now()
    const due = [...inWork.values()].filter(work => now - work.leasedAt >= leaseMs / 4)
    for (const work of due) work.leasedAt = now
    for (const collection of new Set(due.map(work => work.collection)))
      await claims.renew(
        collection,
        due.filter(work => work.collection === collection).map(work => work.id),
      )
  }

  /** The last look ended at its limit, so another one follows as soon as what it found is sent. */
  function again(): void {
    more = false
    if (!closed) sweeping = sweeping.then(sweep).catch(tell)
  }

  async function sweep(): Promise<void> {
    more = false
    await renew()
    for (const collection of db.outboxes.keys()) {
      const found = await raw(collection)
        .find(claims.claimable(), { projection: { _id: 1 }, limit: page })
        .toArray()
      more ||= found.length === page
      const idle = found.map(({ _id }) => _id).filter(id => !inWork.has(`${collection}/${id}`) && !waiting.has(`${collection}/${id}`))
      if (idle.length > 0) for (const { id, handoff } of await claims.many(collection, idle)) wake(collection, id, handoff)
    }
  }

  const tell = (error: unknown) => {
    if (!closed) onError(error)
  }
  const onSaved = (collection: string, id: string, handoff: Handoff | undefined) => wake(collection, id, handoff)
  db.changes.on('saved', onSaved)
  const start = Promise.resolve(options.after).then(() => {
    open = true
    for (let waited = waiting.size; waited > 0; waited--) wakeNext()
  })
  let sweeping = start.then(sweep).catch(tell)
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep).catch(tell)
  }, sweepMs)

  return {
    sweep: () => sweep(),
    lagSeconds: async () => {
      const oldest = await Promise.all(
        [...db.outboxes.keys()].map(collection =>
          raw(collection).findOne({ pending: true }, { sort: { updatedAt: 1 }, projection: { outbox: { $slice: 1 } } }),
        ),
      )
      const times = oldest.flatMap(document => document?.outbox[0]?.time.getTime() ?? [])
      return times.length ? Math.max(0, (db.clock.now().getTime() - Math.min(...times)) / 1000) : 0
    },
    close: async () => {
      const idle = async () => {
        await sweeping
        while (inWork.size > 0) await Promise.all([...inWork.values()].map(work => work.done))
      }
      // what is not sent by then stays in its outbox for the next start
      if (open) await settledWithin([idle()], closeMs)
      closed = true
      clearInterval(timer)
      db.changes.off('saved', onSaved)
    },
  }
}
