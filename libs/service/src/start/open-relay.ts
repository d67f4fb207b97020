import { queuesOf } from '@carapace/api'
import { type Bus, BusClosedError } from '@carapace/bus'
import { startRelay } from '@carapace/store'
import type { AnyService, Platform } from '../define.ts'
import type { Outcomes } from '../outcomes/outcomes.ts'
import { countConnections } from '../telemetry/connections.ts'
import type { Closers, Runtime } from './runtime.ts'

/** The CloudEvents source of a service. */
export const sourceOf = (name: string): string => `/carapace/${name}`

/** At an orderly end the next start sends what the outbox holds. */
const levelOf = (error: unknown) => (error instanceof BusClosedError ? 'debug' : 'warn')

/** Publishes what the outbox holds, and measures it, the queues, what is open on the chain and the connections to the database. */
export function openRelay(service: AnyService, platform: Platform, outcomes: Outcomes, runtime: Runtime, closers: Closers): void {
  const { db, bus, log, metrics, mayPublish } = platform
  const relay = startRelay(db, bus, {
    source: sourceOf(platform.name),
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
  const queues = service.measuresAllQueues ? runtime.queues : queuesOf([service.api])
  metrics.observe('queue.depth', () => depthsOf(bus, queues))
}

const depthsOf = (bus: Bus, queues: readonly { name: string }[]) =>
  Promise.all(queues.map(async ({ name }) => [name, await bus.waiting(name)] as const))
