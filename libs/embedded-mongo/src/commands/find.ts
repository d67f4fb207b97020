import { Long } from 'bson'
import { decode, encode } from '../bson/raw.ts'
import { withResumeLabel } from '../change-streams/stream.ts'
import {
  type Command,
  type Context,
  collectionName,
  findCollection,
  flag,
  optionalCount,
  optionalDoc,
  variables,
  viewFor,
} from '../engine/context.ts'
import { nextCursorFailure } from '../engine/fail-points.ts'
import { answerLive, nextLive } from '../engine/live-cursors.ts'
import { queryStages, resolveView, type ViewTarget } from '../engine/views.ts'
import { pipelineResults } from '../pipeline/run.ts'
import { compileProjection } from '../query/project.ts'
import { shownKey, withinKeys } from '../read/find-options.ts'
import { docOf, type Found } from '../read/found.ts'
import { checkFilter, type Query, runQuery } from '../read/read.ts'
import { openTail } from '../read/tailable.ts'
import { shownScore, textScore, withoutScores } from '../read/text-score.ts'
import { type Batch, type Cursor, findCursor, killCursor, nextBatch, openCursor } from '../sessions/cursors.ts'
import { type Tick, tick } from '../sessions/deadline.ts'
import { reading } from '../sessions/history.ts'
import type { Collection } from '../storage/catalog.ts'
import { collationOf } from '../values/collation.ts'
import { fail } from '../values/errors.ts'
import { parseSort } from '../values/sort-keys.ts'
import { asInteger, type Doc, isNumeric } from '../values/values.ts'
import { cursorReply, okReply } from '../wire/reply.ts'

const firstBatchSize = 101
const unlimited = Number.POSITIVE_INFINITY
/** Options that show or choose how documents are stored. */
const storedOptions = ['min', 'max', 'returnKey', 'showRecordId']

export const find: Command = {
  run: context => {
    const { body } = context
    if (flag(body, 'awaitData') && !flag(body, 'tailable')) fail(9, 'Cannot set awaitData without tailable')
    const name = collectionName(context)
    const view = resolveView(context, name)
    const collection = findCollection(context, view.name)
    const namespace = `${context.db}.${name}`
    const end = { isReached: false }
    if (view.pipeline.length > 0) for (const option of storedOptions) if (body[option]) fail(167, `the option '${option}' of find is not for views`)
    const query = queryOf(context, collection, end)
    const projection = optionalDoc(body, 'projection')
    const fields = projection && withoutScores(projection)
    if (flag(body, 'tailable')) return tail(context, collection, query, projection)
    const stream =
      view.pipeline.length > 0
        ? projectView(context, view, query, projection)
        : collection
          ? project(
              runQuery(viewFor(context), collection, query),
              fields,
              query.filter,
              shownKey(collection, query, body) ?? shownScore(collection, body),
            )
          : checkOnly(query, fields)
    const isSingle = flag(body, 'singleBatch')
    return answerWithCursor(context, namespace, stream, optionalCount(body, 'batchSize') ?? firstBatchSize, isSingle, end, collection)
  },
  fields: new Set([
    'filter',
    'sort',
    'projection',
    'hint',
    'skip',
    'limit',
    'batchSize',
    'singleBatch',
    'max',
    'min',
    'returnKey',
    'showRecordId',
    'tailable',
    'awaitData',
    'oplogReplay',
    'noCursorTimeout',
    'allowPartialResults',
    'collation',
    'allowDiskUse',
    'let',
  ]),
  inTransaction: true,
}

function queryOf(context: Context, collection: Collection | undefined, end: { isReached: boolean }): Query {
  const { body } = context
  const sort = optionalDoc(body, 'sort')
  // The order in which documents are stored is a way to find them rather than to sort them.
  const isNatural = sort !== undefined && Object.keys(sort).join() === '$natural'
  return {
    filter: optionalDoc(body, 'filter') ?? {},
    sort: isNatural ? [] : parseSort(sort, textScore(collection, body)),
    skip: optionalCount(body, 'skip'),
    limit: optionalCount(body, 'limit'),
    hint: isNatural ? sort : body.hint,
    vars: variables(context),
    collation: collationOf(collection, body.collation),
    accepts: withinKeys(collection, body),
    end,
  }
}

/** A tailable cursor; one that finds nothing at all to begin with is closed immediately. */
function tail(context: Context, collection: Collection | undefined, query: Query, projection: Doc | undefined): Buffer {
  const namespace = `${context.db}.${collectionName(context)}`
  const live = collection && openTail(context, collection, query, projection)
  return live ? answerLive(context, namespace, live) : cursorReply('firstBatch', [], 0, namespace)
}

