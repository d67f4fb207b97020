import { openChangeStream, type Watched } from '../change-streams/stream.ts'
import { type Context, variables } from '../engine/context.ts'
import { answerLive } from '../engine/live-cursors.ts'
import { parseCollation } from '../values/collation.ts'
import { fail } from '../values/errors.ts'
import { type Doc, isDoc } from '../values/values.ts'

/** `aggregate` with a pipeline that begins with `$changeStream`. */
export async function watch(context: Context, collection: string | undefined, pipeline: readonly Doc[]): Promise<Buffer> {
  const { engine, body, db } = context
  if (context.txn) fail(263, '$changeStream cannot be used in a transaction')
  if (context.moment) fail(72, '$changeStream cannot be used with readConcern snapshot')
  if (parseCollation(body.collation)) fail(115, 'a change stream with a collation is not supported by this server')
  const spec = pipeline[0]!.$changeStream
  const isForAll = isDoc(spec) && spec.allChangesForCluster === true
  if (isForAll && (db !== 'admin' || collection !== undefined))
    fail(72, 'A $changeStream with allChangesForCluster:true may only be opened on the admin database')
  if (!isForAll && db === 'admin') fail(73, '$changeStream may not be opened on the internal admin database')
  const watched: Watched = isForAll ? {} : collection === undefined ? { db } : { db, collection }
  const env = { now: context.now, let: variables(context), lookup: () => fail(20, 'a change stream reads no other collection') }
  await engine.log.watch()
  return answerLive(context, `${db}.${collection ?? '$cmd.aggregate'}`, openChangeStream(engine.storage, engine.log, watched, pipeline, env))
}
