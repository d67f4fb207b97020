import { Long } from 'bson'
import { type Cursor, killCursor, type LiveSource, openCursor } from '../sessions/cursors.ts'
import { fail } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { type Context, optionalCount, optionalDoc } from './context.ts'

const defaultWaitMs = 1000
/** A `getMore` ends at most this long after its client disconnects. */
const pollMs = 1000
const unlimited = Number.POSITIVE_INFINITY

/** Opens the cursor of a source that never ends, and answers with what is there already. */
export function answerLive(context: Context, namespace: string, live: LiveSource): Buffer {
  const { engine, session, body } = context
  const documents = live.fetch(optionalCount(optionalDoc(body, 'cursor') ?? body, 'batchSize') ?? unlimited)
  const cursor = openCursor(engine.cursors, {
    namespace,
    stream: [].values(),
    live,
    sessionId: session?.id,
    txn: undefined,
    deadline: unlimited,
    usedAt: Date.now(),
  })
  return reply(context, 'firstBatch', cursor, live, documents)
}

/** `getMore`: waits for the next documents for as long as the client wants to. */
export async function nextLive(context: Context, cursor: Cursor, live: LiveSource): Promise<Buffer> {
  const { engine, body } = context
  const size = optionalCount(body, 'batchSize') || unlimited
  const waitsUntil = live.waits ? Date.now() + (optionalCount(body, 'maxTimeMS') ?? defaultWaitMs) : 0
  for (;;) {
    const documents = live.fetch(size)
    const left = waitsUntil - Date.now()
    cursor.usedAt = Date.now()
    if (!engine.cursors.has(cursor.id)) fail(237, 'operation was interrupted because a client killed the cursor')
    if (documents.length > 0 || live.isOver() || left <= 0 || engine.log.isClosed()) return reply(context, 'nextBatch', cursor, live, documents)
    if (context.connection.isClosed()) fail(279, 'the client has disconnected')
    const killed = new Promise<void>(resolve => {
      cursor.whenKilled = resolve
    })
    await Promise.race([engine.log.change(Math.min(left, pollMs)), killed])
  }
}

function reply({ engine }: Context, batch: 'firstBatch' | 'nextBatch', cursor: Cursor, live: LiveSource, documents: readonly Doc[]): Buffer {
  if (live.isOver()) killCursor(engine.cursors, cursor)
  const id = live.isOver() ? Long.ZERO : Long.fromNumber(cursor.id)
  return okReply({ cursor: { [batch]: documents, id, ns: cursor.namespace, ...live.replyFields() } })
}
