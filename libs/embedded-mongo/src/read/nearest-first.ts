import { type Tick, tick } from '../sessions/deadline.ts'
import { docOf, type Found } from './found.ts'
import { distanceTo, type Near } from './near.ts'

/** A document with the distance that it was chosen by, and the place in it that was measured. */
export interface Nearest {
  found: Found
  distance: number
  place: unknown
}

/** The documents that match and are within the limits, the nearest first. They are measured one by one: geo indexes have no entries. */
export function* nearestFirst(stream: Iterable<Found | Tick>, near: Near): Generator<Nearest | Tick> {
  const nearest: Nearest[] = []
  for (const found of stream) {
    if (found === tick) yield tick
    else {
      const measured = distanceTo(near, docOf(found))
      if (measured) nearest.push({ found, ...measured })
    }
  }
  yield* nearest.sort((a, b) => a.distance - b.distance)
}
