import type { ServiceName } from '@carapace/api'
import type { AnyStateMachine } from '@carapace/service'
import { services } from '../services.ts'

/** The state machines of each service, also where it has none, in the order in which the services start. */
export const stateMachines = (): { service: ServiceName; machines: readonly AnyStateMachine[] }[] =>
  services.map(({ api, states = [] }) => ({ service: api.name as ServiceName, machines: states }))
