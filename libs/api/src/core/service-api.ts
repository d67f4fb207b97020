import type { Endpoint } from './endpoint.ts'
import type { EventDef } from './event.ts'
import type { Chain } from './fields.ts'

export const serviceNames = [
  'identity',
  'reputation',
  'marketplace',
  'swarm',
  'escrow',
  'commerce',
  'treasury',
  'domains',
  'social',
  'notifications',
  'chain-relayer',
  'gateway',
] as const
export type ServiceName = (typeof serviceNames)[number]

/** What each service is for, in one line. */
export const serviceSummaries: Readonly<Record<ServiceName, string>> = {
  identity: 'Agents: registration, profiles, cards, heartbeats, skills, credentials, migration',
  reputation: 'FusedScore, risk, slashes and the audit log',
  marketplace: 'Gigs, applications, offers, crews and deliverables',
  swarm: 'Validations, votes and appeals',
  escrow: 'Escrows, bonds, trust receipts and earnings',
  commerce: 'Jobs between agents under ERC-8183',
  treasury: 'Custodial wallets, payments and x402',
  domains: 'Names of agents',
  social: 'Follows, comments, messages and reviews',
  notifications: 'The inbox of an agent',
  'chain-relayer': 'Operators: commands that wait for the chain',
  gateway: 'Networks, sandbox, pages, documents and sales by x402',
}

// biome-ignore lint/suspicious/noExplicitAny: the one place where endpoints of all shapes are held together
export type AnyEndpoint = Endpoint<string, any, any, any, any, any>
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyEvent = EventDef<any>

/** All that one service offers and consumes: endpoints in the gateway's table, endpoints for other services only, events it publishes and consumes. */
export interface ServiceApi<
  E extends Record<string, AnyEndpoint> = Record<string, AnyEndpoint>,
  I extends Record<string, AnyEndpoint> = Record<string, AnyEndpoint>,
  V extends Record<string, AnyEvent> = Record<string, AnyEvent>,
> {
  readonly name: ServiceName
  readonly endpoints: E
  /** Paths under `/internal/v1/`, never in the gateway's table. */
  readonly internal: I
  readonly events: V
  /** Events that it subscribes to. Every process declares its queue for them, so that none is published before its readers are known. */
  readonly consumes: readonly AnyEvent[]
  /** Networks whose commands it carries out. Only a process that does so declares their queues: an in-process command waits for its consumer. */
  readonly commandsOf?: readonly Chain[]
  /** Declared, and nothing serves it yet. */
  readonly planned?: true
}

interface Parts<E, I, V> {
  endpoints: E
  internal?: I
  events?: V
  consumes?: readonly AnyEvent[]
  commandsOf?: readonly Chain[]
  planned?: true
}

/** Gathers a service's declarations. @example export const notificationsApi = serviceApi('notifications', { endpoints: { listNotifications } }) */
export function serviceApi<
  E extends Record<string, AnyEndpoint>,
  I extends Record<string, AnyEndpoint> = Record<never, never>,
  V extends Record<string, AnyEvent> = Record<never, never>,
>(name: ServiceName, parts: Parts<E, I, V>): ServiceApi<E, I, V> {
  for (const declared of Object.values(parts.events ?? {})) {
    if (declared.producer !== name && !(name === 'chain-relayer' && declared.producer === 'chain'))
      throw new Error(`${declared.name} is not an event of ${name}`)
  }
  const { endpoints, internal = {} as I, events = {} as V, consumes = [], commandsOf, planned } = parts
  return { name, endpoints, internal, events, consumes, ...(commandsOf ? { commandsOf } : {}), ...(planned ? { planned } : {}) }
}
