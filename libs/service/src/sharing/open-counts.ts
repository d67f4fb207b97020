/** What is open under each key, in this process. */
export interface OpenCounts {
  of(key: string): number
  /** Of all keys. */
  total(): number
  /** Counts one more until what it returns is called. */
  enter(key: string): () => void
}

/** @example const leave = streams.enter(agentId) */
export function openCounts(): OpenCounts {
  const open = new Map<string, number>()
  let total = 0
  const add = (key: string, by: 1 | -1) => {
    total += by
    const now = (open.get(key) ?? 0) + by
    if (now > 0) open.set(key, now)
    else open.delete(key)
  }
  return {
    of: key => open.get(key) ?? 0,
    total: () => total,
    enter: key => {
      add(key, 1)
      let isOpen = true
      return () => {
        if (isOpen) add(key, -1)
        isOpen = false
      }
    },
  }
}
