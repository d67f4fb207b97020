import { type CloudEvent, outcomeNameOf, outcomesPerRequest } from '@carapace/api'
import type { OutboxEntry } from '@carapace/store'
import { type Dispatch, dispatcher } from '../consume.ts'
import type { Job, Platform, Subscription } from '../define.ts'
import type { Awaiting } from './awaiting.ts'
import { outcomeFaults } from './faults.ts'
import { recentlyHandled } from './handled.ts'
import { logReplay } from './logs.ts'
import { nextPollAt, pollAfterMs } from './next-poll.ts'
import { pollRows } from './poll.ts'
import { type OutcomeRow, openRows, rowsOf } from './rows.ts'

/** Sees to it that no step of this service depends on one message: what was sent or is awaited is polled until its end was handled. */
export interface Outcomes {
  readonly dispatch: Dispatch
  /** Notes the commands among entries that are being published. */
  sent(entries: readonly OutboxEntry[]): Promise<void>
  jobs: readonly Job[]
  /** Polls what an earlier process of this service left open. Runs once, before the jobs. */
  resume(): Promise<void>
  /** Age of the oldest command whose end is not handled; 0 when there is none. */
  oldestSeconds(): Promise<number>
  /** Records and commands whose end the chain has known for a minute and this service has not handled, one line each. */
  faults(): Promise<string[]>
  /** Deletes the rows of what has ended. */
  close(): Promise<unknown>
}

export interface OutcomesOptions {
  /** CloudEvents source of this service. */
  source: string
  /** No other process shares the database. */
  exclusive: boolean
  /** First pause before an outcome is polled, ms. Default 30,000. */
  pollAfterMs?: number | undefined
  subscriptions: readonly Subscription[]
  awaits: () => Promise<readonly Awaiting[]>
}

type Parts = Pick<Platform, 'name' | 'db' | 'bus' | 'peers' | 'clock' | 'log' | 'metrics'>

const replicasEveryMs = 60_000
/** How long the row of an ended command waits for others, so that all are deleted in one statement: less where another process may poll it. */
const [removeMs, soleRemoveMs] = [500, 5_000]
/** What is younger at a start was sent by this life. */
const youngMs = 3_000

