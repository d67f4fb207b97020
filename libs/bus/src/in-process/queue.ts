import type { CloudEvent } from '@carapace/api'
import { type BusLog, type Delivery, drainMs, type Handler, parkingMs, type QueueSpec, type RetryPolicy, reasonOf } from '../bus.ts'
import { BusClosedError } from '../closed.ts'
import { settledWithin } from '../settled-within.ts'
import { topicMatches } from '../topic.ts'
import type { DeadLetterStore, ParkedMessage } from './dead-letter-store.ts'

interface Job {
  json: string
  attempt: number
  /** The publish that waits for the outcome; none when the message is in the dead letter store. */
  waiting?: { resolve(): void; reject(error: unknown): void }
}

interface Consumer {
  handler: Handler
  prefetch: number
  running: Set<Promise<void>>
}

export interface LocalQueue {
  matches(exchange: string, routingKey: string): boolean
  bind(bindings: readonly string[]): void
  /** Resolves when the message was handled, or saved for a later attempt. */
  deliver(json: string): Promise<void>
  /** Schedules what the dead letter store has parked. */
  resume(parked: readonly ParkedMessage[]): void
  subscribe(handler: Handler, prefetch?: number): { close(): Promise<void> }
  /** Messages that are not handed out yet. */
  waiting(): number
  close(): Promise<void>
}

/** One queue of the in-process bus: hands messages to its consumers by rotation, at most `prefetch` at a time each. */
export function localQueue(
  spec: QueueSpec,
  { retry, deadLetterStore, log }: { retry: RetryPolicy; deadLetterStore: DeadLetterStore; log: BusLog },
): LocalQueue {
  const bindings = new Set<string>()
  /** By routing key: few exist, and each message is compared with every queue. */
  const matched = new Map<string, boolean>()
  const ready: Job[] = []
  const timers = new Set<NodeJS.Timeout>()
  let consumers: Consumer[] = []
  let closed = false

  function dispatch(): void {
    while (ready.length > 0) {
      const candidates = spec.singleActive ? consumers.slice(0, 1) : consumers
      const free = candidates.find(consumer => consumer.running.size < consumer.prefetch)
      if (!free) return
      if (!spec.singleActive) consumers = [...consumers.filter(consumer => consumer !== free), free]
      const run = attempt(ready.shift()!, free.handler).finally(() => {
        free.running.delete(run)
        dispatch()
      })
      free.running.add(run)
    }
  }

  async function attempt(job: Job, handler: Handler): Promise<void> {
    const event: CloudEvent = JSON.parse(job.json)
    const delivery: Delivery = { attempt: job.attempt }
    try {
      await handler(event, delivery)
      if (!job.waiting) await deadLetterStore.remove(spec.name, event.id)
      job.waiting?.resolve()
    } catch (error) {
      await parkOrBury(job, event, reasonOf(error))
    }
  }

  async function parkOrBury(job: Job, event: CloudEvent, reason: string): Promise<void> {
    const isDead = job.attempt >= retry.limit
    const delayMs = parkingMs(retry, job.attempt)
    const parked: ParkedMessage = { queue: spec.name, event, attempts: job.attempt, reason, dueAt: Date.now() + delayMs }
    try {
      if (isDead) await deadLetterStore.bury(deadLetter(parked))
      else await deadLetterStore.park(parked)
    } catch (error) {
      log.error({ queue: spec.name, event: event.id, reason: reasonOf(error) }, 'a failed message could not be saved')
      if (job.waiting) return job.waiting.reject(error)
      return again(job, delayMs)
    }
    log.warn({ queue: spec.name, event: event.id, type: event.type, attempt: job.attempt, reason }, isDead ? 'message is dead' : 'message is parked')
    job.waiting?.resolve()
    if (!isDead) again({ json: job.json, attempt: job.attempt + 1 }, delayMs)
  }

  function again(job: Job, delayMs: number): void {
    if (closed) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      ready.push(job)
      dispatch()
    }, delayMs)
    timers.add(timer.unref())
  }

  return {
    matches(exchange, routingKey) {
      if (exchange !== spec.exchange) return false
      const cached = matched.get(routingKey)
      if (cached !== undefined) return cached
      const isMatch = [...bindings].some(binding => topicMatches(binding, routingKey))
      matched.set(routingKey, isMatch)
      return isMatch
    },
    bind(more) {
      for (const binding of more) bindings.add(binding)
      matched.clear()
    },
    deliver: json =>
      new Promise((resolve, reject) => {
        ready.push({ json, attempt: 1, waiting: { resolve, reject } })
        dispatch()
      }),
    resume(parked) {
      for (const message of parked)
        again({ json: JSON.stringify(message.event), attempt: message.attempts + 1 }, Math.max(0, message.dueAt - Date.now()))
    },
    subscribe(handler, prefetch = 64) {
      const consumer: Consumer = { handler, prefetch, running: new Set() }
      consumers = [...consumers, consumer]
      dispatch()
      return {
        async close() {
          consumers = consumers.filter(other => other !== consumer)
          dispatch()
          await settledWithin([...consumer.running], drainMs)
        },
      }
    },
    waiting: () => ready.length,
    async close() {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      for (const job of ready.splice(0)) job.waiting?.reject(new BusClosedError())
      const running = consumers.flatMap(consumer => [...consumer.running])
      consumers = []
      await settledWithin(running, drainMs)
    },
  }
}

const deadLetter = ({ queue, event, attempts, reason }: ParkedMessage) => ({
  id: event.id,
  queue,
  type: event.type,
  subject: event.subject,
  reason,
  attempts,
  deadAt: new Date().toISOString(),
  event,
})
