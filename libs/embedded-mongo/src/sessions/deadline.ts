import { outOfTime } from '../values/errors.ts'

/** Stands in a stream for "still looking": lets the consumer keep to its deadline and give other clients a turn. */
export const tick = Symbol('tick')
export type Tick = typeof tick

/** Throws 50 MaxTimeMSExpired once the deadline (milliseconds since the epoch) has passed. */
export function checkDeadline(deadline: number): void {
  if (Date.now() > deadline) throw outOfTime()
}
