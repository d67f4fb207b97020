import { commandRoute } from './chain-relayer/command.ts'
import type { Chain } from './core/fields.ts'
import type { AnyEvent, ServiceApi } from './core/service-api.ts'
import { clockAdvanced } from './gateway/events.ts'

/** A queue as every process knows it before it publishes. */
export interface DeclaredQueue {
  /** `carapace.<service>` or `carapace.chain.<chain>` */
  readonly name: string
  readonly exchange: 'events' | 'commands'
  /** Routing keys: types of events, or the route of commands. */
  readonly bindings: readonly string[]
  readonly singleActive?: true
}

type Consuming = Pick<ServiceApi, 'name' | 'consumes'>

/** What a service consumes from the bus: the events that it declares, and the sandbox clock, which every service follows. */
export const consumedBy = ({ consumes }: Pick<Consuming, 'consumes'>): AnyEvent[] => [...new Set([...consumes, clockAdvanced])]

/** The queue of a service, shared by its replicas. */
export const eventQueue = (api: Consuming): DeclaredQueue => ({
  name: `carapace.${api.name}`,
  exchange: 'events',
  bindings: [...new Set(consumedBy(api).map(({ type }) => type))],
})

/** The queue of a network's commands: the process that leads the lane consumes them, the others wait. */
export const commandQueue = (network: Chain): DeclaredQueue => ({
  name: `carapace.chain.${network}`,
  exchange: 'commands',
  bindings: [commandRoute(network)],
  singleActive: true,
})

/** Every queue that these services read; planned ones read nothing. @example queuesOf(Object.values(apis)) */
export const queuesOf = (apis: readonly (Consuming & Pick<ServiceApi, 'commandsOf' | 'planned'>)[]): DeclaredQueue[] =>
  apis.filter(({ planned }) => !planned).flatMap(api => [eventQueue(api), ...(api.commandsOf ?? []).map(commandQueue)])
