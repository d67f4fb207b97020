import { hostname } from 'node:os'
import { Long } from 'bson'
import type { Command, Context } from './context.ts'
import { fail } from './errors.ts'
import { compileFilter } from './match.ts'
import { okReply } from './reply.ts'
import { lsidOf } from './session.ts'
import { type Doc, isTruthy } from './values.ts'

/** Options of `currentOp` that choose whose operations are meant; there is one user. What else it carries is a filter. */
const choices = new Set(['currentOp', '$ownOps', '$all', '$truncateOps', '$db', 'lsid', '$clusterTime', '$readPreference', 'comment'])

/**
 * What the server is doing: this very command, since commands hold the only thread while they run, and each open transaction, which
 * waits for its next command.
 */
export function operations(context: Context): Doc[] {
  const { connection, body, engine, db, name, now } = context
  const own: Doc = {
    type: 'op',
    host: hostname(),
    desc: `conn${connection.id}`,
    connectionId: connection.id,
    client: connection.peer,
    ...(connection.appName === undefined ? {} : { appName: connection.appName }),
    active: true,
    currentOpTime: now.toISOString(),
    secs_running: Long.ZERO,
    microsecs_running: Long.ZERO,
    op: 'command',
    ns: `${db}.$cmd${name === 'aggregate' ? '.aggregate' : ''}`,
    command: { ...body },
    waitingForLock: false,
  }
  const waiting = [...engine.sessions.values()].flatMap(session => {
    if (session.txn?.state !== 'open') return []
    const parameters = { txnNumber: Long.fromNumber(session.txn.number), autocommit: false }
    const transaction = { parameters, startWallClockTime: new Date(session.txn.startedAt).toISOString() }
    return [{ type: 'idleSession', host: hostname(), desc: 'inactive transaction', active: false, lsid: lsidOf(session), transaction }]
  })
  return [own, ...waiting]
}

export const currentOp: Command = {
  run: context => {
    if (context.db !== 'admin') return fail(13, 'currentOp may only be run against the admin database.')
    const filter = Object.fromEntries(Object.entries(context.body).filter(([field]) => !choices.has(field)))
    return okReply({ inprog: operations(context).filter(compileFilter(filter)) })
  },
  fields: undefined,
}

/** Every write is on disk before it is answered, so there is nothing left to do. */
export const fsync: Command = {
  run: ({ body }) => {
    if (isTruthy(body.lock)) return fail(115, 'fsync with lock is not supported by this server')
    return okReply({ numFiles: 1 })
  },
  fields: new Set(['async', 'lock', 'fsyncLockAcquisitionTimeoutMillis']),
}
