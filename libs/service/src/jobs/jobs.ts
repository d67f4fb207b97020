import type { Clock } from '@carapace/store'
import type { Job } from '../define.ts'
import type { Logger } from '../log.ts'

export interface JobRunner {
  /** Runs every job now and waits for them: the platform clock was moved. */
  runAll(): Promise<void>
  close(): Promise<void>
}

/** Supervises periodic work: one run of a job at a time, failures logged and retried at the next run, all of it ended by close. */
export function startJobs(jobs: readonly Job[], clock: Clock, log: Logger): JobRunner {
  const running = new Map<string, Promise<void>>()
  const run = (job: Job): Promise<void> => {
    const present = running.get(job.name)
    if (present !== undefined) return present
    const work = (async () => void (await job.run(clock.now())))()
      .catch((error: unknown) => log.error({ err: error, job: job.name }, 'job failed'))
      .finally(() => running.delete(job.name))
    running.set(job.name, work)
    return work
  }
  const timers = jobs.map(job => setInterval(() => void run(job), job.everyMs))
  return {
    runAll: async () => {
      // a run under way may have read the old time: let it end, then run again
      await Promise.all(running.values())
      await Promise.all(jobs.map(run))
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}
