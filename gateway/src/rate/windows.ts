import { type ClientRateLimitInfo, MemoryStore, type Options } from 'express-rate-limit'

/** One counted request. */
export interface Hit extends ClientRateLimitInfo {
  resetTime: Date
  /** Counts it no longer, in the window where it was counted; never throws. Called once at most. */
  release(): Promise<void>
}

/** Counts the requests of each client, window by window. */
export interface Windows {
  init(options: Pick<Options, 'windowMs'>): void
  increment(key: string): Promise<Hit>
  shutdown(): void
}

/** Counts in this process; a window begins with the first request of its client. */
export function memoryWindows(): Windows {
  const store = new MemoryStore()
  return {
    // of the options this store needs nothing else
    init: ({ windowMs }) => store.init({ windowMs } as Options),
    increment: async key => {
      const { totalHits, resetTime } = await store.increment(key)
      // the store writes the end of the next window into the same date
      const end = resetTime!.getTime()
      const release = async () => {
        if ((await store.get(key))?.resetTime?.getTime() === end) await store.decrement(key)
      }
      return { totalHits, resetTime: new Date(end), release }
    },
    shutdown: () => store.shutdown(),
  }
}
