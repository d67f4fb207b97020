import type { Bus } from '@carapace/bus'
import type { mongo } from 'mongoose'
import type { Database } from './database.ts'
import { type Handoff, leaseUntil, type OutboxEntry, outgoing, relayToken } from './outbox-entry.ts'

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
}

/**
 * Sends embedded events in order per document and removes them only after the confirm. Woken by writes; a sweep finds the rest.
 * A document in work is leased for 10 s, so replicas may sweep at once; a duplicate after a crash is harmless to idempotent consumers.
 */
export function startRelay(db: Database, bus: Bus, options: RelayOptions): Relay {
  const { source, sweepMs = 1_000, window = 256, onError = () => undefined } = options
  const raw = (collection: string) => db.connection.collection<Pending>(collection)
  const inWork = new Map<string, Promise<void>>()
  const dirty = new Set<string>()
  const waiting: [string, string, Handoff | undefined][] = []
  const clearing = new Map<string, Sent[]>()
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
      waiting.push([collection, id, handoff])
      return
    }
    const work = drain(key, collection, id, handoff)
      .catch(onError)
      .finally(() => {
        inWork.delete(key)
        if (dirty.delete(key)) wake(collection, id, undefined)
        const next = waiting.shift()
        if (next) wake(...next)
      })
    inWork.set(key, work)
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
  function clear(collection: string, sent: Omit<Sent, 'done'>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const batch = clearing.get(collection)
      const entry = { ...sent, done: resolve }
      if (batch) {
        batch.push(entry)
        return
      }
      clearing.set(collection, [entry])
      setImmediate(() => {
        const entries = clearing.get(collection) ?? []
        clearing.delete(collection)
        clearBatch(collection, entries).catch(reject)
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

  async function sweep(): Promise<void> {
    for (const collection of db.outboxes.keys()) {
      const found = await raw(collection)
        .find(claimable(), { projection: { _id: 1 }, limit: 4 * window })
        .toArray()
      for (const { _id } of found) wake(collection, _id, undefined)
    }
  }

  const onSaved = (collection: string, id: string, handoff: Handoff | undefined) => wake(collection, id, handoff)
  db.changes.on('saved', onSaved)
  const dropped = options.exclusive ? dropLeases(db) : Promise.resolve()
  const start = Promise.all([dropped, options.after]).then(() => {
    open = true
    for (const next of waiting.splice(0)) wake(...next)
  })
  let sweeping = start.then(sweep).catch(onError)
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep).catch(onError)
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
      closed = true
      clearInterval(timer)
      db.changes.off('saved', onSaved)
      await sweeping
      await Promise.allSettled(inWork.values())
    },
  }
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
