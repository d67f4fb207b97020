import { Timestamp } from 'bson'
import type { OperationTime } from '../wire/message.ts'

/** The clock of the server's operations: seconds of the wall clock and a counter within each, which only ever go forward. */
export interface OperationClock {
  /** The time now, never less than one that was given out. */
  now(): OperationTime
  /** Lets the time go on, so that what comes is later than what was. */
  tick(): void
  /** A time behind all that were given out. */
  next(): Timestamp
}

export const timestampOf = ({ seconds, counter }: OperationTime): Timestamp => new Timestamp({ t: seconds, i: counter })

export function operationClock(startedAt: number): OperationClock {
  // A second ahead, and counting from its milliseconds: no time of an engine that ran on this folder before is as late.
  let seconds = Math.floor(startedAt / 1000) + 1
  let counter = (startedAt % 1000) * 1000 + 1

  const turn = () => {
    const now = Math.floor(Date.now() / 1000)
    if (now <= seconds) return
    seconds = now
    counter = 1
  }
  return {
    now: () => {
      turn()
      return { seconds, counter }
    },
    tick: () => {
      counter += 1
    },
    next: () => {
      turn()
      counter += 1
      return timestampOf({ seconds, counter })
    },
  }
}
