import type { CloudEvent } from '@carapace/api'
import type { DeadLetter } from '../bus.ts'

/** A message that waits for its next attempt. */
export interface ParkedLetter {
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
 * Where the in-process bus keeps what a handler failed on. It must be durable wherever the publisher forgets what was acknowledged:
 * the embedded start backs it with a collection. At most one letter per queue and event id, parked or dead.
 */
export interface LetterStore {
  /** Inserts or replaces. A rejection makes the publish reject, so that the publisher keeps the message. */
  park(letter: ParkedLetter): Promise<void>
  /** Inserts or replaces. */
  bury(letter: DeadLetter): Promise<void>
  remove(queue: string, id: string): Promise<void>
  parked(queue: string): Promise<ParkedLetter[]>
  /** Oldest first. */
  dead(query: { id?: string; queue?: string; limit?: number }): Promise<DeadLetter[]>
}

/** Keeps letters for the life of the process. */
export function memoryLetters(): LetterStore {
  const parked = new Map<string, ParkedLetter>()
  const dead = new Map<string, DeadLetter>()
  const keyOf = (queue: string, id: string) => `${queue} ${id}`
  const remove = (key: string) => {
    parked.delete(key)
    dead.delete(key)
  }
  return {
    async park(letter) {
      const key = keyOf(letter.queue, letter.event.id)
      remove(key)
      parked.set(key, letter)
    },
    async bury(letter) {
      const key = keyOf(letter.queue, letter.id)
      remove(key)
      dead.set(key, letter)
    },
    async remove(queue, id) {
      remove(keyOf(queue, id))
    },
    async parked(queue) {
      return [...parked.values()].filter(letter => letter.queue === queue)
    },
    async dead({ id, queue, limit = Number.POSITIVE_INFINITY }) {
      const wanted = (letter: DeadLetter) => (id === undefined || letter.id === id) && (queue === undefined || letter.queue === queue)
      return [...dead.values()].filter(wanted).slice(0, limit)
    },
  }
}
