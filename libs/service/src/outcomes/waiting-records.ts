import type { AggregateStore } from '@carapace/store'
import { dueBy } from '../jobs/due.ts'
import { longestMs, nextPollAt, pollAfterMs } from './next-poll.ts'

/** Records of one search. */
const page = 1_000
/** How much later than its own time a write may become visible: a transaction lasts up to a minute, and clocks differ. */
const lateMs = 120_000

interface Waiting {
  since: Date
  polledAt: Date
  /** Of the next poll. */
  at: Date
}

/** Ids and times of records that wait for another service: the newest two minutes are searched each time, all of them every five minutes. */
export interface WaitingRecords {
  /** Notes those that have begun to wait, at most a page of them: the rest is due for the next search. Now and then it begins again, since a record may wait later than it says. */
  search(now: Date): Promise<void>
  /** Ids of those whose poll is due, the earliest first. */
  due(now: Date, most: number): string[]
  /** When a record that has waited since then is polled next, after it was polled `at`; it may have been written meanwhile. */
  note(id: string, since: Date, at?: Date): Date
  /** It waits no longer. */
  forget(id: string): void
  /** When there is something to search or to poll; undefined: nothing waits. */
  nextAt(): Promise<Date | undefined>
}

type Records = Pick<AggregateStore<{ id: string }>, 'collection'>

/** @param since the field of the time that they wait since; an index on `filter` ends with it */
export function waitingRecords({ collection }: Records, filter: object, since: string): WaitingRecords {
  const waiting = new Map<string, Waiting>()
  let searchedUntil = new Date(0)
  let isComplete = false
  let searchAgainAt = new Date(0)
  const records: WaitingRecords = {
    search: async now => {
      if (searchAgainAt <= now && isComplete) searchedUntil = new Date(0)
      if (searchedUntil.getTime() === 0) searchAgainAt = new Date(now.getTime() + longestMs)
      const until = new Date(now.getTime() - pollAfterMs)
      // more than a page may have one and the same time: those already noted must not fill it
      const limit = page + [...waiting.values()].filter(one => one.since.getTime() === searchedUntil.getTime()).length
      const wanted = { ...filter, [since]: { $gte: searchedUntil, $lte: until } }
      const found = await collection.find(wanted, { projection: { [since]: 1 }, sort: { [since]: 1 }, limit }).toArray()
      const times = found.map(document => (document as Record<string, unknown>)[since] as Date)
      for (const [at, { _id }] of found.entries()) records.note(String(_id), times[at]!)
      isComplete = found.length < limit
      const late = new Date(until.getTime() - lateMs)
      searchedUntil = isComplete ? later(searchedUntil, late) : times.at(-1)!
    },
    due: (now, most) => {
      const due = [...waiting].filter(([, { at }]) => at <= now).sort(([, a], [, b]) => a.at.getTime() - b.at.getTime())
      return due.slice(0, most).map(([id]) => id)
    },
    note: (id, since, at) => {
      const polledAt = at ?? waiting.get(id)?.polledAt ?? since
      const next = nextPollAt(since, polledAt)
      waiting.set(id, { since, polledAt, at: next })
      return next
    },
    forget: id => waiting.delete(id),
    nextAt: async () => {
      if (!isComplete) return new Date(0)
      const newAt = await dueBy({ collection }, since, { filter, afterMs: pollAfterMs, later: newest() }).nextAt()
      const times = [...waiting.values()].map(({ at }) => at)
      if (times.length > 0) times.push(searchAgainAt)
      return earliest(newAt ? [newAt, ...times] : times)
    },
  }
  const newest = (): Date => [...waiting.values()].reduce((last, one) => later(last, one.since), new Date(0))
  return records
}

const later = (one: Date, other: Date): Date => (one > other ? one : other)
const earliest = (times: readonly Date[]): Date | undefined =>
  times.reduce<Date | undefined>((first, at) => (first && first <= at ? first : at), undefined)
