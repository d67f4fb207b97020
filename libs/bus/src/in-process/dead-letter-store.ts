import type { CloudEvent } from '@carapace/api'
import type { DeadLetter } from '../bus.ts'

/** A message that waits for its next attempt. */
export interface ParkedMessage {
  queue: string
  event: CloudEvent
  /** Attempts made so far. */
  attempts: number
  /** The last error's message. */
  reason: string
  /** Epoch milliseconds, wall clock. */
  dueAt: number
}

/**
 * Where the in-process bus saves messages whose handler failed. It must be durable where the publisher deletes what was acknowledged:
 * the embedded start backs it with a collection. At most one message per queue and event id, parked or dead.
 */
export interface DeadLetterStore {
  /** Inserts or replaces. A rejection makes the publish reject, so that the publisher retries the message. */
  park(message: ParkedMessage): Promise<void>
  /** Inserts or replaces. */
  bury(deadLetter: DeadLetter): Promise<void>
  remove(queue: string, id: string): Promise<void>
  parked(queue: string): Promise<ParkedMessage[]>
  /** Oldest first. */
  dead(query: { id?: string; queue?: string; limit?: number }): Promise<DeadLetter[]>
}

/** A store in memory: it ends with the process. */
export function memoryDeadLetters(): DeadLetterStore {
  const parked = new Map<string, ParkedMessage>()
  const dead = new Map<string, DeadLetter>()
  const keyOf = (queue: string, id: string) => `${queue} ${id}`
  const remove = (key: string) => {
    parked.delete(key)
    dead.delete(key)
  }
  return {
    async park(message) {
      const key = keyOf(message.queue, message.event.id)
      remove(key)
      parked.set(key, message)
    },
    async bury(deadLetter) {
      const key = keyOf(deadLetter.queue, deadLetter.id)
      remove(key)
      dead.set(key, deadLetter)
    },
    async remove(queue, id) {
      remove(keyOf(queue, id))
    },
    async parked(queue) {
      return [...parked.values()].filter(message => message.queue === queue)
    },
    async dead({ id, queue, limit = Number.POSITIVE_INFINITY }) {
      const wanted = (deadLetter: DeadLetter) => (id === undefined || deadLetter.id === id) && (queue === undefined || deadLetter.queue === queue)
      return [...dead.values()].filter(wanted).slice(0, limit)
    },
  }
}
