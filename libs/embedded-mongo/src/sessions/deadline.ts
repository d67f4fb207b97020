import { type MongoError, outOfTime } from '../values/errors.ts'

/** In a stream: "still searching". The consumer can check its deadline and yield to other clients. */
export const tick = Symbol('tick')
export type Tick = typeof tick

/** Throws 50 MaxTimeMSExpired once the deadline (milliseconds since the epoch) has passed. */
export function checkDeadline(deadline: number): void {
  if (Date.now() > deadline) throw outOfTime()
}

/** A match of a regular expression ends by its own limit only; where the time of the command was over by then, that is what the client gets. */
export const orOutOfTime = (error: MongoError, deadline: number): MongoError => (error.code === 51156 && Date.now() > deadline ? outOfTime() : error)
