import type { Command, Context } from '../engine/context.ts'
import { abortTxn, type Engine } from '../engine/engine.ts'
import { lsidOf, remember, type Session, sessionId } from '../sessions/session.ts'
import { endTxn, type Txn } from '../storage/txn.ts'
import { fail } from '../values/errors.ts'
import { asInteger, isDoc } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { applyChanges } from '../write/commit.ts'
import { noteCreation } from '../write/run.ts'

export const commitTransaction: Command = {
  run: async context => {
    const { txn, session } = context
    requireAdmin(context)
    // Committed before: the client repeats the command because it did not receive the answer.
    if (!txn) return okReply()
    await commit(context.engine, session!, txn)
    return okReply()
  },
  fields: new Set(['recoveryToken']),
  inTransaction: true,
}

export const abortTransaction: Command = {
  run: context => {
    requireAdmin(context)
    abortTxn(context.engine, context.txn!)
    return okReply()
  },
  fields: new Set(['recoveryToken']),
  inTransaction: true,
}

export const endSessions: Command = { run: context => endEach(context, 'endSessions'), fields: new Set([]) }
export const killSessions: Command = { run: context => endEach(context, 'killSessions'), fields: new Set([]) }

/** Ends every session's transaction and cursors: what the drivers' tests begin with. */
export const killAllSessions: Command = {
  run: ({ engine }) => {
    for (const session of engine.sessions.values()) end(engine, session)
    return okReply()
  },
  fields: undefined,
}

export const refreshSessions: Command = {
  run: ({ engine, body, now }) => {
    if (Array.isArray(body.refreshSessions)) {
      for (const lsid of body.refreshSessions) {
        const session = engine.sessions.get(sessionId(lsid))
        if (session) session.usedAt = now.getTime()
      }
    }
    return okReply()
  },
  fields: new Set([]),
}

/** Everything that the transaction has changed becomes one commit of the store, or nothing of it. */
async function commit(engine: Engine, session: Session, txn: Txn): Promise<void> {
  const changes = [...txn.changes.values()].flatMap(byKey => [...byKey.values()])
  txn.state = 'committing'
  try {
    if (changes.length > 0 || txn.created.size > 0) {
      await engine.storage.write(() => {
        for (const collection of txn.created) noteCreation(engine, collection)
        applyChanges({ ...engine, txn }, changes, { lsid: lsidOf(session), number: txn.number })
        for (const collection of new Set([...txn.created, ...txn.flagged])) engine.catalog.save(collection)
        remember(engine.storage, session, txn.number, Date.now(), 'committed')
      })
    }
  } catch (error) {
    txn.state = 'open'
    abortTxn(engine, txn)
    throw error
  }
  for (const collection of txn.created) collection.owner = undefined
  endTxn(txn, engine.locks, engine.catalog, 'committed')
  for (const cursor of engine.cursors.values()) if (cursor.txn === txn) engine.cursors.delete(cursor.id)
  session.isCommitted = true
}

function endEach({ engine, body }: Context, field: string): Buffer {
  const ids = body[field]
  if (!Array.isArray(ids)) return fail(14, `BSON field '${field}' is the wrong type, expected type 'array'`)
  for (const lsid of ids) {
    const session = isDoc(lsid) ? engine.sessions.get(sessionId(lsid)) : undefined
    if (session) end(engine, session)
  }
  return okReply()
}

function end(engine: Engine, session: Session): void {
  if (session.txn) abortTxn(engine, session.txn)
  for (const cursor of engine.cursors.values()) {
    if (cursor.sessionId !== session.id || cursor.isBusy) continue
    engine.cursors.delete(cursor.id)
    void cursor.stream.return?.()
  }
}

function requireAdmin({ db, name, body }: Context): void {
  if (db !== 'admin') fail(13, `${name} may only be run against the admin database.`)
  if (asInteger(body[name]) !== 1) fail(9, `${name} must have the value 1`)
  if (body.autocommit !== false) fail(125, `${name} must be run within a transaction`)
}
