/** Runs work on the same key one after another, in the order in which it came, and work on different keys concurrently. */
export interface PerKeyQueue {
  /** Resolves or rejects as `work` does. Work on a key must not wait for other work on that key. */
  serialize<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Runs work immediately, without a place in the line; it counts as waiting until it ends. */
  count<T>(key: string, work: () => Promise<T>): Promise<T>
  /** How much work on this key has not ended yet, in this process. */
  waiting(key: string): number
}

/**
 * Transactions on one aggregate write the same documents: concurrent ones abort each other and start again, n² attempts for n calls. One after
 * another each passes at its first attempt. It is for speed only: other replicas know nothing of it, so the transactions stay as they are.
 * @example const queue = perKeyQueue(); await queue.serialize(agentId, () => transact(parts, work))
 */
export function perKeyQueue(): PerKeyQueue {
  const last = new Map<string, Promise<unknown>>()
  const open = new Map<string, number>()
  const waiting = (key: string): number => open.get(key) ?? 0
  const leave = (key: string) => {
    if (waiting(key) > 1) open.set(key, waiting(key) - 1)
    else for (const each of [open, last]) each.delete(key)
  }
  const count = <T>(key: string, work: Promise<T>): Promise<T> => {
    open.set(key, waiting(key) + 1)
    return work.finally(() => leave(key))
  }
  return {
    serialize: (key, work) => {
      const result = count(key, (last.get(key) ?? Promise.resolve()).then(work))
      last.set(
        key,
        result.catch(() => undefined),
      )
      return result
    },
    count: (key, work) => count(key, Promise.resolve().then(work)),
    waiting,
  }
}
