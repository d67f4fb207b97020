import type { ServiceName } from '@carapace/api'
import type { Clock, Database } from '@carapace/store'
import type { Job } from '../define.ts'
import type { Logger } from '../telemetry/log.ts'
import { inSpan } from '../telemetry/trace.ts'
import { type Gate, gateOf } from './due.ts'

export interface JobRunner {
  /** Runs every job now and waits for them: the platform clock was moved. */
  runAll(): Promise<void>
  close(): Promise<void>
}

/** Jobs that run seldomer than this do not begin together, so that what they read comes evenly. */
const seldomMs = 30_000
const longestDelayMs = 60_000
const goldenRatio = 0.618034
let seldomJobs = 0

/** Each next one begins where the ones before leave the widest gap. */
const delayOf = ({ everyMs }: Job): number => (everyMs < seldomMs ? 0 : ((seldomJobs++ * goldenRatio) % 1) * Math.min(everyMs, longestDelayMs))

/**
 * Supervises periodic work: one run of a job at a time, failures logged and retried at the next run, all of it ended by close.
 * @param writes needed by jobs that say when they are due, each run of which is a trace: whose they are, where records are saved, and whether only this
 * process saves them
 */
export function startJobs(
  jobs: readonly Job[],
  clock: Clock,
  log: Logger,
  writes?: { name: ServiceName; db: Pick<Database, 'changes'>; exclusive: boolean },
): JobRunner {
  const gates = new Map<Job, Gate>(jobs.flatMap(job => (job.due && writes ? [[job, gateOf(job.due, writes)]] : [])))
  const running = new Map<string, Promise<void>>()
  const ending = new AbortController()
  const run = (job: Job, isForced = true): Promise<void> => {
    const present = running.get(job.name)
    if (present !== undefined) return present
    const runIfDue = async () => {
      const gate = gates.get(job)
      if (isForced) gate?.forget()
      else if (gate && !(await gate.isOpen(clock.now()))) return
      if (gate && writes) await inSpan({ by: writes.name, name: job.name, kind: 'internal' }, undefined, () => job.run(clock.now(), ending.signal))
      else await job.run(clock.now(), ending.signal)
    }
    const work = runIfDue()
      .catch((error: unknown) => log.error({ err: error, job: job.name }, 'job failed'))
      .finally(() => running.delete(job.name))
    running.set(job.name, work)
    return work
  }
  const timers = new Map(jobs.map(job => [job, setTimeout(() => repeat(job), job.everyMs + delayOf(job))]))
  const repeat = (job: Job) => {
    timers.set(
      job,
      setInterval(() => void run(job, false), job.everyMs),
    )
    void run(job, false)
  }
  return {
    runAll: async () => {
      // a run under way may have read the old time: let it end, then run again
      await Promise.all(running.values())
      await Promise.all(jobs.map(job => run(job)))
    },
    close: async () => {
      ending.abort()
      for (const timer of timers.values()) clearInterval(timer)
      for (const gate of gates.values()) gate.close()
      await Promise.all(running.values())
    },
  }
}
