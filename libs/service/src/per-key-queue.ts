/** Runs work on the same key one after another, in the order in which it came, and work on different keys concurrently. */
export interface PerKeyQueue {
  /** Resolves or rejects as `work` does. Work on a key must not wait for other work on that key. */
  serialize<T>(key: string, work: () => Promise<T>): Promise<T>
}

/**
 * Transactions on one aggregate write the same documents: concurrent ones abort each other and start again, n² attempts for n calls. One after
 * another each passes at its first attempt. It is for speed only: other replicas know nothing of it, so the transactions stay as they are.
 * @example const queue = perKeyQueue(); await queue.serialize(agentId, () => transact(parts, work))
 */
export function perKeyQueue(): PerKeyQueue {
  const last = new Map<string, Promise<unknown>>()
  return {
    serialize: (key, work) => {
      const result = (last.get(key) ?? Promise.resolve()).then(work)
      const ended = result.then(
        () => undefined,
        () => undefined,
      )
      last.set(key, ended)
      void ended.then(() => {
        if (last.get(key) === ended) last.delete(key)
      })
      return result
    },
  }
}
