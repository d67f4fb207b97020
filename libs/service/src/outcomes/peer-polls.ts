import type { AggregateStore, Stored } from '@carapace/store'
import type { Job, Platform } from '../define.ts'
import { dueBy } from '../jobs/due.ts'
import { eachDue } from '../jobs/each-due.ts'
import { nextPollAt, pollAfterMs } from './next-poll.ts'

const everyMs = 5_000
const batch = 100

interface Waiting<T> {
  /** Of the job. */
  name: string
  records: Pick<AggregateStore<T & { id: string }>, 'collection' | 'find'>
  /** Which of them wait; by an index that ends with `since`. */
  filter: object
  /** Since when they wait. */
  since: 'createdAt' | 'updatedAt'
  /** Records of one group are polled by one of them. Default: each on its own. */
  group?(record: Stored<T>): string
  poll(record: Stored<T>): Promise<unknown>
}

/**
 * Polls another service for records that wait for it, so that they rest on no message: first 30 s after they began to wait, then with the common backoff; at
 * a start all of them. Between the polls of what waits long, nothing is read.
 * @example peerPolls(parts, { name: 'claims under way', records: claims, filter: { status: 'claiming' }, since: 'updatedAt', poll: claim => … })
 */
export function peerPolls<T extends { id: string }>({ log }: Pick<Platform, 'log'>, waits: Waiting<T>): Job {
  const { name, records, filter, since, group = ({ id }) => id, poll } = waits
  let polled = new Map<string, Date>()
  /** Next poll of those that the last run found, and since when the last of them waits; undefined when it found none. */
  let window: { nextAt: Date; until: Date } | undefined
  return {
    name,
    everyMs,
    due: {
      collection: records.collection.collectionName,
      nextAt: async () => {
        const later = window ? { later: window.until } : {}
        const newAt = await dueBy(records, since, { filter, afterMs: pollAfterMs, ...later }).nextAt()
        return window && newAt ? earliest([window.nextAt, newAt]) : (window?.nextAt ?? newAt)
      },
    },
    run: async now => {
      const until = new Date(now.getTime() - pollAfterMs)
      const found = await records.find({ ...filter, [since]: { $lte: until } }, { sort: { [since]: 1 } })
      const waiting = new Map(found.toReversed().map(record => [group(record), record]))
      polled = new Map([...polled].filter(([key]) => waiting.has(key)))
      const nextAt = (key: string, record: Stored<T>) => nextPollAt(record[since], polled.get(key) ?? record[since])
      const due = [...waiting].filter(([key, record]) => nextAt(key, record) <= now).slice(0, batch)
      for (const [key] of due) polled.set(key, now)
      window = waiting.size > 0 ? { nextAt: earliest([...waiting].map(entry => nextAt(...entry))), until } : undefined
      await eachDue(
        log,
        due.map(([, record]) => record),
        poll,
      )
    },
  }
}

const earliest = (times: readonly Date[]) => new Date(times.reduce((first, at) => Math.min(first, at.getTime()), Number.POSITIVE_INFINITY))