export const getMore: Command = {
  run: async context => {
    const { body, engine } = context
    const id = isNumeric(body.getMore) ? asInteger(body.getMore) : undefined
    if (id === undefined) return fail(14, "BSON field 'getMore.getMore' is the wrong type, expected type 'long'")
    const cursor = findCursor(engine.cursors, id)
    if (cursor.namespace !== `${context.db}.${String(body.collection)}`)
      fail(
        13,
        `Requested getMore on namespace '${context.db}.${String(body.collection)}', but cursor belongs to a different namespace ${cursor.namespace}`,
      )
    if (cursor.sessionId !== context.session?.id) fail(50738, `Cannot run getMore on cursor ${id}, which was created in another session`)
    if (cursor.txn !== context.txn) fail(50740, `Cannot run getMore on cursor ${id}, which was not created in this transaction`)
    if (cursor.isBusy) fail(12051, `cursor id ${id} is already in use`)
    cursor.isBusy = true
    try {
      const failure = engine.failPoints && nextCursorFailure(engine.failPoints, cursor)
      if (failure) throw cursor.live?.isResumable ? withResumeLabel(failure) : failure
      if (cursor.live) return await nextLive(context, cursor, cursor.live)
      if (cursor.collection && findCollection(context, cursor.collection.name)?.id !== cursor.collection.id)
        fail(175, `collection dropped: the cursor's collection ${cursor.namespace} is no longer there`)
      const read = nextBatch(cursor, optionalCount(body, 'batchSize') || unlimited)
      const batch = await (cursor.moment ? reading(cursor.moment, read) : read)
      const { documents } = batch
      const isDone = batch.isDone || isAtEnd(cursor)
      cursor.usedAt = Date.now()
      if (isDone) killCursor(engine.cursors, cursor)
      return cursorReply('nextBatch', documents, isDone ? 0 : id, cursor.namespace)
    } catch (error) {
      killCursor(engine.cursors, cursor)
      throw error
    } finally {
      cursor.isBusy = false
    }
  },
  fields: new Set(['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime']),
  inTransaction: true,
}

export const killCursors: Command = {
  run: ({ body, engine }) => {
    if (!Array.isArray(body.cursors)) return fail(14, "BSON field 'killCursors.cursors' is the wrong type, expected type 'array'")
    const killed: Long[] = []
    const missing: Long[] = []
    for (const value of body.cursors) {
      const id = isNumeric(value) ? (asInteger(value) ?? -1) : fail(14, "BSON field 'killCursors.cursors' must hold cursor ids")
      const cursor = engine.cursors.get(id)
      if (cursor) killCursor(engine.cursors, cursor)
      const list = cursor ? killed : missing
      list.push(Long.fromNumber(id))
    }
    return okReply({ cursorsKilled: killed, cursorsNotFound: missing, cursorsAlive: [], cursorsUnknown: [] })
  },
  fields: new Set(['cursors']),
  inTransaction: true,
}

/** Answers with the first batch and saves the rest of the stream for `getMore`. */
export function answerWithCursor(
  context: Context,
  namespace: string,
  stream: Cursor['stream'],
  batchSize: number,
  isSingle: boolean,
  end: { isReached: boolean },
  collection?: Collection,
): Buffer | Promise<Buffer> {
  const { engine, session, txn, moment, deadline } = context
  const start = { stream, ahead: undefined as Buffer | undefined, end, deadline }
  const reply = ({ documents, isDone }: Batch) => {
    if (isDone || isSingle || isAtEnd(start)) {
      if (!isDone) void stream.return?.()
      return cursorReply('firstBatch', documents, 0, namespace)
    }
    const cursor = openCursor(engine.cursors, {
      namespace,
      stream,
      end,
      collection,
      sessionId: session?.id,
      txn,
      moment,
      deadline,
      usedAt: Date.now(),
    })
    cursor.ahead = start.ahead
    return cursorReply('firstBatch', documents, cursor.id, namespace)
  }
  const batch = nextBatch(start, batchSize)
  return batch instanceof Promise ? batch.then(reply) : reply(batch)
}

/** Whether the stream is at its end, as far as that is known without a read of another document. */
function isAtEnd({ end, ahead }: Pick<Cursor, 'end' | 'ahead'>): boolean {
  return end?.isReached === true && !ahead
}

/** Raw documents of a query's stream, projected if the command has a projection. */
function* project(
  stream: ReturnType<typeof runQuery>,
  projection: Doc | undefined,
  filter: Doc,
  show: ((found: Found, doc: Doc, whole: Doc) => Doc) | undefined,
): Generator<Buffer | Tick> {
  const shape = projection && Object.keys(projection).length > 0 ? compileProjection(projection, filter) : undefined
  for (const found of stream) {
    if (found === tick) yield tick
    else if (show) yield encode(show(found, shape ? shape(docOf(found)) : docOf(found), docOf(found)))
    else yield shape ? encode(shape(docOf(found))) : found.raw
  }
}

/** The answer of `find` on a view: the query becomes stages after those of the view. */
async function* projectView(context: Context, view: ViewTarget, query: Query, projection: Doc | undefined): AsyncGenerator<Buffer | Tick> {
  const shape = projection && Object.keys(projection).length > 0 ? compileProjection(projection, query.filter) : undefined
  for await (const raw of pipelineResults(context, view.name, [...view.pipeline, ...queryStages(context.body)]))
    yield raw === tick || !shape ? raw : encode(shape(decode(raw)))
}

/** A missing collection has no documents, but a bad filter is refused even there. */
function checkOnly(query: Query, projection: Doc | undefined): Iterator<Buffer | Tick> {
  checkFilter(query)
  if (projection) compileProjection(projection, query.filter)
  return [].values()
}
