import type { Cursor } from '../sessions/cursors.ts'
import { fail, MongoError, outOfTime } from '../values/errors.ts'
import { asNumber, type Doc, isDoc, isNumeric, isTruthy } from '../values/values.ts'
import type { Context } from './context.ts'

/**
 * The drivers' tests make chosen commands fail with this: `failCommand`, `onPrimaryTransactionalWrite` for retryable writes,
 * `failGetMoreAfterCursorCheckout` for cursors, and `maxTimeAlwaysTimeOut` for every operation with a time limit.
 */
export interface FailPoint {
  name: string
  /** How many more commands it lets pass, and then how many it hits. */
  skip: number
  times: number
  data: Doc
}

/** What happens to a command in addition to its execution or instead of it. */
export interface Failure {
  error: MongoError | undefined
  /** Labels that the test wants, in the place of those that the server would give. */
  labels: string[] | undefined
  writeConcernError: Doc | undefined
  closesConnection: boolean
  blockMs: number
}

const noFailure: Failure = { error: undefined, labels: undefined, writeConcernError: undefined, closesConnection: false, blockMs: 0 }

const points = new Set(['failCommand', 'failGetMoreAfterCursorCheckout', 'onPrimaryTransactionalWrite', 'maxTimeAlwaysTimeOut'])

export function configureFailPoint(failPoints: FailPoint[], name: string, mode: unknown, data: unknown): void {
  if (!points.has(name)) fail(2, `unknown failpoint '${name}'`)
  const others = failPoints.filter(point => point.name !== name)
  failPoints.splice(0, failPoints.length, ...others)
  if (mode === 'off') return
  const skip = isDoc(mode) && isNumeric(mode.skip) ? asNumber(mode.skip) : 0
  const times = isDoc(mode) && isNumeric(mode.times) ? asNumber(mode.times) : Number.POSITIVE_INFINITY
  failPoints.push({ name, skip, times, data: isDoc(data) ? data : {} })
}

/** The failure that is set for this command, if any; it counts as used. */
export function nextFailure(failPoints: FailPoint[], context: Pick<Context, 'name' | 'connection' | 'body' | 'db'>): Failure | undefined {
  const point = failPoints.find(candidate => applies(candidate, context))
  if (!point || !fires(failPoints, point)) return undefined
  const { data } = point
  if (point.name === 'maxTimeAlwaysTimeOut') return { ...noFailure, error: outOfTime() }
  const labels = Array.isArray(data.errorLabels) ? data.errorLabels.map(String) : undefined
  const code = isNumeric(data.errorCode) ? asNumber(data.errorCode) : undefined
  return {
    error:
      code === undefined
        ? undefined
        : new MongoError(code, "Failing command via 'failCommand' failpoint", isDoc(data.errorExtraInfo) ? data.errorExtraInfo : {}),
    labels,
    writeConcernError: isDoc(data.writeConcernError) ? data.writeConcernError : undefined,
    closesConnection: isTruthy(data.closeConnection),
    blockMs: isTruthy(data.blockConnection) && isNumeric(data.blockTimeMS) ? asNumber(data.blockTimeMS) : 0,
  }
}

/** The error that is set for a `getMore` which has found its cursor. */
export function nextCursorFailure(failPoints: FailPoint[], { deadline }: Pick<Cursor, 'deadline'>): MongoError | undefined {
  const timeOut = failPoints.find(({ name }) => name === 'maxTimeAlwaysTimeOut')
  if (timeOut && Number.isFinite(deadline) && fires(failPoints, timeOut)) return outOfTime()
  const point = failPoints.find(({ name }) => name === 'failGetMoreAfterCursorCheckout')
  if (!point || !fires(failPoints, point)) return undefined
  const { errorCode } = point.data
  return new MongoError(isNumeric(errorCode) ? asNumber(errorCode) : 8, "Failing command via 'failGetMoreAfterCursorCheckout' failpoint")
}

/**
 * What happens to a retryable write of that many statements: nothing, or the connection is cut after it, or it fails before it
 * has written anything. Each statement counts once.
 */
export function nextWriteFailure(failPoints: FailPoint[], statements: number): 'before' | 'after' | undefined {
  let found: 'before' | 'after' | undefined
  for (let i = 0; i < statements; i++) {
    const point = failPoints.find(({ name }) => name === 'onPrimaryTransactionalWrite')
    if (!point || !fires(failPoints, point)) continue
    if (point.data.failBeforeCommitExceptionCode !== undefined) return 'before'
    found = 'after'
  }
  return found
}

function fires(failPoints: FailPoint[], point: FailPoint): boolean {
  if (point.skip > 0) {
    point.skip -= 1
    return false
  }
  point.times -= 1
  if (point.times <= 0) failPoints.splice(failPoints.indexOf(point), 1)
  return true
}

function applies(
  { name: kind, data, times }: FailPoint,
  { name, connection, body, db }: Pick<Context, 'name' | 'connection' | 'body' | 'db'>,
): boolean {
  if (kind === 'maxTimeAlwaysTimeOut') return times > 0 && isNumeric(body.maxTimeMS) && asNumber(body.maxTimeMS) > 0
  if (kind !== 'failCommand' || times <= 0 || !Array.isArray(data.failCommands)) return false
  // A command goes by several names that differ in their case, such as "ismaster".
  if (!data.failCommands.some(command => String(command).toLowerCase() === name.toLowerCase())) return false
  if (typeof data.appName === 'string' && data.appName !== (connection.appName ?? appNameIn(body))) return false
  return typeof data.namespace !== 'string' || data.namespace === `${db}.${String(body[name])}`
}

/** The name that a client gives itself in the first command of a connection. */
export function appNameIn({ client }: Doc): string | undefined {
  const application = isDoc(client) && isDoc(client.application) ? client.application.name : undefined
  return typeof application === 'string' ? application : undefined
}
