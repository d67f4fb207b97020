/** Small numbers for ids, each its own while it is held; a released number is used again, so that lists by number stay short. */
export interface ReusedNumbers {
  /** The id's number; a new one where it has none. */
  of(id: string): number
  /** The id's number; undefined when it has none. */
  get(id: string): number | undefined
  release(id: string): void
}

export function reusedNumbers(): ReusedNumbers {
  const numbers = new Map<string, number>()
  const free: number[] = []
  return {
    of: id => {
      const number = numbers.get(id) ?? free.pop() ?? numbers.size
      numbers.set(id, number)
      return number
    },
    get: id => numbers.get(id),
    release: id => {
      const number = numbers.get(id)
      if (number === undefined) return
      numbers.delete(id)
      free.push(number)
    },
  }
}
