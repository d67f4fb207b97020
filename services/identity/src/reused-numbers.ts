/** Small numbers for ids, each its own while it is held; what is given back is used again, so that lists by number stay as short as they can. */
export interface ReusedNumbers {
  /** The id's number; a new one where it has none. */
  of(id: string): number
  /** The number that it has. */
  held(id: string): number | undefined
  giveBack(id: string): void
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
    held: id => numbers.get(id),
    giveBack: id => {
      const number = numbers.get(id)
      if (number === undefined) return
      numbers.delete(id)
      free.push(number)
    },
  }
}
