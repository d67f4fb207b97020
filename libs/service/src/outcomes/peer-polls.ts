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
  poll(record: Stored<T>): Promise<unknown>
}

/**
 * Polls another service for records that wait for it, so that they rest on no message: first 30 s after they began to wait, then with the common backoff; at
 * a start all of them.
 * @example peerPolls(parts, { name: 'claims under way', records: claims, filter: { status: 'claiming' }, since: 'updatedAt', poll: claim => … })
 */
export function peerPolls<T extends { id: string }>({ log }: Pick<Platform, 'log'>, { name, records, filter, since, poll }: Waiting<T>): Job {
  let polled = new Map<string, Date>()
  return {
    name,
    everyMs,
    due: dueBy(records, since, { filter, afterMs: pollAfterMs }),
    run: async now => {
      const old = { $lte: new Date(now.getTime() - pollAfterMs) }
      const waiting = await records.find({ ...filter, [since]: old }, { sort: { [since]: 1 } })
      polled = new Map(waiting.flatMap(({ id }) => (polled.has(id) ? [[id, polled.get(id)!]] : [])))
      const due = waiting.filter(record => nextPollAt(record[since], polled.get(record.id) ?? record[since]) <= now).slice(0, batch)
      for (const { id } of due) polled.set(id, now)
      await eachDue(log, due, poll)
    },
  }
}
