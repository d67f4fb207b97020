import { settledWithin } from '@carapace/bus'
import type { Platform } from '../define.ts'
import { startJobs } from '../jobs/jobs.ts'
import type { Outcomes } from '../outcomes/outcomes.ts'

const graceMs = 1_000

/** Outcomes are polled once messages may be published: what is sent again must find its queue. */
export function pollOutcomes(outcomes: Outcomes, { mayPublish, clock, log }: Platform): { close(): Promise<void> } {
  let closed = false
  let jobs: ReturnType<typeof startJobs> | undefined
  const resumed = mayPublish
    .then(() => (closed ? undefined : outcomes.resume()))
    .catch((error: unknown) => log.warn({ err: error }, 'open outcomes are polled later'))
    .then(() => {
      if (!closed) jobs = startJobs(outcomes.jobs, clock, log)
    })
  return {
    close: async () => {
      closed = true
      // what is not answered by then is polled at the next start
      await settledWithin([resumed.then(() => jobs?.close())], graceMs)
    },
  }
}
