import { randomUUID } from 'node:crypto'
import { type AnyEndpoint, bySpecificity, clockAdvanced, Refusal, type ServiceName } from '@carapace/api'
import type { Bus } from '@carapace/bus'
import { openDatabase, openOutbox, startRelay, wallClock } from '@carapace/store'
import { v7 } from 'uuid'
import type { Config } from './config.ts'
import { consume } from './consume.ts'
import { type AnyService, type Handler, on, type Platform } from './define.ts'
import { healthRoutes } from './health.ts'
import { sendFailure } from './http/failure.ts'
import { route } from './http/route.ts'
import { closeServer, fastExpress, listen } from './http/server.ts'
import { openIdempotency } from './idempotency.ts'
import { startJobs } from './jobs.ts'
import type { Logger } from './log.ts'
import { makeMetrics } from './metrics.ts'
import { makePeers } from './peers.ts'
import { openPlatformClock } from './platform-clock.ts'
import { currentTrace, traceparentOf } from './trace.ts'
import { waiter } from './wait.ts'

/** What a process gives to the service it runs. */
export interface Runtime {
  config: Config
  mongoUri: string
  bus: Bus
  internalKey: string
  address: (service: ServiceName) => string
  log: Logger
  host?: string
  /** 0 takes a free one. */
  port?: number
  /** No other process shares the database (embedded start). */
  exclusive?: boolean
  /** In-process bus: resolves when every service listens; nothing is sent before, since an event without a queue is gone. */
  allUp?: Promise<void>
  newId?: () => string
  random?: () => number
}

export interface RunningService {
  name: ServiceName
  url: string
  platform: Platform
  /** Runs all jobs now (tests, sandbox clock). */
  runJobs(): Promise<void>
  /** Drains HTTP, consumers, jobs and the outbox, in that order. */
  close(): Promise<void>
}

const graceMs = 10_000

/** Starts one service: database, clock, stores, HTTP, events, jobs, outbox relay. Resolves when it is ready to serve. */
export async function startService(service: AnyService, runtime: Runtime): Promise<RunningService> {
  const { config, bus, internalKey } = runtime
  const name: ServiceName = service.api.name
  const log = runtime.log.child({ service: name })
  const metrics = makeMetrics(name)
  const newId = runtime.newId ?? (() => v7())
  const clock = { now: () => wallClock.now() }
  const db = await openDatabase({
    uri: runtime.mongoUri,
    name: `${config.DB_PREFIX}carapace_${name.replaceAll('-', '_')}`,
    clock: { now: () => clock.now() },
    newId,
    traceparent: () => traceparentOf(currentTrace()),
  })
  const platformClock = await openPlatformClock(db)
  clock.now = platformClock.now
  const platform: Platform = {
    db,
    clock: platformClock,
    newId,
    random: runtime.random ?? Math.random,
    emit: openOutbox(db),
    bus,
    peers: makePeers(runtime.address, internalKey),
    wait: waiter(db),
    config,
    metrics,
    log,
  }
  const parts = { ...platform, ...(await service.stores(platform)) }
  await db.init()
  const relay = startRelay(db, bus, {
    source: `/carapace/${name}`,
    exclusive: runtime.exclusive ?? false,
    after: runtime.allUp ?? Promise.resolve(),
    onError: error => log.warn({ err: error }, 'outbox: will be sent again'),
  })
  metrics.gauge('outbox_lag_seconds', 'Age of the oldest unsent event', () => relay.lagSeconds())

  const { app, server } = fastExpress()
  healthRoutes(app, { metrics, checks: { mongodb: () => db.ready(), bus: () => bus.ready() } })
  const idempotency = await openIdempotency(db)
  const handlers = service.http(parts) as Record<string, Handler<AnyEndpoint>>
  const endpoints = { ...service.api.endpoints, ...service.api.internal } as Record<string, AnyEndpoint>
  for (const [endpointName, endpoint] of Object.entries(endpoints).sort(([, a], [, b]) => bySpecificity(a, b))) {
    const handle = route(endpointName, endpoint, handlers[endpointName]!, { platform, idempotency, internalKey, checkAnswers: config.CHECK_ANSWERS })
    for (const path of [endpoint.path, ...endpoint.aliases]) app[endpoint.method](path, handle)
  }
  app.use((request, response) => sendFailure(request, response, new Refusal('ROUTE_NOT_FOUND'), randomUUID()))

  const jobs = startJobs(service.jobs?.(parts) ?? [], platformClock, log)
  const clockMoved = on(clockAdvanced, async ({ offsetMs }) => {
    if (await platformClock.advanceTo(offsetMs)) await jobs.runAll()
  })
  const consumer = await consume(bus, name, [...(service.events?.(parts) ?? []), clockMoved], { log, metrics })
  const started = await service.started?.(parts)
  const url = await listen(server, runtime.port ?? 0, runtime.host ?? '127.0.0.1')

  return {
    name,
    url,
    platform,
    runJobs: () => jobs.runAll(),
    close: async () => {
      await closeServer(server, graceMs)
      await started?.close()
      await consumer.close()
      await jobs.close()
      await relay.close()
      await db.close()
    },
  }
}
