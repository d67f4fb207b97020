import { type Bus, type BusLog, defaultRetry, type Outgoing, type QueueSpec, type RetryPolicy, Unroutable } from '../bus.ts'
import { BusClosedError } from '../closed.ts'
import { type DeadLetterStore, memoryDeadLetters } from './dead-letter-store.ts'
import { type LocalQueue, localQueue } from './queue.ts'

export interface InProcessOptions {
  retry?: RetryPolicy
  /** For parked and dead messages. Default: in memory, which a crash loses. */
  deadLetterStore?: DeadLetterStore
  log: BusLog
}

/**
 * The bus inside one process, with the semantics of the RabbitMQ driver.
 *
 * `publish` resolves when every queue that matches a message has either handled it or put it into the dead letter store (parked for a later attempt, or
 * dead). It rejects when the store refuses or the bus closes first. So with a durable dead letter store and an outbox that forgets only what was
 * acknowledged a crash loses nothing, and a failing subscriber delays neither other subscribers nor later messages: it costs one attempt and
 * one write. What was parked when the process ended is resumed when its queue is declared or subscribed. A publish lasts as long as the
 * slowest handler; while a queue has no consumer it waits for one.
 * @example const bus = inProcessBus({ deadLetterStore: await mongoDeadLetters(db), log })
 */
export function inProcessBus({ retry = defaultRetry, deadLetterStore = memoryDeadLetters(), log }: InProcessOptions): Bus {
  const queues = new Map<string, LocalQueue>()
  /** Settles when the queues declared so far exist. */
  let declared: Promise<unknown> = Promise.resolve()
  let closed = false

  function assertOpen(): void {
    if (closed) throw new BusClosedError()
  }

  function routes({ exchange, routingKey }: Outgoing): LocalQueue[] {
    const found = [...queues.values()].filter(queue => queue.matches(exchange, routingKey))
    if (exchange === 'commands' && found.length === 0) throw new Unroutable(routingKey)
    return found
  }

  async function open(spec: QueueSpec): Promise<LocalQueue> {
    const parked = await deadLetterStore.parked(spec.name)
    const openedMeanwhile = queues.get(spec.name)
    if (openedMeanwhile) return openedMeanwhile
    const queue = localQueue(spec, { retry, deadLetterStore, log })
    queue.resume(parked)
    queues.set(spec.name, queue)
    return queue
  }

  async function bound(spec: QueueSpec): Promise<LocalQueue> {
    const queue = queues.get(spec.name) ?? (await open(spec))
    queue.bind(spec.bindings)
    return queue
  }

  return {
    inOrder: true,
    async publish(messages) {
      await declared
      assertOpen()
      const deliveries: Promise<void>[] = []
      // All are routed before the first is handed out: a command without a queue refuses them all.
      for (const { queues, event } of messages.map(message => ({ queues: routes(message), event: message.event }))) {
        if (queues.length === 0) continue
        const json = JSON.stringify(event)
        for (const queue of queues) deliveries.push(queue.deliver(json))
      }
      await Promise.all(deliveries)
    },

    async declare(specs) {
      assertOpen()
      const made = Promise.all(specs.map(bound))
      declared = Promise.allSettled([declared, made])
      await made
    },

    async subscribe(spec, handler) {
      assertOpen()
      const queue = await bound(spec)
      return queue.subscribe(handler, spec.prefetch)
    },

    waiting: async queue => queues.get(queue)?.waiting() ?? 0,
    deadLetters: (limit = 100) => deadLetterStore.dead({ limit }),

    async replay(id, queue) {
      const dead = await deadLetterStore.dead({ id, ...(queue !== undefined && { queue }) })
      for (const deadLetter of dead) {
        const fresh = { queue: deadLetter.queue, event: deadLetter.event, attempts: 0, reason: deadLetter.reason, dueAt: Date.now() }
        await deadLetterStore.park(fresh)
        queues.get(deadLetter.queue)?.resume([fresh])
      }
      return dead.length > 0
    },

    ready: () => !closed,

    async close() {
      closed = true
      await Promise.all([...queues.values()].map(queue => queue.close()))
    },
  }
}
