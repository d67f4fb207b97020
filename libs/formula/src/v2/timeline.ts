import { dayMs } from '../facts.ts'

/** Order of facts that no order of arrival changes: their time, and what they say where that is the same. */
export function compare(a: { at: Date }, b: { at: Date }): number {
  const byTime = a.at.getTime() - b.at.getTime()
  if (byTime !== 0) return byTime
  const [left, right] = [textOf(a), textOf(b)]
  if (left === right) return 0
  return left < right ? -1 : 1
}

const textOf = (fact: object): string => JSON.stringify(Object.entries(fact).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Inserts in order; what is newest, as most are, costs nothing more. */
export function insert<T>(list: T[], item: T, order: (a: T, b: T) => number): void {
  let [low, high] = [0, list.length]
  if (high === 0 || order(list[high - 1]!, item) <= 0) low = high
  while (low < high) {
    const middle = (low + high) >> 1
    if (order(list[middle]!, item) <= 0) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, item)
}

const earlier = (a: number, b: number): number => a - b
export const insertTime = (times: number[], at: Date): void => insert(times, at.getTime(), earlier)

/** How many of the ordered moments are less than so many whole days ago. */
export function countWithin(times: readonly number[], now: Date, days: number): number {
  const after = now.getTime() - days * dayMs
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! <= after) low = middle + 1
    else high = middle
  }
  return times.length - low
}
