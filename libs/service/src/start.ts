import { type AnyEndpoint, clockAdvanced, moveClock, queuesOf, type ServiceName } from '@carapace/api'
import { type Bus, BusClosedError, type QueueSpec, settledWithin } from '@carapace/bus'
import { migrate, startRelay } from '@carapace/store'
import type { Config } from './config/config.ts'
import { assertDeclared, consume } from './consume.ts'
import { type AnyService, type Handler, on, type Platform, type Subscription } from './define.ts'
import { healthRoutes } from './health/health.ts'
import { nothingAwaited, type Prerequisites } from './health/prerequisites.ts'
import { openIdempotency } from './http/idempotency.ts'
import { openLater } from './http/open-later.ts'
import { mount } from './http/route.ts'
import { closeServer, drainServer, fastExpress, listen } from './http/server.ts'
import { endStreams } from './http/stream.ts'
import { startJobs } from './jobs/jobs.ts'
import { openPlatform } from './open-platform.ts'
import { type Outcomes, openOutcomes } from './outcomes/outcomes.ts'
import { countConnections } from './telemetry/connections.ts'
import type { Logger } from './telemetry/log.ts'
import { makeMetrics } from './telemetry/metrics.ts'
import { tracedBus } from './telemetry/traced-bus.ts'

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
  /** So long clients of other processes are still served on their connections when this one closes, ms. Default 0. */
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

/** At an orderly end the next start sends what the outbox holds. */
const levelOf = (error: unknown) => (error instanceof BusClosedError ? 'debug' : 'warn')

const graceMs = 10_000
const pollGraceMs = 1_000
const clockPollMs = 2_000

/**
 * Starts one service: database, clock, stores, HTTP, first records, jobs, outbox relay, events. Resolves when all of it works. Health is answered from
 * the beginning, requests as soon as the service's own data is open: neither waits for the broker.
 * @throws what prevents the start; what was open by then is closed
 */
