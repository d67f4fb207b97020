/** Ids without an agent, remembered so briefly that nobody waits for a registration, and long enough that guessing costs identity little. */
export interface UnknownIds {
  has(id: string): boolean
  add(id: string): void
  forget(id: string): void
}

const rememberedMs = 1_000
const mostIds = 10_000

export function unknownIds(now: () => number = () => performance.now()): UnknownIds {
  const until = new Map<string, number>()
  return {
    has: id => (until.get(id) ?? 0) > now(),
    add: id => {
      if (until.size >= mostIds) until.delete(until.keys().next().value!)
      until.set(id, now() + rememberedMs)
    },
    forget: id => void until.delete(id),
  }
}
