import { type Bus, settledWithin, Unroutable } from '@carapace/bus'
import type { Database } from '../database.ts'
import { type Claims, leasedClaims, type Pending, soleClaims } from './claims.ts'
import { type OutboxClears, outboxClears } from './clears.ts'
import { type Handoff, type OutboxEntry, outgoing } from './entry.ts'
import { outboxRests, type Rests } from './rests.ts'
import { outboxSweeps } from './sweeps.ts'
import { outboxWork, type Work } from './work.ts'

export interface RelayOptions {
  /** CloudEvents source, `/carapace/<service>` */
  source: string
  /** How often the relay sweeps for what another process left unsent. Default 10 s, 60 s where no other shares the database. */
  sweepMs?: number
  /** First pause before what could not be sent is tried again. Default 1,000 ms. */
  retryMs?: number
  /** Documents in work concurrently. Default 256. */
  window?: number
  /** No other process shares this database: documents are sent without a lease. */
  exclusive?: boolean
  /** Nothing is sent before this resolves. */
  after?: Promise<void>
  /** Stores something of its own about entries before their outbox is emptied; while it fails they are sent again. */
  alongside?: (entries: readonly OutboxEntry[]) => Promise<unknown>
  /** Called once for each failed attempt; the events stay in the outbox. */
  onError?: (error: unknown) => void
}

export interface Relay {
  /** Sweeps for unsent events now. Resolves when the sweep has ended, not when all is sent. */
  sweep(): Promise<void>
  /** Seconds (wall clock) since the oldest unsent event was written; 0 when all is sent. */
  lagSeconds(): Promise<number>
  close(): Promise<void>
}

const closeMs = 2_000
/** How long an outbox that was sent waits for the next event of its document, and for others, before it is emptied: less where a lease runs. */
const [clearMs, soleClearMs] = [500, 5_000]
/** Ids of sent events that are compared with a document that is written to all the time. */
const mostUncleared = 1_000

const [sweepMs, soleSweepMs] = [10_000, 60_000]

/**
 * Sends embedded events in order per document and removes them only after the confirm. Woken by writes; a slow sweep finds the rest.
 * A document in work is leased, so replicas may sweep concurrently; a duplicate after a crash is harmless to idempotent consumers.
 * A document whose events match no queue is retried after 1 s, then after up to 30 s; the others go on.
 */
export function startRelay(db: Database, bus: Bus, options: RelayOptions): Relay {
  const { retryMs = 1_000, window = 256, onError = () => undefined } = options
  const claims = options.exclusive ? soleClaims(db) : leasedClaims(db)
  const stopping = new AbortController()
  const stopped = stopping.signal
  const failed = (error: unknown) => {
    if (!stopped.aborted) onError(error)
  }
  const rests = outboxRests(retryMs)
  const retryAt = (collection: string, at: number) => sweeps.again(collection, at)
  const clears = outboxClears(db, claims, options.exclusive ? soleClearMs : clearMs, () => work.isCrowded())
  const send = withRetries(rests, sender(db, bus, { claims, clears }, options, stopped), { retryMs, retryAt })
  const work = outboxWork({ window, send, failed, ended: waiting => sweeps.goOn(waiting), stopped })
  db.changes.on('saved', work.wake)
  const opened = options.after === undefined ? Promise.resolve(work.open()) : options.after.then(work.open)
  const everyMs = options.sweepMs ?? (options.exclusive ? soleSweepMs : sweepMs)
  const tickMs = Math.min(retryMs, everyMs)
  const sweeps = outboxSweeps(db, claims, work, { after: opened, everyMs, tickMs, window, rests, failed, stopped })

  return {
    sweep: sweeps.sweep,
    lagSeconds: () => lagSeconds(db, clears),
    close: async () => {
      // what is not sent by then stays in its outbox for the next start
      clears.close()
      if (work.isOpen()) await settledWithin([sweeps.settled().then(work.idle)], closeMs)
      stopping.abort()
      sweeps.close()
      db.changes.off('saved', work.wake)
    },
  }
}

interface Retries {
  /** Pause after a failure that has nothing to do with the events. */
  retryMs: number
  retryAt(collection: string, at: number): void
}

function withRetries(rests: Rests, send: ReturnType<typeof sender>, { retryMs, retryAt }: Retries): ReturnType<typeof sender> {
  return async (work, handoff) => {
    try {
      await send(work, handoff)
      rests.end(work.collection, work.id)
    } catch (error) {
      retryAt(work.collection, error instanceof Unroutable ? rests.begin(work.collection, work.id) : Date.now() + retryMs)
      throw error
    }
  }
}

/** Sends a document's outbox until it is empty: publish, wait for the confirm, clear. */
function sender(
  db: Database,
  bus: Bus,
  { claims, clears }: { claims: Claims; clears: OutboxClears },
  { source, alongside }: RelayOptions,
  stopped: AbortSignal,
) {
  const publish = async (entries: readonly OutboxEntry[]) => {
    if (entries.length > 0) await Promise.all([bus.publish(entries.map(entry => outgoing(entry, source))), alongside?.(entries)])
  }
  return async (work: Work, handoff: Handoff | undefined): Promise<void> => {
    const { collection, id } = work
    /** What was sent and may still be in the outbox. */
    const sent = new Set<string>()
    const read = async () => {
      if (sent.size > mostUncleared) {
        await clears.removeSent(collection, id, [...sent])
        sent.clear()
      }
      return claims.one(collection, id)
    }
    /** What is to be sent after this version; undefined when the outbox is empty, or another process has it. */
    const after = async (version: number): Promise<Handoff | undefined> => {
      const added = work.next(version)
      if (added) return added === 'unknown' ? read() : added
      const { done, withdraw } = work.origin.runInAsyncScope(clears.clear, undefined, collection, id, [...sent])
      work.more = withdraw
      const outcome = await done
      work.more = () => undefined
      if (outcome === 'withdrawn') return after(version)
      if (outcome === 'kept') return read()
      db.changes.emit('cleared', collection, id, version)
      sent.clear()
      const addedMeanwhile = work.next(version)
      if (addedMeanwhile === 'unknown') return read()
      // what was written without events leaves the outbox empty
      return addedMeanwhile?.entries.length ? addedMeanwhile : undefined
    }
    for (let next = handoff ?? (await read()); next && !stopped.aborted; next = await after(next.version)) {
      const entries = next.entries.filter(entry => !sent.has(entry.id))
      await work.origin.runInAsyncScope(publish, undefined, entries)
      for (const entry of entries) sent.add(entry.id)
    }
  }
}

async function lagSeconds(db: Database, clears: OutboxClears): Promise<number> {
  const oldest = await Promise.all(
    [...db.outboxes.keys()].map(collection =>
      db.connection
        .collection<Pending>(collection)
        .findOne({ pending: true, _id: { $nin: clears.waiting(collection) } }, { sort: { updatedAt: 1 }, projection: { outbox: { $slice: 1 } } }),
    ),
  )
  const times = oldest.flatMap(document => document?.outbox[0]?.time.getTime() ?? [])
  return times.length ? Math.max(0, (db.clock.now().getTime() - Math.min(...times)) / 1000) : 0
}
