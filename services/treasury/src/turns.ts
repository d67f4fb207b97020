/** Lets work on the same key wait for its turn within this process. */
export interface Turns {
  take<T>(key: string, work: () => Promise<T>): Promise<T>
}

/**
 * Transactions on one agent's money all write its budget and its accounts: those that meet abort each other and start anew. In turns each
 * passes at the first try. It is for speed only: other replicas know nothing of these turns, and the transactions stay as they are.
 */
export function turns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    take: (key, work) => {
      const mine = (last.get(key) ?? Promise.resolve()).then(work)
      const over = mine.then(
        () => undefined,
        () => undefined,
      )
      last.set(key, over)
      void over.then(() => {
        if (last.get(key) === over) last.delete(key)
      })
      return mine
    },
  }
}
