import { Timestamp } from 'bson'
import type { OperationTime } from '../wire/message.ts'

/** The clock of the server's operations: seconds of the wall clock and a counter within each, which never decrease. */
export interface OperationClock {
  /** The time now, never less than one that was returned before. */
  now(): OperationTime
  /** Advances the time, so that the next operation is later than all before. */
  tick(): void
  /** A time after all that were returned before. */
  next(): Timestamp
}

export const timestampOf = ({ seconds, counter }: OperationTime): Timestamp => new Timestamp({ t: seconds, i: counter })

/** A clock whose times are all later than `newest`, the last one of the engine that ran before. */
export function operationClock(startedAt: number, newest?: Timestamp): OperationClock {
  // A second ahead, and counting from its milliseconds: no time of an engine that ran on this folder before is as late.
  let seconds = Math.floor(startedAt / 1000) + 1
  let counter = (startedAt % 1000) * 1000 + 1
  // The wall clock may have been set back.
  if (newest && newest.t >= seconds) [seconds, counter] = [newest.t + 1, 1]

  const followWallClock = () => {
    const now = Math.floor(Date.now() / 1000)
    if (now <= seconds) return
    seconds = now
    counter = 1
  }
  return {
    now: () => {
      followWallClock()
      return { seconds, counter }
    },
    tick: () => {
      counter += 1
    },
    next: () => {
      followWallClock()
      counter += 1
      return timestampOf({ seconds, counter })
    },
  }
}
