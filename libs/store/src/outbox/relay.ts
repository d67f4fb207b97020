import { type Bus, settledWithin, Unroutable } from '@carapace/bus'
import type { Database } from '../database.ts'
import { type Claims, leasedClaims, type Pending, soleClaims } from './claims.ts'
import { type OutboxClears, outboxClears } from './clears.ts'
import { type Handoff, type OutboxEntry, outgoing } from './entry.ts'
import { outboxRests } from './rests.ts'
import { outboxSweeps } from './sweeps.ts'
import { nothingMore, outboxWork, type Work } from './work.ts'

export interface RelayOptions {
  /** CloudEvents source, `/carapace/<service>` */
  source: string
  /** How often the relay sweeps for what another process left unsent. Default 10 s, 5 min where no other shares the database. */
  sweepMs?: number
  /** First pause before what could not be sent is tried again. Default 1,000 ms. */
  retryMs?: number
  /** Documents sent concurrently. Default 256. */
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

const [sweepMs, soleSweepMs] = [10_000, 300_000]

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
  const failedWork = (error: unknown, { collection, id }: Work) => {
    sweeps.again(collection, error instanceof Unroutable ? rests.begin(collection, id) : Date.now() + retryMs)
    failed(error)
  }
  const rests = outboxRests(retryMs)
  const clears = outboxClears(db, claims, options.exclusive ? soleClearMs : clearMs, () => work.isCrowded())
  const work = outboxWork({
    window,
    send: sender(db, bus, { claims, clears }, options, stopped),
    sent: ({ collection, id }) => rests.end(collection, id),
    failed: failedWork,
    ended: (document, waiting) => sweeps.ended(document, waiting),
    stopped,
  })
  db.changes.on('saved', work.wake)
  db.changes.on('emptied', clears.emptied)
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
      db.changes.off('emptied', clears.emptied)
    },
  }
}

/** Sends a document's outbox until it is empty: publish, wait for the confirm, clear. A bus that preserves the order is sent more without that wait. */
function sender(
  db: Database,
  bus: Bus,
  { claims, clears }: { claims: Claims; clears: OutboxClears },
  { source, alongside }: RelayOptions,
  stopped: AbortSignal,
) {
  const publish = (entries: readonly OutboxEntry[]): Promise<unknown> => {
    const published = bus.publish(entries.map(entry => outgoing(entry, source)))
    return alongside ? Promise.all([published, alongside(entries)]) : published
  }
  return async (work: Work, handoff: Handoff | undefined): Promise<void> => {
    const { collection, id } = work
    const confirms = openConfirms()
    /** Ids of what was sent and may still be in the outbox. */
    let sent: string[] = []
    const removeMany = async () => {
      if (sent.length <= mostUncleared) return
      await confirms.all()
      await clears.removeSent(collection, id, sent)
      sent = []
    }
    /** What writes added while the outbox was sent; undefined when all of it is confirmed. */
    const added = async (version: number): Promise<Handoff | 'unknown' | undefined> => {
      if (!bus.inOrder) await confirms.all()
      for (;;) {
        const next = work.next(version)
        if (next) return next
        if (!confirms.areOpen()) return confirms.all().then(() => undefined)
        const more = new Promise<void>(resolve => {
          work.more = resolve
        })
        await Promise.race([confirms.all(), more])
        work.more = nothingMore
      }
    }
    /** What writes added while the outbox was emptied; undefined when it is empty, or another process has it. */
    const clear = async (version: number): Promise<Handoff | 'unknown' | undefined> => {
      const { done, withdraw } = work.fromOrigin(clears.clear, collection, id, sent)
      work.more = withdraw
      work.rest(true)
      const outcome = await done
      work.rest(false)
      work.more = nothingMore
      if (outcome === 'unchanged') return 'unknown'
      if (outcome === 'withdrawn') return work.next(version) ?? clear(version)
      if (typeof outcome === 'object') return outcome
      db.changes.emit('cleared', collection, id, version)
      sent = []
      const next = work.next(version)
      // what was written without events leaves the outbox empty
      return next === 'unknown' || next?.entries.length ? next : undefined
    }
    let next: Handoff | 'unknown' | undefined = handoff ?? 'unknown'
    while (next && !stopped.aborted) {
      await removeMany()
      if (next === 'unknown') next = await claims.one(collection, id)
      if (!next) return confirms.all()
      const entries = without(next.entries, sent)
      if (entries.length > 0) confirms.add(work.fromOrigin(publish, entries))
      for (const entry of entries) sent.push(entry.id)
      next = (await added(next.version)) ?? (await clear(next.version))
    }
    return confirms.all()
  }
}

/** What of a document is sent and not confirmed. */
interface Confirms {
  add(publishing: Promise<unknown>): void
  areOpen(): boolean
  /** Resolves when all of it is confirmed. @throws what one of them did not get past */
  all(): Promise<void>
}

function openConfirms(): Confirms {
  let open = 0
  let all: Promise<unknown> = Promise.resolve()
  return {
    add: publishing => {
      open++
      const ended = publishing.finally(() => {
        open--
      })
      all = Promise.all([all, ended])
      // who waits for all of them gets it
      all.catch(() => undefined)
    },
    areOpen: () => open > 0,
    all: async () => void (await all),
  }
}

function without(entries: readonly OutboxEntry[], sent: readonly string[]): readonly OutboxEntry[] {
  if (sent.length === 0) return entries
  const ids = new Set(sent)
  return entries.filter(entry => !ids.has(entry.id))
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
