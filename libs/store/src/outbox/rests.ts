/** Documents whose events match no queue. They rest for longer and longer, so that other documents are not delayed. */
export interface Rests {
  /** Its events matched no queue (again). @returns when they may be sent again, ms, wall clock */
  begin(collection: string, id: string): number
  /** Its events were sent. */
  end(collection: string, id: string): void
  /** Ids in the collection that are excluded from sweeps now. */
  of(collection: string): string[]
  /** When the first of them may be sent again, ms, wall clock; undefined: there is none. */
  nextEnd(collection: string): number | undefined
}

interface Rest {
  times: number
  /** Epoch ms, wall clock. */
  until: number
}

/** @param firstMs the first rest; each further one is twice as long, up to 30 times the first */
export function outboxRests(firstMs: number): Rests {
  const rests = new Map<string, Map<string, Rest>>()
  const open = (collection: string) => [...(rests.get(collection) ?? [])].filter(([, { until }]) => until > Date.now())
  return {
    begin: (collection, id) => {
      const resting = rests.get(collection) ?? new Map<string, Rest>()
      const times = (resting.get(id)?.times ?? 0) + 1
      const until = Date.now() + firstMs * Math.min(2 ** (times - 1), 30)
      resting.set(id, { times, until })
      rests.set(collection, resting)
      return until
    },
    end: (collection, id) => rests.get(collection)?.delete(id),
    of: collection => open(collection).map(([id]) => id),
    nextEnd: collection => open(collection).reduce<number | undefined>((first, [, { until }]) => Math.min(first ?? until, until), undefined),
  }
}
