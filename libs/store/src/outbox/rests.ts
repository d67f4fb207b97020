/** Documents whose events match no queue. They rest for longer and longer, so that other documents are not delayed. */
export interface Rests {
  /** Its events matched no queue (again). */
  begin(collection: string, id: string): void
  /** Its events were sent. */
  end(collection: string, id: string): void
  /** Ids in the collection that are excluded from sweeps now. */
  of(collection: string): string[]
}

interface Rest {
  times: number
  /** Epoch ms, wall clock. */
  until: number
}

/** @param firstMs the first rest; each further one is twice as long, up to 30 times the first */
export function outboxRests(firstMs: number): Rests {
  const rests = new Map<string, Map<string, Rest>>()
  return {
    begin: (collection, id) => {
      const resting = rests.get(collection) ?? new Map<string, Rest>()
      const times = (resting.get(id)?.times ?? 0) + 1
      resting.set(id, { times, until: Date.now() + firstMs * Math.min(2 ** (times - 1), 30) })
      rests.set(collection, resting)
    },
    end: (collection, id) => rests.get(collection)?.delete(id),
    of: collection => [...(rests.get(collection) ?? [])].filter(([, { until }]) => until > Date.now()).map(([id]) => id),
  }
}
