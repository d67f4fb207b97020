/** Things that one user at a time has. */
export interface Pool<Item> {
  /** Waits for a free one, in the order of calls, and has it until `work` ends. */
  use<Result>(work: (item: Item) => Promise<Result>): Promise<Result>
}

export function pool<Item>(items: readonly Item[]): Pool<Item> {
  const free = [...items]
  const waiting: ((item: Item) => void)[] = []
  const acquire = () => free.shift() ?? new Promise<Item>(resolve => waiting.push(resolve))
  return {
    use: async work => {
      const item = await acquire()
      try {
        return await work(item)
      } finally {
        const next = waiting.shift()
        if (next) next(item)
        else free.push(item)
      }
    },
  }
}
