import { outOfTime } from '../values/errors.ts'

/** In a stream: "still searching". The consumer can check its deadline and yield to other clients. */
export const tick = Symbol('tick')
export type Tick = typeof tick

/** Throws 50 MaxTimeMSExpired once the deadline (milliseconds since the epoch) has passed. */
export function checkDeadline(deadline: number): void {
  if (Date.now() > deadline) throw outOfTime()
}
