import type { Timestamp } from 'bson'
import { fail } from '../values/errors.ts'
import { type Doc, isDoc } from '../values/values.ts'

/** Sorts after everything of its time. */
const endPart = 0xffff_ffff
const pattern = /^82[0-9A-F]{24}0[0-2]$/

/** Where a change stream is: tokens compare as their places in the log do. */
export type ResumeToken = string

/** The token of a change, or of the `invalidate` event that follows it. */
export function tokenAt(time: Timestamp, part: number, isInvalidate = false): ResumeToken {
  return tokenOf(time, part, isInvalidate ? 2 : 1)
}

/** The token of a stream that has seen nothing of this time. */
export function tokenBefore(time: Timestamp): ResumeToken {
  return tokenOf(time, 0, 0)
}

/** The token of a stream that has seen everything of this time. */
export function tokenAfter(time: Timestamp): ResumeToken {
  return tokenAt(time, endPart)
}

export function isInvalidateToken(token: ResumeToken): boolean {
  return token.endsWith('2')
}

export function tokenDoc(token: ResumeToken): Doc {
  return { _data: token }
}

/** Reads `resumeAfter` or `startAfter`. Throws 260 for what no event of this server carries. */
export function parseToken(value: unknown, option: string): ResumeToken {
  if (!isDoc(value)) return fail(14, `BSON field '$changeStream.${option}' is the wrong type, expected type 'object'`)
  const { _data: data } = value
  if (typeof data !== 'string') return fail(40414, `BSON field '$changeStream.${option}._data' is missing but a required field`)
  return pattern.test(data) ? data : fail(260, `Attempting to resume a change stream using '${option}' with an invalid resume token`)
}

function tokenOf(time: Timestamp, part: number, order: 0 | 1 | 2): ResumeToken {
  const numbers = [time.t, time.i, part]
  return `82${numbers
    .map(number => number.toString(16).padStart(8, '0'))
    .join('')
    .toUpperCase()}0${order}`
}
