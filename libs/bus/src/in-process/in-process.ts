import { type Bus, type BusLog, defaultRetry, type Outgoing, type QueueSpec, type RetryPolicy, Unroutable } from '../bus.ts'
import { type LetterStore, memoryLetters } from './letters.ts'
import { type LocalQueue, localQueue } from './queue.ts'

export interface InProcessOptions {
  retry?: RetryPolicy
  /** Keeps parked and dead messages. Default: in memory, which a crash loses. */
  letters?: LetterStore
  log: BusLog
}

/**
 * The bus inside one process, with the semantics of the RabbitMQ driver.
 *
 * `publish` resolves when every queue that takes a message has either handled it or put it into the letter store (parked for a later attempt, or
 * dead). It rejects when the store refuses or the bus closes first. So with a durable letter store and an outbox that forgets only what was
 * acknowledged a crash loses nothing, and a failing subscriber holds up neither other subscribers nor later messages: it costs one attempt and
 * one write. What was parked when the process ended is taken up again when its queue is declared or subscribed. A publish lasts as long as the
 * slowest handler; while a queue has no consumer it waits for one.
 * @example const bus = inProcessBus({ letters: mongoLetters(db), log })
 */
export function inProcessBus({ retry = defaultRetry, letters = memoryLetters(), log }: InProcessOptions): Bus {
  const queues = new Map<string, LocalQueue>()
  /** Settles when the queues declared so far exist. */
  let declared: Promise<unknown> = Promise.resolve()
  let closed = false

  function assertOpen(): void {
    if (closed) throw new Error('The bus is closed')
  }

  function routes({ exchange, routingKey }: Outgoing): LocalQueue[] {
    const found = [...queues.values()].filter(queue => queue.takes(exchange, routingKey))
    if (exchange === 'commands' && found.length === 0) throw new Unroutable(routingKey)
    return found
  }

  async function open(spec: QueueSpec): Promise<LocalQueue> {
    const parked = await letters.parked(spec.name)
    const openedMeanwhile = queues.get(spec.name)
    if (openedMeanwhile) return openedMeanwhile
    const queue = localQueue(spec, { retry, letters, log })
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
    async publish(messages) {
      await declared
      assertOpen()
      const taken: Promise<void>[] = []
      // All are routed before the first is handed out: a command that nobody takes refuses them all.
      for (const { queues, event } of messages.map(message => ({ queues: routes(message), event: message.event }))) {
        if (queues.length === 0) continue
        const json = JSON.stringify(event)
        for (const queue of queues) taken.push(queue.take(json))
      }
      await Promise.all(taken)
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

    deadLetters: (limit = 100) => letters.dead({ limit }),

    async replay(id, queue) {
      const dead = await letters.dead({ id, ...(queue !== undefined && { queue }) })
      for (const letter of dead) {
        const fresh = { queue: letter.queue, event: letter.event, attempts: 0, reason: letter.reason, dueAt: Date.now() }
        await letters.park(fresh)
        queues.get(letter.queue)?.resume([fresh])
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
