import type { CloudEvent } from '@carapace/api'

/** One message on its way out. Commands go to one queue by routing key, events to every queue bound to their type. */
export interface Outgoing {
  exchange: 'events' | 'commands'
  routingKey: string
  event: CloudEvent
}

export interface QueueSpec {
  /** `carapace.<service>` or `carapace.chain.<chain>`; durable, shared by all replicas of the consumer (competing consumers). */
  name: string
  exchange: 'events' | 'commands'
  /** Routing keys; `*` and `#` as in AMQP topics. */
  bindings: readonly string[]
  /** Only one consumer is active at a time, the others wait. */
  singleActive?: boolean
  /** Most messages handed out and not yet answered. Default 64. */
  prefetch?: number
}

export interface Delivery {
  /** 1 for the first try; counts Retry and thrown errors, not redeliveries after a crash. */
  attempt: number
}

/** Resolves = acknowledged. Throws Retry or anything else = parked, then tried again, in the end dead-lettered with the reason. */
export type Handler = (event: CloudEvent, delivery: Delivery) => Promise<void>

/** A precondition is missing so far (no order is promised between aggregates): retry later. */
export class Retry extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Retry'
  }
}

/** No queue matched this command, or this event that a declared queue should have received. */
export class Unroutable extends Error {
  constructor(routingKey: string) {
    super(`No queue takes ${routingKey}`)
    this.name = 'Unroutable'
  }
}

export interface DeadLetter {
  /** The event's id. */
  id: string
  queue: string
  type: string
  subject: string
  /** The last error's message. */
  reason: string
  attempts: number
  /** ISO 8601, wall clock. */
  deadAt: string
  event: CloudEvent
}

/**
 * Domain events and commands, at least once. One interface, two drivers (RabbitMQ, in-process), one conformance suite in libs/testing.
 */
export interface Bus {
  /** Whether messages reach their queues in the order of the calls, so that what follows need not wait for the confirm. A connection may break between two. */
  readonly inOrder: boolean
  /**
   * Resolves when every message is confirmed as stored; rejects when any may not be. Safe to repeat: consumers are idempotent.
   * What no queue matches is refused: a command always, an event when a declared queue is bound to it. An event that nobody declared to read is
   * confirmed and dropped. @throws Unroutable
   */
  publish(messages: readonly Outgoing[]): Promise<void>
  /**
   * Makes queues with their bindings, without consuming: what is published waits there for the first consumer. From the call on nothing is published
   * before they exist, also after a reconnect to a broker that has lost them. Resolves when they exist. `prefetch` is the consumer's matter.
   */
  declare(queues: readonly QueueSpec[]): Promise<void>
  /**
   * Makes the queue, adds the bindings, and starts to consume; several subscriptions to one queue share its messages. Survives restarts of the
   * broker. A binding that was once made stays, so a handler must acknowledge types it no longer knows.
   */
  subscribe(queue: QueueSpec, handler: Handler): Promise<{ close(): Promise<void> }>
  /** Messages that wait in a declared queue, not yet handed out. @throws when the broker does not say */
  waiting(queue: string): Promise<number>
  /** Dead letters of all queues, oldest first. */
  deadLetters(limit?: number): Promise<DeadLetter[]>
  /** Puts the dead letters with that id (of that queue, if named) back into their queues with a fresh count of attempts. Resolves to false when there is none. */
  replay(id: string, queue?: string): Promise<boolean>
  /** Whether a publish can be expected to succeed now. */
  ready(): boolean
  /** Stops consuming, waits for handlers that run (up to 10 s), closes connections. */
  close(): Promise<void>
}

/** How a failed message is retried. Tests shorten it. */
export interface RetryPolicy {
  /** Parking times in ms; the last one repeats. */
  delaysMs: readonly number[]
  /** After so many attempts the message is dead-lettered. */
  limit: number
}

export const defaultRetry: RetryPolicy = { delaysMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000], limit: 20 }

/** What pino's logger offers; drivers report lost connections, parked and dead messages. */
export interface BusLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** For tests and tools that check the outcome themselves. */
export const quiet: BusLog = { info: () => {}, warn: () => {}, error: () => {} }

/** What a handler threw, as one short text. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error)).slice(0, 500)

/** How long close() waits for handlers that run, in ms. */
export const drainMs = 10_000

/** How long a message is parked after its n-th attempt (from 1), in ms. */
export const parkingMs = ({ delaysMs }: RetryPolicy, attempt: number): number => delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0
