import type { AggregateStore, Stored } from '@carapace/store'
import type { Job, Platform } from '../define.ts'
import { eachDue } from '../jobs/each-due.ts'
import { waitingRecords } from './waiting-records.ts'

const everyMs = 5_000
const batch = 100

interface Polls<T> {
  /** Of the job. */
  name: string
  records: Pick<AggregateStore<T & { id: string }>, 'collection' | 'find'>
  /** Which of them wait; by an index that ends with `since`. */
  filter: object
  /** Since when they wait. */
  since: 'createdAt' | 'updatedAt'
  /** Those of a group that are due in one run are polled by one of them. Default: each on its own. */
  group?(record: Stored<T>): string
  poll(record: Stored<T>): Promise<unknown>
}

/**
 * Polls another service for records that wait for it, so that they rest on no message: first 30 s after they began to wait, then with the common backoff; at
 * a start all of them, a hundred at a time. A whole record is read once for each poll, however many wait.
 * @example peerPolls(parts, { name: 'claims under way', records: claims, filter: { status: 'claiming' }, since: 'updatedAt', poll: claim => … })
 */
export function peerPolls<T extends { id: string }>({ log }: Pick<Platform, 'log'>, waits: Polls<T>): Job {
  const { name, records, filter, since, group = ({ id }) => id, poll } = waits
  const waiting = waitingRecords(records, filter, since)
  return {
    name,
    everyMs,
    due: { collection: records.collection.collectionName, nextAt: waiting.nextAt },
    run: async now => {
      await waiting.search(now)
      const ids = waiting.due(now, batch)
      if (ids.length === 0) return
      const found = new Map((await records.find({ ...filter, _id: { $in: ids } })).map(record => [record.id, record]))
      for (const id of ids) if (!found.has(id)) waiting.forget(id)
      const due = ids.flatMap(id => found.get(id) ?? []).filter(record => waiting.note(record.id, record[since]) <= now)
      for (const record of due) waiting.note(record.id, record[since], now)
      const firsts = new Map(due.toReversed().map(record => [group(record), record]))
      await eachDue(log, firsts.values(), poll)
    },
  }
}
