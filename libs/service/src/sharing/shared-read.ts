/**
 * Lets concurrent callers share reads of the same thing. A caller never gets a read that began before its call, so that it sees what was written by
 * then; those who come while a read is under way share the next one. What is returned belongs to several callers: it must not be changed.
 * @example const bondNow = sharedRead((agentId: string) => bonds.need(agentId))
 */
export function sharedRead<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const reads = new Map<string, { current: Promise<T>; next?: Promise<T> }>()
  const begin = (id: string): Promise<T> => {
    const current = read(id)
    const entry: { current: Promise<T>; next?: Promise<T> } = { current }
    reads.set(id, entry)
    const forget = () => {
      if (entry.next === undefined) reads.delete(id)
    }
    current.then(forget, forget)
    return current
  }
  return id => {
    const entry = reads.get(id)
    if (!entry) return begin(id)
    const again = () => begin(id)
    entry.next ??= entry.current.then(again, again)
    return entry.next
  }
}
