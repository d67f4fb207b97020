import { Long } from 'bson'
import { type ChangeStream, isChangeStream, openChangeStream, resumePoint, type Watched } from './change-stream.ts'
import { parseCollation } from './collation.ts'
import { type Context, optionalCount, optionalDoc, variables } from './context.ts'
import { type Cursor, killCursor, openCursor } from './cursors.ts'
import { fail } from './errors.ts'
import { okReply } from './reply.ts'
import type { Doc } from './values.ts'

const defaultWaitMs = 1000
const unlimited = Number.POSITIVE_INFINITY

/** `aggregate` with a pipeline that begins with `$changeStream`: opens the stream and answers with what is there already. */
export function watch(context: Context, collection: string | undefined, pipeline: readonly Doc[]): Buffer {
  const { engine, body, db, session } = context
  if (context.txn) fail(263, '$changeStream cannot be used in a transaction')
  if (context.moment) fail(72, '$changeStream cannot be used with readConcern snapshot')
  if (parseCollation(body.collation)) fail(115, 'a change stream with a collation is not supported by this server')
  const isForAll = isChangeStream(pipeline) && (pipeline[0]!.$changeStream as Doc | null)?.allChangesForCluster === true
  if (isForAll && (db !== 'admin' || collection !== undefined))
    fail(72, 'A $changeStream with allChangesForCluster:true may only be opened on the admin database')
  if (!isForAll && db === 'admin') fail(73, '$changeStream may not be opened on the internal admin database')
  const watched: Watched = isForAll ? {} : collection === undefined ? { db } : { db, collection }
  const changes = openChangeStream(engine.storage, engine.log, watched, pipeline, {
    now: context.now,
    let: variables(context),
    lookup: () => fail(20, 'a change stream reads no other collection'),
  })
  const events = changes.take(optionalCount(optionalDoc(body, 'cursor') ?? {}, 'batchSize') ?? unlimited)
  const cursor = openCursor(engine.cursors, {
    namespace: `${db}.${collection ?? '$cmd.aggregate'}`,
    stream: [].values(),
    changes,
    sessionId: session?.id,
    txn: undefined,
    deadline: unlimited,
    usedAt: Date.now(),
  })
  return reply(context, 'firstBatch', cursor, changes, events)
}

/** `getMore`: waits for the next events for as long as the client wants to. */
export async function nextChanges(context: Context, cursor: Cursor, changes: ChangeStream): Promise<Buffer> {
  const { engine, body } = context
  const size = optionalCount(body, 'batchSize') || unlimited
  const waitsUntil = Date.now() + (optionalCount(body, 'maxTimeMS') ?? defaultWaitMs)
  for (;;) {
    const events = changes.take(size)
    const left = waitsUntil - Date.now()
    cursor.usedAt = Date.now()
    if (!engine.cursors.has(cursor.id)) fail(43, `cursor id ${cursor.id} was killed`)
    if (events.length > 0 || changes.isOver() || left <= 0 || engine.log.isClosed()) return reply(context, 'nextBatch', cursor, changes, events)
    await engine.log.change(left)
  }
}

function reply({ engine }: Context, batch: 'firstBatch' | 'nextBatch', cursor: Cursor, changes: ChangeStream, events: readonly Doc[]): Buffer {
  if (changes.isOver()) killCursor(engine.cursors, cursor)
  const id = changes.isOver() ? Long.ZERO : Long.fromNumber(cursor.id)
  return okReply({ cursor: { [batch]: events, id, ns: cursor.namespace, ...resumePoint(changes) } })
}
