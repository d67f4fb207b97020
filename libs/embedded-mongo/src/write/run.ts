import type { ChangeKind } from '../change-streams/change-log.ts'
import { checkWriteConcern } from '../engine/concerns.ts'
import type { Context } from '../engine/context.ts'
import { requireCollection } from '../engine/views.ts'
import { remember } from '../sessions/session.ts'
import type { Collection } from '../storage/catalog.ts'
import { idIndexSpec } from '../storage/index-spec.ts'
import { Blocked, type Txn } from '../storage/txn.ts'
import { fail, failConflict, outOfTime } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { Pause } from './pause.ts'
import type { Writer } from './write.ts'

/** The progress of a write of many statements: it may pause for a transaction's lock, or resume after a restart. */
export interface Progress {
  toDoc(): Doc
  /** Whether anything has been stored. */
  hasWritten(): boolean
}

/**
 * Runs a write to the end: immediately into the transaction's overlay, or as one commit with its retry record. `step` is called again
 * when the transaction lock that blocked it is free, or when others have worked after a `Pause`; it must continue where it stopped. Resolves when the write is on disk.
 */
export async function runWrite(context: Context, step: (writer: Writer) => Buffer, progress?: Progress): Promise<Buffer> {
  checkWriteConcern(context)
  const { engine, txn, session, retryNumber, now } = context
  if (txn) return runInTransaction({ ...engine, txn }, txn, step)
  for (;;) {
    try {
      const reply = await engine.storage.write(() => {
        try {
          const done = step(engine)
          if (session && retryNumber !== undefined && progress?.hasWritten() !== false)
            remember(engine.storage, session, retryNumber, now.getTime(), { reply: done })
          return done
        } catch (error) {
          if ((error instanceof Blocked || error instanceof Pause) && session && retryNumber !== undefined && progress?.hasWritten())
            remember(engine.storage, session, retryNumber, now.getTime(), { progress: progress.toDoc() })
          throw error
        }
      })
      if (session && retryNumber !== undefined && session.number === retryNumber) session.reply = reply
      return reply
    } catch (error) {
      if (error instanceof Blocked) await waitFor(error, context.deadline)
      else if (error instanceof Pause) await error.work()
      else throw error
    }
  }
}

async function runInTransaction(writer: Writer, txn: Txn, step: (writer: Writer) => Buffer): Promise<Buffer> {
  for (;;) {
    try {
      return step(writer)
    } catch (error) {
      if (!(error instanceof Pause)) throw error
      await error.work()
      if (txn.state !== 'open') fail(251, `Transaction ${txn.number} has been aborted.`)
    }
  }
}

/** Waits for the end of the transaction that holds what the write needs; its lifetime bounds the wait. */
async function waitFor({ txn }: Blocked, deadline: number): Promise<void> {
  if (deadline === Number.POSITIVE_INFINITY) return txn.ended
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(outOfTime()), Math.max(0, deadline - Date.now()))
  })
  await Promise.race([txn.ended, expired]).finally(() => clearTimeout(timer))
}

/** The collection to write to, made when it is not there. */
export function ensureCollection(writer: Writer, db: string, name: string): Collection {
  const found = writer.catalog.find(db, name, writer.txn)
  if (found) requireCollection(found)
  return found ?? createCollection(writer, db, name, {})
}

/** Makes a collection; in a transaction nobody else sees it before the commit. */
export function createCollection(writer: Writer, db: string, name: string, options: Doc): Collection {
  const owner = writer.catalog.owner(db, name)
  if (owner && writer.txn) failConflict()
  if (owner) throw new Blocked(owner)
  const collection = writer.catalog.create(db, name, options, writer.txn)
  if (writer.txn) {
    writer.txn.created.add(collection)
    return collection
  }
  writer.catalog.save(collection)
  noteCreation(writer, collection)
  return collection
}

export function noteCreation(writer: Writer, collection: Collection): void {
  noteCollection(writer, 'create', collection, { idIndex: idIndexSpec, ...collection.options })
}

/** Reports an operation on a collection to change streams. */
export function noteCollection(writer: Writer, kind: ChangeKind, { db, name, uuid }: Collection, details?: Doc): void {
  writer.log.note({ kind, db, collection: name, uuid, details })
}

export function noteRename(writer: Writer, { db, name, uuid }: Collection, fromDb: string, from: string, dropped: Collection | undefined): void {
  const details: Doc = { to: { db, coll: name } }
  if (dropped) details.dropTarget = dropped.uuid
  writer.log.note({ kind: 'rename', db: fromDb, collection: from, uuid, details })
}

/** The collection, unless a transaction has just created it: then the command waits for the transaction's end. */
export function existing(writer: Writer, db: string, name: string): Collection | undefined {
  const collection = writer.catalog.find(db, name, writer.txn)
  const owner = writer.catalog.owner(db, name)
  if (collection || !owner) return collection
  if (writer.txn) return failConflict()
  throw new Blocked(owner)
}
