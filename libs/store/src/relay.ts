import type { Bus } from '@carapace/bus'
import type { mongo } from 'mongoose'
import type { Database } from './database.ts'
import { type Handoff, leaseMs, leaseUntil, type OutboxEntry, outgoing, relayToken } from './outbox-entry.ts'

export interface RelayOptions {
  /** CloudEvents source, `/carapace/<service>` */
  source: string
  /** How often what a crash or a dead broker left behind is looked for. Default 1,000 ms. */
  sweepMs?: number
  /** Documents in work at once. Default 256. */
  window?: number
  /** No other process shares this database: leases of a former life are dropped at the start. */
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

type Filter<T> = mongo.Filter<T & mongo.Document>

interface Pending {
  _id: string
  version: number
  outbox: OutboxEntry[]
  pending?: true
  lease?: { token: string; until: Date }
  updatedAt: Date
}
interface Sent {
  id: string
  version: number
  ids: string[]
  done: (cleared: boolean) => void
  failed: (error: unknown) => void
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
 * A document in work is leased for 10 s, so replicas may sweep at once; a duplicate after a crash is harmless to idempotent consumers.
 */
export function startRelay(db: Database, bus: Bus, options: RelayOptions): Relay {
  const { source, sweepMs = 1_000, window = 256, onError = () => undefined } = options
  const raw = (collection: string) => db.connection.collection<Pending>(collection)
  const inWork = new Map<string, Work>()
  const dirty = new Set<string>()
  const waiting = new Map<string, [collection: string, id: string, handoff: Handoff | undefined]>()
  const clearing = new Map<string, Sent[]>()
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
        if (waiting.size > 0) wakeNext()
        else if (more && inWork.size < window / 4) again()
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
    for (let next = handoff ?? (await claim(collection, id)); next && !closed; next = await claim(collection, id)) {
      dirty.delete(key)
      await bus.publish(next.entries.map(entry => outgoing(entry, source)))
      const ids = next.entries.map(entry => entry.id)
      const cleared = await clear(collection, { id, version: next.version, ids })
      if (cleared && !dirty.has(key)) return
      if (!cleared) await raw(collection).updateOne({ _id: id }, { $pull: { outbox: { id: { $in: ids } } } })
    }
  }

  async function claim(collection: string, id: string): Promise<Handoff | undefined> {
    const document = await raw(collection).findOneAndUpdate(
      { _id: id, ...claimable() },
      { $set: { lease: { token: relayToken, until: leaseUntil() } } },
      { returnDocument: 'after', projection: { version: 1, outbox: 1 } },
    )
    return document ? { version: document.version, entries: document.outbox } : undefined
  }

  /** Removes what was sent, if no newer version came meanwhile. Calls of one moment share one bulk write. */
  function clear(collection: string, sent: Pick<Sent, 'id' | 'version' | 'ids'>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const batch = clearing.get(collection)
      const entry = { ...sent, done: resolve, failed: reject }
      if (batch) {
        batch.push(entry)
        return
      }
      clearing.set(collection, [entry])
      setImmediate(() => {
        const entries = clearing.get(collection) ?? []
        clearing.delete(collection)
        clearBatch(collection, entries).catch((error: unknown) => {
          for (const { failed } of entries) failed(error)
        })
      })
    })
  }

  async function clearBatch(collection: string, entries: Sent[]): Promise<void> {
    const filter = (sent: Sent) => ({ _id: sent.id, version: sent.version, 'lease.token': relayToken })
    const operations = entries.map(sent =>
      db.outboxes.get(collection) === 'delete'
        ? { deleteOne: { filter: filter(sent) } }
        : { updateOne: { filter: filter(sent), update: { $set: { outbox: [] }, $unset: { pending: '' as const, lease: '' as const } } } },
    )
    const result = await raw(collection).bulkWrite(operations, { ordered: false })
    const all = result.matchedCount + result.deletedCount === entries.length
    for (const sent of entries) sent.done(all)
  }

  /** A publish may last longer than a lease: in process as long as its slowest handler. Nobody else shall take the document meanwhile. */
  async function renew(): Promise<void> {
    const now = Date.now()
    const due = [...inWork.values()].filter(work => now - work.leasedAt >= leaseMs / 4)
    for (const work of due) work.leasedAt = now
    for (const collection of new Set(due.map(work => work.collection))) {
      const ids = due.filter(work => work.collection === collection).map(work => work.id)
      await raw(collection).updateMany({ _id: { $in: ids }, 'lease.token': relayToken }, { $set: { 'lease.until': leaseUntil() } })
    }
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
        .find(claimable(), { projection: { _id: 1 }, limit: page })
        .toArray()
      more ||= found.length === page
      const idle = found.map(({ _id }) => _id).filter(id => !inWork.has(`${collection}/${id}`) && !waiting.has(`${collection}/${id}`))
      if (idle.length > 0) for (const { id, handoff } of await claimAll(collection, idle)) wake(collection, id, handoff)
    }
  }

  /** As `claim`, for a backlog: two calls of the database, however many documents. */
  async function claimAll(collection: string, ids: string[]): Promise<{ id: string; handoff: Handoff }[]> {
    const own = { _id: { $in: ids } }
    await raw(collection).updateMany({ ...own, ...claimable() }, { $set: { lease: { token: relayToken, until: leaseUntil() } } })
    const documents = await raw(collection)
      .find({ ...own, pending: true, 'lease.token': relayToken }, { projection: { version: 1, outbox: 1 } })
      .toArray()
    return documents.map(document => ({ id: document._id, handoff: { version: document.version, entries: document.outbox } }))
  }

  const tell = (error: unknown) => {
    if (!closed) onError(error)
  }
  const onSaved = (collection: string, id: string, handoff: Handoff | undefined) => wake(collection, id, handoff)
  db.changes.on('saved', onSaved)
  const dropped = options.exclusive ? dropLeases(db).catch(tell) : Promise.resolve()
  const start = Promise.all([dropped, options.after]).then(() => {
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
      if (open) await within(closeMs, idle())
      closed = true
      clearInterval(timer)
      db.changes.off('saved', onSaved)
    },
  }
}

/** Waits for `work`, but no longer than `ms`: what is not sent by then stays in its outbox for the next start. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([
    work,
    new Promise<void>(resolve => {
      timer = setTimeout(resolve, ms)
    }),
  ])
  clearTimeout(timer)
}

/** Free, left behind, or already this process's own. */
const claimable = (): Filter<Pending> => ({
  pending: true,
  $or: [{ lease: { $exists: false } }, { 'lease.until': { $lt: new Date() } }, { 'lease.token': relayToken }],
})

async function dropLeases(db: Database): Promise<void> {
  await Promise.all(
    [...db.outboxes.keys()].map(collection => db.connection.collection(collection).updateMany({ pending: true }, { $unset: { lease: '' } })),
  )
}
