import { Timestamp } from 'bson'
import { fail, MongoError } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import type { ChangeLog } from './change-log.ts'
import { isInvalidateToken, parseToken, type ResumeToken, tokenAfter, tokenAt, tokenBefore } from './resume-token.ts'

/** The position of a stream: the change that it returns next, and the token of the position before. */
interface StreamPlace {
  next: number
  token: ResumeToken
}

/**
 * Where a stream with these options of `$changeStream` begins.
 * @throws MongoError 286 when that is no longer in the log, 260 after the end of a stream, 14 or 40674 for invalid options
 */
export function startOf({ resumeAfter, startAfter, startAtOperationTime }: Doc, log: ChangeLog): StreamPlace {
  if ([resumeAfter, startAfter, startAtOperationTime].filter(value => value !== undefined).length > 1)
    fail(40674, "Only one of 'resumeAfter', 'startAfter' and 'startAtOperationTime' may be given to $changeStream")
  if (startAtOperationTime !== undefined) {
    if (!(startAtOperationTime instanceof Timestamp))
      return fail(14, "BSON field '$changeStream.startAtOperationTime' is the wrong type, expected type 'timestamp'")
    return placeOf(log, tokenBefore(startAtOperationTime))
  }
  if (resumeAfter === undefined && startAfter === undefined) return { next: log.end(), token: tokenAfter(log.newest()) }
  const token = parseToken(resumeAfter ?? startAfter, resumeAfter === undefined ? 'startAfter' : 'resumeAfter')
  if (resumeAfter !== undefined && isInvalidateToken(token))
    fail(260, "Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate notification")
  return placeOf(log, token)
}

function placeOf(log: ChangeLog, token: ResumeToken): StreamPlace {
  if (token <= tokenAfter(log.forgottenUntil())) failForgotten()
  return { next: firstAfter(log, token), token }
}

function firstAfter(log: ChangeLog, token: ResumeToken): number {
  let [low, high] = [log.first(), log.end()]
  while (low < high) {
    const middle = (low + high) >> 1
    const { time, part } = log.get(middle)!
    if (tokenAt(time, part) <= token) low = middle + 1
    else high = middle
  }
  return low
}

/** Only what has been written since the first stream was opened is there, and of that the newest part. */
export function failForgotten(): never {
  throw new MongoError(286, 'Resume of change stream was not possible, as the resume point may no longer be in the oplog.', {}, [
    'NonResumableChangeStreamError',
  ])
}
