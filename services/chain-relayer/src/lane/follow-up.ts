import type { Slot } from './slots.ts'

/**
 * Work that follows from what is stored and that nobody waits for: publishing events, then marking transactions as published. A consumer may
 * be slow (in the in-process bus a publish waits for the handlers), and the lane must not pause meanwhile.
 */
export interface FollowUp {
  /**
   * Starts when earlier work for the same slots is done. Never rejects: a failure ends the lane, and no further piece starts, so that
   * nothing is published or marked whose predecessor is missing.
   */
  start(slots: readonly Slot[], task: () => Promise<void>): Promise<void>
  /** Pieces that are not done. */
  readonly pending: number
  /** Resolves when everything started so far is done. @throws Error when a piece failed */
  drained(): Promise<void>
}

/** @param onDone called after each piece */
export function followUp(onError: (error: unknown) => void, onDone: () => void): FollowUp {
  const running = new Set<Promise<void>>()
  let failed = false
  return {
    start: (slots, task) => {
      const work = Promise.all(slots.map(slot => slot.saved))
        .then(() => (failed ? undefined : task()))
        .catch(error => {
          failed = true
          onError(error)
        })
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
      if (failed) throw new Error('work of this lane was not finished')
    },
  }
}
