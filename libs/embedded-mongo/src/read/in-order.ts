import { type Tick, tick } from '../sessions/deadline.ts'

/** So many are sorted, or merged, in one piece: about a millisecond. */
const pieceLength = 1_000

/** Sorts by merging, so that others can work in between: half a million in one piece would need a second. Items must not be equal. */
export function* inOrder<T>(items: T[], order: (a: T, b: T) => number): Generator<Tick, T[]> {
  if (items.length <= pieceLength) return items.sort(order)
  const half = items.length >> 1
  const first = yield* inOrder(items.slice(0, half), order)
  const second = yield* inOrder(items.slice(half), order)
  const merged: T[] = []
  for (let i = 0, j = 0; merged.length < items.length; ) {
    const isFirst = j === second.length || (i < first.length && order(first[i]!, second[j]!) < 0)
    merged.push(isFirst ? first[i++]! : second[j++]!)
    if (merged.length % pieceLength === 0) yield tick
  }
  return merged
}
