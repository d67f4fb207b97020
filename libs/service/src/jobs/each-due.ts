import type { Logger } from '../telemetry/log.ts'

/**
 * Moves on each record that is due, in the order given. One that cannot move on now must not delay the others (liveness): it is logged, and
 * met again at the job's next run.
 * @example await eachDue(log, await gigs.due(now, batch), gig => gigs.change(gig.id, present => expire(present, now)))
 */
export async function eachDue<T extends { id: string }>(log: Logger, due: Iterable<T>, moveOn: (record: T) => Promise<unknown>): Promise<void> {
  for (const record of due)
    try {
      await moveOn(record)
    } catch (error) {
      log.warn({ err: error, recordId: record.id }, 'a record could not move on; it is tried again')
    }
}
