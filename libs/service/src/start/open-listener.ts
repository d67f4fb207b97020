import type { Bus } from '@carapace/bus'
import type { Express } from 'express'
import type { Platform } from '../define.ts'
import { healthRoutes, type ReadinessParts } from '../health/health.ts'
import type { Prerequisites } from '../health/prerequisites.ts'
import { openLater } from '../http/open-later.ts'
import { closeServer, fastExpress, listen } from '../http/server.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Closers, Runtime } from './runtime.ts'

/** How far a start has come, and that it ends: what `/readyz` answers. */
export interface Progress {
  db: Platform['db'] | undefined
  isServing: boolean
  isConsuming: boolean
  isDraining: boolean
}

export const progressOf = (): Progress => ({ db: undefined, isServing: false, isConsuming: false, isDraining: false })

export interface Listener {
  app: Express
  server: ReturnType<typeof fastExpress>['server']
  url: string
  /** Requests wait until `open`. */
  gate: ReturnType<typeof openLater>
}

/** Listens, and answers health from now on. */
export async function openListener(
  { port = 0, host = '127.0.0.1' }: Pick<Runtime, 'port' | 'host'>,
  { progress, bus, metrics, prerequisites }: { progress: Progress; bus: Bus; metrics: Metrics; prerequisites: Prerequisites },
  closers: Closers,
): Promise<Listener> {
  const { app, server } = fastExpress()
  healthRoutes(app, { metrics, readiness: readinessOf(progress, bus, prerequisites) })
  const gate = openLater(prerequisites)
  app.use(gate.handle)
  const url = await listen(server, port, host)
  // of a start that fails; a service that runs has closed it before
  closers.push(() => closeServer(server, 0))
  return { app, server, url, gate }
}

const readinessOf = (progress: Progress, bus: Bus, { absent }: Prerequisites): ReadinessParts => ({
  needed: { mongodb: () => progress.db?.ready() ?? false, started: () => progress.isServing },
  // without it reads are served, and what is written is published later
  useful: { bus: () => progress.isConsuming && bus.ready() },
  absent,
  isDraining: () => progress.isDraining,
})
