import type { Slot } from './slots.ts'

/**
 * Work that follows from what is stored and that nobody waits for: telling events, then marking transactions as told. A consumer may
 * take its time (in the in-process bus a publish waits for the handlers), and the lane must not stand still meanwhile.
 */
export interface Afterwork {
  /** Starts when earlier work for the same slots is done. */
  start(slots: readonly Slot[], task: () => Promise<void>): void
  /** Resolves when everything started so far is done. */
  drained(): Promise<void>
}

export function afterwork(onError: (error: unknown) => void): Afterwork {
  const running = new Set<Promise<void>>()
  return {
    start: (slots, task) => {
      const work = Promise.all(slots.map(slot => slot.saved))
        .then(task)
        .catch(onError)
        .finally(() => running.delete(work))
      running.add(work)
      for (const slot of slots) slot.saved = work
    },
    drained: async () => {
      await Promise.all(running)
    },
  }
}
