import type {
  BodyOf,
  CallerClassOf,
  CallerOf,
  CloudEvent,
  Draft,
  EventDef,
  ParamsOf,
  PayloadOf,
  QueryOf,
  ResponseOf,
  ServiceApi,
  ServiceName,
} from '@carapace/api'
import type { Bus } from '@carapace/bus'
import type { Database, Migration, StateMachine } from '@carapace/store'
import type { PlatformClock } from './clock/platform-clock.ts'
import type { Wait } from './clock/wait.ts'
import type { Config } from './config/config.ts'
import type { RequestContext } from './context/context.ts'
import type { Sealing } from './context/sealing.ts'
import type { Prerequisites } from './health/prerequisites.ts'
import type { Reply } from './http/reply.ts'
import type { Due } from './jobs/due.ts'
import type { Awaiting } from './outcomes/awaiting.ts'
import type { Peers } from './peers/peers.ts'
import type { PerKeyQueue } from './sharing/per-key-queue.ts'
import type { Logger } from './telemetry/log.ts'
import type { Metrics } from './telemetry/metrics.ts'

/** What every service runs on; handed to its stores, handlers, events and jobs. */
export interface Platform {
  name: ServiceName
  db: Database
  /** Moved by the sandbox; all T+ timers, windows and ages use it. */
  clock: PlatformClock
  newId(): string
  /** 0 <= x < 1, which nobody can foresee; tests seed it. */
  random(): number
  /** Publishes events that belong to no aggregate of this service. Durable before it resolves. */
  emit(drafts: Draft[]): Promise<void>
  bus: Bus
  /** Resolves when all queues exist and all services of this process listen. Who publishes by `bus` itself, without an outbox, waits for it. */
  mayPublish: Promise<void>
  peers: Peers
  wait: Wait
  /** Transactions of this process on one aggregate, by its id: they run one after another. */
  queue: PerKeyQueue
  /** For secrets in the database that are needed as they are. */
  sealing: Sealing
  config: Config
  /** For what `stores` cannot open without, outside the service's own database. */
  prerequisites: Prerequisites
  metrics: Metrics
  log: Logger
  outcomes: {
    /** Commands and records whose end the chain has known for a minute and this service has not handled, one line each. */
    faults(): Promise<string[]>
    /** Records in states that end with the outcome of a command. */
    awaits(): Promise<readonly Awaiting[]>
  }
}

/** What a service runs on and what it stores, by the function that opens it. @example export type Parts = PartsOf<typeof stores> */
export type PartsOf<Open extends (platform: Platform) => unknown> = Awaited<ReturnType<Open>> & Platform

export interface Input<E> {
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  caller: CallerOf<CallerClassOf<E>>
  /** The request as the gateway vouches for it. */
  context: RequestContext
  /** Stable over retries with the same Idempotency-Key, else new: the key of reservations and chain commands. */
  operationId: string
  /** `Prefer: respond-async` was sent. */
  respondAsync: boolean
  /** What is left of the bounded wait, ms, counted from the arrival of the request; 0 with `Prefer: respond-async`. */
  waitMs: () => number
  /** The Accept header as sent; empty when there was none. */
  accept: string
  /** Where a stream of events broke off, as its reader says. */
  lastEventId: string | undefined
}

// Bare endpoints (no response schema yet) answer any object.
type Answer<E> = unknown extends ResponseOf<E> ? object : ResponseOf<E>
export type Handler<E> = (input: Input<E>) => Promise<Answer<E> | Reply> | Answer<E> | Reply
/** One handler for each endpoint that the service declares, public and internal: a missing one does not compile. */
export type HandlersOf<Api> =
  Api extends ServiceApi<infer E, infer I> ? { [Name in keyof E]: Handler<E[Name]> } & { [Name in keyof I]: Handler<I[Name]> } : never

/**
 * For a group of handlers, which has the names that it has: an unknown one does not compile here, one that no group has does not in `defineService`.
 * @example export const skillHandlers = (parts: Parts) => ({ listSkills: () => … }) satisfies Handlers<typeof identityApi>
 */
export type Handlers<Api> = Partial<HandlersOf<Api>>

export interface Subscription {
  /** Event types this handler gets; `*` and `#` as in AMQP topics. */
  types: readonly string[]
  handle(event: CloudEvent): Promise<unknown>
}

/** Reacts to a declared event. Throw Retry when a precondition is missing yet. @example on(gigAssigned, gig => inbox.add(…)) */
export function on<E extends EventDef>(definition: E, handle: (payload: PayloadOf<E>, event: CloudEvent) => Promise<unknown>): Subscription {
  return { types: [definition.type], handle: event => handle(definition.read(event.data) as PayloadOf<E>, event) }
}

/** Reacts to events by pattern, unparsed. */
export const onTypes = (types: readonly string[], handle: Subscription['handle']): Subscription => ({ types, handle })

export interface Job {
  name: string
  /** Wall-clock pause between two runs, ms. Jobs also run immediately when the platform clock is moved. */
  everyMs: number
  /** When there is something to do; without it the job runs each time. */
  due?: Due
  /** @param ending aborted when the process ends: a run that would go on begins nothing any more */
  run(now: Date, ending: AbortSignal): Promise<unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: tables of all records side by side
export type AnyStateMachine = StateMachine<any, any, any>

export interface ServiceDefinition<Api extends ServiceApi = ServiceApi, Stores extends object = object> {
  api: Api
  /** The tables by which its records move: drawn into docs/states.md, and each walked to an end by a test. */
  states?: readonly AnyStateMachine[]
  /** Opens what the service stores. Runs before anything is served. A projection among it has its own `subscriptions`. */
  stores: (platform: Platform) => Stores | Promise<Stores>
  /** From the oldest form of its documents that is still read to the present one. Those of a release are never removed or changed. */
  migrations?: readonly Migration<Stores & Platform>[]
  http: (parts: Stores & Platform) => HandlersOf<Api>
  events?: (parts: Stores & Platform) => Subscription[]
  jobs?: (parts: Stores & Platform) => Job[]
  /** Its metrics show the depth of every queue: that of a reader that is absent grows, and its reader cannot show it. */
  measuresAllQueues?: true
  /** Records in states that end with the outcome of a command, by indexed queries: each is polled until it has moved on. */
  awaits?: (parts: Stores & Platform) => Promise<readonly Awaiting[]>
  /** Runs once when everything is up: first records, long-lived consumers. What it returns is closed at the end. */
  started?: (parts: Stores & Platform) => Promise<{ close(): Promise<void> }> | Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: services of all shapes side by side
export type AnyService = ServiceDefinition<any, any>

/** Declares a service; the compiler holds its handlers to its declarations. @example defineService({ api: notificationsApi, stores, http, events }) */
export function defineService<Api extends ServiceApi, Stores extends object>(definition: ServiceDefinition<Api, Stores>): AnyService {
  return definition
}
