import type { ServiceName } from '@carapace/api'
import type { Bus, QueueSpec } from '@carapace/bus'
import type { Config } from '../config/config.ts'
import type { Platform } from '../define.ts'
import type { Prerequisites } from '../health/prerequisites.ts'
import type { Logger } from '../telemetry/log.ts'

/** What a process gives to the service it runs. */
export interface Runtime {
  config: Config
  mongoUri: string
  bus: Bus
  internalKey: string
  address: (service: ServiceName) => string
  log: Logger
  host?: string
  /** 0 means a free one. */
  port?: number
  /** No other process shares the database (embedded start). */
  exclusive?: boolean
  /** Waits for what is absent. Default: the start fails. */
  prerequisites?: Prerequisites
  /** The queues of all consumers: nothing is published before they exist. */
  queues: readonly QueueSpec[]
  /** One process for several services: resolves when each of them listens; nothing is published before. */
  allUp?: Promise<void>
  /** First pause before the outcome of a command is polled, ms. Default 30,000. */
  pollAfterMs?: number
  /** How long clients of other processes are still served on their connections when this one closes, ms. Default 0. */
  lingerMs?: number
  newId?: () => string
  random?: () => number
}

export interface RunningService {
  name: ServiceName
  url: string
  platform: Platform
  /** Runs all jobs now (tests, sandbox clock). */
  runJobs(): Promise<void>
  /** Drains consumers, jobs, HTTP and the outbox, in that order: reads are served until nothing else is left to do. */
  close(): Promise<void>
}

/** What each step of a start has to close again; closed in reverse. */
export type Closers = (() => Promise<unknown> | undefined)[]
