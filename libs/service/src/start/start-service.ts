import { clockAdvanced } from '@carapace/api'
import { migrate } from '@carapace/store'
import { assertDeclared, consume } from '../consume.ts'
import { type AnyService, on, type Platform, type Subscription } from '../define.ts'
import { nothingAwaited } from '../health/prerequisites.ts'
import { closeServer, drainServer } from '../http/server.ts'
import { endStreams } from '../http/stream.ts'
import type { JobRunner } from '../jobs/jobs.ts'
import { type Outcomes, openOutcomes } from '../outcomes/outcomes.ts'
import { makeMetrics } from '../telemetry/metrics.ts'
import { tracedBus } from '../telemetry/traced-bus.ts'
import { type Listener, openListener, type Progress, progressOf } from './open-listener.ts'
import { openPlatform } from './open-platform.ts'
import { openRelay, sourceOf } from './open-relay.ts'
import { pollOutcomes } from './poll-outcomes.ts'
import { runServiceJobs } from './run-jobs.ts'
import type { Closers, RunningService, Runtime } from './runtime.ts'
import { openStoredAnswers, serveRequests } from './serve-requests.ts'

const graceMs = 10_000

/**
 * Starts one service: database, clock, stores, HTTP, first records, jobs, outbox relay, events. Resolves when all of it works. Health is answered from
 * the beginning, requests as soon as the service's own data is open: neither waits for the broker.
 * @throws what prevents the start; what was open by then is closed
 */
export async function startService(service: AnyService, runtime: Runtime): Promise<RunningService> {
  const closers: Closers = []
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

/**
 * Each closer reverses one step; they run in reverse: consumers, jobs, HTTP, what `started` opened, outbox, database. The listener closes after the
 * work of events and jobs, so that reads are refused for a moment only; until then answers end their connections.
 */
async function open(service: AnyService, runtime: Runtime, closers: Closers): Promise<Omit<RunningService, 'close'>> {
  const { prerequisites = nothingAwaited, internalKey } = runtime
  const name: Platform['name'] = service.api.name
  const bus = tracedBus(runtime.bus, name)
  const declared = bus.declare(runtime.queues)
  const mayPublish = Promise.all([declared, runtime.allUp]).then(() => undefined)
  // it is awaited at the end, where the start does not depend on the broker any more
  mayPublish.catch(() => {})
  const metrics = makeMetrics(name)
  const progress = progressOf()
  const listener = await openListener(runtime, { progress, bus, metrics, prerequisites }, closers)
  const form = service.migrations?.length ?? 0
  const { platform, endWaits } = await openPlatform(name, { ...runtime, bus, prerequisites, metrics, form }, mayPublish)
  progress.db = platform.db
  closers.push(() => platform.db.close())

  let jobs: JobRunner | undefined
  const runJobs = async () => jobs?.runAll()
  const { parts, outcomes } = await openEvents(service, platform, { runtime, runJobs }, closers)
  const idempotency = openStoredAnswers(platform, closers)
  await migrateData(service, parts)
  openRelay(service, platform, outcomes, runtime, closers)

  let started: { close(): Promise<void> } | undefined
  closers.push(() => started?.close())
  closers.push(() => endRequests(listener, runtime))
  jobs = await runServiceJobs(service.jobs?.(parts) ?? [], platform, runtime, closers)
  const events = eventsOf(service, outcomes, closers)
  closers.push(async () => drain(progress, listener, endWaits))
  const serve = serveRequests(service, parts, { idempotency, internalKey, jobs })
  started = (await service.started?.(parts)) ?? undefined
  listener.gate.open(serve)
  progress.isServing = true

  await declared
  await events.consume(platform)
  progress.isConsuming = true
  return { name, url: listener.url, platform, runJobs }
}

/** What the service stores, and what it does with events; a move of the platform clock runs its jobs. */
async function openEvents(
  service: AnyService,
  platform: Platform,
  { runtime, runJobs }: { runtime: Runtime; runJobs: () => Promise<void> },
  closers: Closers,
): Promise<{ parts: Platform; outcomes: Outcomes }> {
  const stores = await service.stores(platform)
  const parts = { ...platform, ...stores }
  const clockMoved = on(clockAdvanced, async ({ offsetMs }) => {
    if (await platform.clock.advanceTo(offsetMs)) await runJobs()
  })
  const subscriptions = [...ofProjections(stores), ...(service.events?.(parts) ?? []), clockMoved]
  assertDeclared(service.api, subscriptions)
  const awaits = async () => service.awaits?.(parts) ?? []
  const { exclusive = false, pollAfterMs } = runtime
  const outcomes = openOutcomes(platform, { source: sourceOf(platform.name), exclusive, pollAfterMs, subscriptions, awaits })
  closers.push(() => outcomes.close())
  Object.assign(platform.outcomes, { faults: outcomes.faults, awaits })
  return { parts, outcomes }
}

const ofProjections = (stores: object): Subscription[] =>
  Object.values(stores).flatMap((part: { subscriptions?: Subscription[] } | null | undefined) => part?.subscriptions ?? [])

/** Indexes, and the data of earlier versions in the form of this one. */
async function migrateData({ migrations = [] }: AnyService, parts: Platform): Promise<void> {
  await parts.db.init()
  const steps = migrations.map(step => ({ ...step, run: () => step.run(parts) }))
  await migrate(parts.db, steps, { log: parts.log })
}

/** Events and polled outcomes, once the service can serve; closed before all that they use. */
function eventsOf(service: AnyService, outcomes: Outcomes, closers: Closers): { consume(platform: Platform): Promise<void> } {
  let consumer: { close(): Promise<void> } | undefined
  let polls: { close(): Promise<void> } | undefined
  closers.push(() => Promise.all([consumer?.close(), polls?.close()]))
  return {
    consume: async platform => {
      consumer = await consume(platform.bus, service.api, outcomes.dispatch)
      polls = pollOutcomes(outcomes, platform)
    },
  }
}

/** From here on answers end their connections, and nobody waits for a change any more. */
function drain(progress: Progress, { server }: Listener, endWaits: () => void): void {
  progress.isDraining = true
  drainServer(server)
  endWaits()
}

function endRequests({ app, server }: Listener, { lingerMs }: Runtime): Promise<void> {
  endStreams(app)
  return closeServer(server, graceMs, lingerMs)
}
