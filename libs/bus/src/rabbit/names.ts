import { exchanges } from '@carapace/api'
import type { Outgoing } from '../bus.ts'

/** The names of everything on the broker. A prefix separates two installations (or test runs) on one virtual host. */
export interface Names {
  exchange(kind: Outgoing['exchange']): string
  /** Both the exchange and the one queue of dead letters. */
  dead: string
  /** Held by the reader of the dead letters. */
  deadLock: string
  queue(name: string): string
  /** The name in QueueSpec of a queue on the broker. */
  plain(queue: string): string
  /** Where messages of a queue wait so many ms for their next attempt. */
  wait(name: string, ms: number): string
}

export const namesWith = (prefix: string): Names => ({
  exchange: kind => prefix + exchanges[kind],
  dead: `${prefix}carapace.dead`,
  deadLock: `${prefix}carapace.dead.lock`,
  queue: name => prefix + name,
  plain: queue => (queue.startsWith(prefix) ? queue.slice(prefix.length) : queue),
  wait: (name, ms) => `${prefix}${name}.wait.${ms}`,
})
