import type { Slot } from './slots.ts'

/**
 * Work that follows from what is stored and that nobody waits for: telling events, then marking transactions as told. A consumer may
 * take its time (in the in-process bus a publish waits for the handlers), and the lane must not stand still meanwhile.
 */
export interface Afterwork {
  /** Starts when earlier work for the same slots is done. Never rejects: a failure ends the lane. */
  start(slots: readonly Slot[], task: () => Promise<void>): Promise<void>
  /** Pieces that are not done. */
  readonly pending: number
  /** Resolves when everything started so far is done. */
  drained(): Promise<void>
}

/** @param onDone called after each piece */
export function afterwork(onError: (error: unknown) => void, onDone: () => void): Afterwork {
  const running = new Set<Promise<void>>()
  return {
    start: (slots, task) => {
      const work = Promise.all(slots.map(slot => slot.saved))
        .then(task)
        .catch(onError)
        .finally(() => {
          running.delete(work)
          onDone()
        })
      running.add(work)
      for (const slot of slots) slot.saved = work
      return work
    },
    get pending() {
      return running.size
    },
    drained: async () => {
      await Promise.all(running)
    },
  }
}
