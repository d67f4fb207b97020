import type { Job, Platform } from '../define.ts'
import { type JobRunner, startJobs } from '../jobs/jobs.ts'
import type { Closers, Runtime } from './runtime.ts'

const clockPollMs = 2_000

/** Runs the jobs of a service, and follows the platform clock where tests or a sandbox move it in other processes. */
export async function runServiceJobs(jobs: readonly Job[], platform: Platform, runtime: Runtime, closers: Closers): Promise<JobRunner> {
  const { name, db, clock, log, config } = platform
  const runner = startJobs(jobs, clock, log, { name, db, exclusive: runtime.exclusive ?? false })
  // nobody else moves the clock of a process that has the database to itself
  const isClockShared = config.SANDBOX && !runtime.exclusive
  const clockPolls = startJobs(isClockShared ? [{ name: 'platform clock', everyMs: clockPollMs, run: () => clock.refresh() }] : [], clock, log)
  closers.push(
    () => clock.leave(),
    () => Promise.all([runner.close(), clockPolls.close()]),
  )
  if (config.SANDBOX) await clock.refresh()
  return runner
}
