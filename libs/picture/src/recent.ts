/** A map of at most `most` entries; what was not read for the longest time goes first. */
export function recent<Value>(most: number): {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
} {
  const entries = new Map<string, Value>()
  return {
    get: key => {
      const value = entries.get(key)
      if (value !== undefined) {
        entries.delete(key)
        entries.set(key, value)
      }
      return value
    },
    set: (key, value) => {
      entries.set(key, value)
      if (entries.size > most) entries.delete(entries.keys().next().value!)
    },
    delete: key => {
      entries.delete(key)
    },
  }
}