export function openOutcomes(parts: Parts, options: OutcomesOptions): Outcomes {
  const { db, clock, log } = parts
  const { subscriptions, awaits, source, exclusive } = options
  const firstMs = options.pollAfterMs ?? pollAfterMs
  const types = subscriptions.flatMap(subscription => subscription.types)
  // the others neither send commands nor follow contracts
  if (!types.some(type => type.startsWith('chain.'))) return nothingOpen(dispatcher(subscriptions, parts))
  const rows = openRows(db)
  const own = new Set<string>()
  let dueFrom = Number.POSITIVE_INFINITY
  const dueBy = (at: number) => {
    dueFrom = Math.min(dueFrom, at)
  }

  const removals = new Map<string, number>()
  let removing: Promise<unknown> = Promise.resolve()
  let removalTimer: NodeJS.Timeout | undefined
  const handled = recentlyHandled({
    ended: (opKey, round) => {
      if (!own.delete(opKey)) return
      removals.set(opKey, round)
      removalTimer ??= setTimeout(remove, Math.min(firstMs, exclusive ? soleRemoveMs : removeMs))
    },
    reopened: (opKey, seq) => void reopen(opKey, seq),
  })
  /** What had ended waits again, and what failed until the relayer knows that nothing follows. No record may show it. */
  async function reopen(opKey: string, seq: number): Promise<void> {
    if (own.has(opKey)) return
    own.add(opKey)
    // its row may be on its way out
    removals.delete(opKey)
    await removing
    const sentAt = new Date()
    const nextAt = nextPollAt(sentAt, sentAt, firstMs)
    await rows
      .updateOne({ _id: opKey }, { $setOnInsert: { round: 0, seq, sentAt, nextAt } }, { upsert: true })
      .then(() => dueBy(nextAt.getTime()))
      .catch((error: unknown) => log.warn({ err: error, opKey }, 'a command whose block was dropped is not polled'))
  }
  /** All of one moment in one statement. One that is not removed is polled. */
  function remove(): void {
    clearTimeout(removalTimer)
    removalTimer = undefined
    const ended = [...removals]
    removals.clear()
    if (ended.length === 0) return
    const rounds = [...new Set(ended.map(([, round]) => round))]
    const deletes = rounds.map(round => ({
      deleteMany: { filter: { _id: { $in: ended.filter(one => one[1] === round).map(([opKey]) => opKey) }, round: { $lte: round } } },
    }))
    removing = removing
      .then(() => rows.bulkWrite(deletes, { ordered: false }))
      .catch((error: unknown) => log.warn({ err: error }, 'ended commands are polled again'))
  }

  const dispatch = dispatcher(subscriptions, parts, event => handled.note(event))
  // A service that follows no finality ends a command at its confirmation, by a poll.
  const forget = (opKey: string) => {
    own.delete(opKey)
    handled.forget(opKey)
  }
  const polling = {
    ...parts,
    rows,
    handled: { ...handled, forget },
    dispatch,
    firstMs,
    finality: types.some(type => outcomeNameOf(type) === 'finalized'),
  }

  async function poll(): Promise<void> {
    const now = Date.now()
    if (now < dueFrom) return
    dueFrom = Number.POSITIVE_INFINITY
    try {
      for (;;) {
        const due = await rows
          .find({ nextAt: { $lte: new Date(now) } })
          .sort({ nextAt: 1 })
          .limit(outcomesPerRequest)
          .toArray()
        if (due.length) await pollRows(polling, due)
        if (due.length < outcomesPerRequest) break
      }
      const next = await rows
        .find({}, { projection: { nextAt: 1 } })
        .sort({ nextAt: 1 })
        .limit(1)
        .next()
      if (next) dueBy(next.nextAt.getTime())
    } catch (error) {
      log.debug({ err: error }, 'outcomes cannot be polled now')
      dueBy(now + firstMs)
    }
    if (!exclusive) dueBy(now + replicasEveryMs)
  }

  /** Records that wait without a row get one: it was lost, or the record was damaged. */
  async function adopt(olderThanMs: number): Promise<void> {
    const before = clock.now().getTime() - olderThanMs
    const waiting = (await awaits()).filter(({ since }) => since.getTime() <= before)
    if (waiting.length === 0) return
    const keys = waiting.map(({ opKey }) => opKey)
    const stored = new Set((await rows.find({ _id: { $in: keys } }, { projection: { _id: 1 } }).toArray()).map(row => row._id))
    const now = new Date()
    const missing = waiting.filter(({ opKey }) => !stored.has(opKey))
    if (missing.length === 0) return
    await rows.bulkWrite(
      missing.map(({ opKey, record, since }) => {
        const sentAt = new Date(Math.min(now.getTime(), since.getTime() - clock.offsetMs()))
        // a command that is sent meanwhile has the better row
        return { updateOne: { filter: { _id: opKey }, update: { $setOnInsert: { round: 0, seq: 0, record, sentAt, nextAt: now } }, upsert: true } }
      }),
      { ordered: false },
    )
    dueBy(now.getTime())
  }

  async function write(made: readonly OutcomeRow[]): Promise<void> {
    if (made.length === 0) return
    await rows.bulkWrite(
      made.map(({ _id, ...replacement }) => ({ replaceOne: { filter: { _id }, replacement, upsert: true } })),
      { ordered: false },
    )
    dueBy(Math.min(...made.map(({ nextAt }) => nextAt.getTime())))
  }

  const retryLog = (event: CloudEvent) => {
    const now = new Date()
    const nextAt = nextPollAt(now, now, firstMs)
    return write([{ _id: event.subject, round: 0, seq: 0, log: event, record: `log ${event.subject}`, sentAt: now, nextAt }])
  }
  const replay = logReplay({ db, peers: parts.peers, handled, dispatch }, subscriptions, retryLog)
  const sweepMs = firstMs * 2

  return {
    dispatch,
    sent: async entries => {
      const now = Date.now()
      const made = rowsOf(entries, source, new Date(now), new Date(now + firstMs))
      for (const { _id } of made) own.add(_id)
      await write(made)
    },
    jobs: [
      { name: 'outcomes that are due', everyMs: Math.min(1_000, Math.ceil(firstMs / 4)), run: poll },
      { name: 'records that wait for the chain', everyMs: sweepMs, run: () => adopt(firstMs) },
      { name: 'final logs', everyMs: sweepMs, run: () => replay.run() },
    ],
    resume: async () => {
      const now = Date.now()
      await rows.updateMany({ sentAt: { $lte: new Date(now - youngMs) } }, { $set: { nextAt: new Date(now) } })
      await adopt(Math.min(youngMs, firstMs))
      dueBy(now)
      await poll()
      await replay.run()
    },
    oldestSeconds: async () => {
      const [oldest] = await rows
        .find({}, { projection: { sentAt: 1 } })
        .sort({ sentAt: 1 })
        .limit(1)
        .toArray()
      return oldest ? Math.max(0, Date.now() - oldest.sentAt.getTime()) / 1_000 : 0
    },
    faults: () => outcomeFaults({ ...polling, clock }, { awaits, afterMs: sweepMs }),
    close: () => {
      remove()
      return removing
    },
  }
}

const nothingOpen = (dispatch: Dispatch): Outcomes => ({
  dispatch,
  sent: async () => undefined,
  jobs: [],
  resume: async () => undefined,
  oldestSeconds: async () => 0,
  faults: async () => [],
  close: async () => undefined,
})