export async function startService(service: AnyService, runtime: Runtime): Promise<RunningService> {
  const closers: Closer[] = []
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse())
      await Promise.resolve(close()).catch((error: unknown) => runtime.log.warn({ err: error, service: service.api.name }, 'not closed in order'))
  }
  try {
    return { ...(await open(service, runtime, closers)), close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

type Closer = () => Promise<unknown> | undefined

/**
 * Each closer reverses one step; they run in reverse: consumers, jobs, HTTP, what `started` opened, outbox, database. The listener closes after the
 * work of events and jobs, so that reads are refused for a moment only; until then answers end their connections.
 */
async function open(service: AnyService, runtime: Runtime, closers: Closer[]): Promise<Omit<RunningService, 'close'>> {
  const { config, internalKey, prerequisites = nothingAwaited } = runtime
  const name: ServiceName = service.api.name
  const migrations = service.migrations ?? []
  const bus = tracedBus(runtime.bus, name)
  const declared = bus.declare(runtime.queues)
  const mayPublish = Promise.all([declared, runtime.allUp]).then(() => undefined)
  // It is awaited below, where the start does not depend on the broker any more.
  mayPublish.catch(() => {})
  const metrics = makeMetrics(name)
  const { app, server } = fastExpress()
  let opened: Platform['db'] | undefined
  let isServing = false
  let isConsuming = false
  let isDraining = false
  const readiness = {
    needed: { mongodb: () => opened?.ready() ?? false, started: () => isServing },
    // without it reads are served, and what is written is published later
    useful: { bus: () => isConsuming && bus.ready() },
    absent: prerequisites.absent,
    isDraining: () => isDraining,
  }
  healthRoutes(app, { metrics, readiness })
  const gate = openLater(prerequisites)
  app.use(gate.handle)
  const url = await listen(server, runtime.port ?? 0, runtime.host ?? '127.0.0.1')
  // of a start that fails; else it is closed before
  closers.push(() => closeServer(server, 0))
  const { platform, endWaits } = await openPlatform(name, { ...runtime, bus, prerequisites, metrics, form: migrations.length }, mayPublish)
  const { db, clock, log } = platform
  opened = db
  closers.push(() => db.close())
  const stores = await service.stores(platform)
  const parts = { ...platform, ...stores }
  const clockMoved = on(clockAdvanced, async ({ offsetMs }) => {
    if (await clock.advanceTo(offsetMs)) await jobs.runAll()
  })
  const subscriptions = [...ofProjections(stores), ...(service.events?.(parts) ?? []), clockMoved]
  assertDeclared(service.api, subscriptions)
  const awaits = async () => service.awaits?.(parts) ?? []
  const outcomes = openOutcomes(platform, {
    source: sourceOf(name),
    exclusive: runtime.exclusive ?? false,
    pollAfterMs: runtime.pollAfterMs,
    subscriptions,
    awaits,
  })
  closers.push(() => outcomes.close())
  Object.assign(platform.outcomes, { faults: outcomes.faults, awaits })
  const idempotency = openIdempotency(db, log)
  closers.push(() => idempotency.close())
  await db.init()
  await migrate(
    db,
    migrations.map(step => ({ ...step, run: () => step.run(parts) })),
    { log },
  )
  const relay = startRelay(db, bus, {
    source: sourceOf(name),
    exclusive: runtime.exclusive ?? false,
    after: mayPublish,
    alongside: entries => {
      for (const { type } of entries) metrics.count('messaging.client.sent.messages', { 'messaging.destination.name': type })
      return outcomes.sent(entries)
    },
    onError: error => log[levelOf(error)]({ err: error }, 'outbox: will be sent again'),
  })
  closers.push(() => relay.close())
  countConnections(db.connection.getClient(), metrics)
  metrics.observe('outbox.lag', () => relay.lagSeconds())
  metrics.observe('saga.age', () => outcomes.oldestSeconds())
  const measuredQueues = service.measuresAllQueues ? runtime.queues : queuesOf([service.api])
  metrics.observe('queue.depth', () => Promise.all(measuredQueues.map(async queue => [queue.name, await bus.waiting(queue.name)] as const)))

  let started: { close(): Promise<void> } | undefined
  closers.push(() => started?.close())
  closers.push(() => {
    endStreams(app)
    return closeServer(server, graceMs, runtime.lingerMs)
  })
  const jobs = startJobs(service.jobs?.(parts) ?? [], clock, log, { name, db, exclusive: runtime.exclusive ?? false })
  // nobody else moves the clock of a process that has the database to itself
  const isClockShared = config.SANDBOX && !runtime.exclusive
  const clockPolls = startJobs(isClockShared ? [{ name: 'platform clock', everyMs: clockPollMs, run: () => clock.refresh() }] : [], clock, log)
  if (config.SANDBOX) await clock.refresh()
  closers.push(
    () => clock.leave(),
    () => Promise.all([jobs.close(), clockPolls.close()]),
  )
  let consumer: { close(): Promise<void> } | undefined
  let polls: { close(): Promise<void> } | undefined
  closers.push(() => Promise.all([consumer?.close(), polls?.close()]))

  closers.push(async () => {
    isDraining = true
    drainServer(server)
    endWaits()
  })
  const handlers = service.http(parts) as Record<string, Handler<AnyEndpoint>>
  const ofSandbox = config.SANDBOX ? { moveClock } : {}
  const moveOwnClock: Handler<typeof moveClock> = async ({ body: { offsetMs } }) => {
    await clock.advanceTo(offsetMs)
    await Promise.all([jobs.runAll(), clock.reached(offsetMs)])
    return { offsetMs: clock.offsetMs() }
  }
  const api = { ...service.api, internal: { ...service.api.internal, ...ofSandbox } }
  const serve = mount(
    api,
    { ...handlers, moveClock: moveOwnClock as Handler<AnyEndpoint> },
    { platform, idempotency, internalKey, checkAnswers: config.CHECK_ANSWERS },
  )
  started = (await service.started?.(parts)) ?? undefined
  gate.open(serve)
  isServing = true

  await declared
  consumer = await consume(bus, service.api, outcomes.dispatch)
  polls = pollsOf(outcomes, mayPublish, clock, log)
  isConsuming = true
  return { name, url, platform, runJobs: () => jobs.runAll() }
}

const ofProjections = (stores: object): Subscription[] =>
  Object.values(stores).flatMap((part: { subscriptions?: Subscription[] } | null | undefined) => part?.subscriptions ?? [])

const sourceOf = (name: ServiceName): string => `/carapace/${name}`

/** Outcomes are polled once messages may be published: what is sent again must find its queue. */
function pollsOf(outcomes: Outcomes, mayPublish: Promise<void>, clock: Platform['clock'], log: Logger): { close(): Promise<void> } {
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
      await settledWithin([resumed.then(() => jobs?.close())], pollGraceMs)
    },
  }
}
