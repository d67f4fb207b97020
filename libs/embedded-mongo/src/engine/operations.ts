import { hostname } from 'node:os'
import { Long } from 'bson'
import { lsidOf } from '../sessions/session.ts'
import type { Doc } from '../values/values.ts'
import type { Context } from './context.ts'

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
