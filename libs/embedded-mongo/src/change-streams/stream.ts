import { compileStages } from '../aggregate/compile-stages.ts'
import { collector, connect, type PipelineEnv, type Sink } from '../aggregate/sink.ts'
import { scopeWith } from '../expressions/core.ts'
import { fullBatchBytes, type LiveSource } from '../sessions/cursors.ts'
import type { Storage } from '../storage/storage.ts'
import { fail, MongoError } from '../values/errors.ts'
import { equal } from '../values/order.ts'
import { type Doc, isDoc, isTruthy } from '../values/values.ts'
import type { ChangeLog, LoggedChange } from './change-log.ts'
import { type EventOptions, eventOf, expandedOnly, invalidateEvent } from './event.ts'
import { tokenAfter, tokenAt, tokenBefore, tokenDoc } from './resume-token.ts'
import { failForgotten, startOf } from './start.ts'

/** What a stream watches: one collection, a database, or with neither everything that users store. */
export interface Watched {
  db?: string
  collection?: string
}

const options = new Set([
  'fullDocument',
  'fullDocumentBeforeChange',
  'resumeAfter',
  'startAfter',
  'startAtOperationTime',
  'allChangesForCluster',
  'showExpandedEvents',
])
const stages = new Set(['$addFields', '$match', '$project', '$replaceRoot', '$replaceWith', '$redact', '$set', '$unset'])
const fullDocumentModes = ['default', 'updateLookup', 'whenAvailable', 'required']
const beforeChangeModes = ['off', 'whenAvailable', 'required']
const ownDatabases = new Set(['admin', 'config', 'local'])
/** Errors after which a client may open the stream again where it was. */
const resumableCodes = new Set([6, 7, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436])

export function isChangeStream(pipeline: readonly Doc[]): boolean {
  return pipeline[0] !== undefined && Object.hasOwn(pipeline[0], '$changeStream')
}

/** Marks an error of a change stream after which the driver may resume. */
export function withResumeLabel(error: unknown): unknown {
  if (!(error instanceof MongoError) || !resumableCodes.has(error.code)) return error
  return new MongoError(error.code, error.message, error.extra, [...error.labels, 'ResumableChangeStreamError'])
}

/**
 * Opens the stream of a pipeline that begins with `$changeStream`, on a log that is watched.
 * @throws MongoError 286 when its start is no longer in the log, 20 for a stage that is not allowed after `$changeStream`
 */
export function openChangeStream(storage: Storage, log: ChangeLog, watched: Watched, pipeline: readonly Doc[], env: PipelineEnv): LiveSource {
  const spec = pipeline[0]!.$changeStream
  if (!isDoc(spec)) return fail(6188500, '$changeStream must take a nested object as its argument')
  const eventOptions = readOptions(spec)
  for (const stage of pipeline.slice(1)) checkStage(stage)
  const compiled = compileStages(pipeline.slice(1), { env, scope: scopeWith(env.now, env.let) }, 'inner')
  const ready: Doc[] = []
  const head = connect(compiled.stages, collector(ready))
  let { next, token } = startOf(spec, log)
  let isOver = false

  const isWanted = (change: LoggedChange) => isOf(watched, change) && (eventOptions.isExpanded || !expandedOnly.has(change.kind))
  const step = (events: Doc[]) => {
    const change = log.get(next)!
    // A stream may begin at a time in the future.
    const isReached = tokenAt(change.time, change.part) > token
    if (isReached && isWanted(change)) {
      const event = through(head, ready, eventOf(storage, change, eventOptions))
      if (event) events.push(event)
      isOver = endsStream(watched, change)
      if (isOver) events.push(invalidateEvent(change))
    }
    if (isReached) token = tokenAt(change.time, change.part, isOver)
    next += 1
    return (change.before?.length ?? 0) + (change.after?.length ?? 0)
  }
  return {
    fetch: size => {
      const events: Doc[] = []
      if (next < log.first()) failForgotten()
      try {
        for (let bytes = 0; next < log.end() && events.length < size && bytes < fullBatchBytes && !isOver; ) bytes += step(events)
      } catch (error) {
        // The events before the one that fails are good. The next fetch fails again.
        if (events.length === 0) throw error
      }
      // After the newest change the token stays that of its event, until the clock advances.
      if (events.length === 0 && next === log.end() && tokenBefore(log.newest()) > token) token = tokenAfter(log.newest())
      return events
    },
    isOver: () => isOver,
    replyFields: () => ({ postBatchResumeToken: tokenDoc(token) }),
    waits: true,
    isResumable: true,
  }
}

/** Runs one event through the stages after `$changeStream`. They must not change its token. */
function through(head: Sink, ready: Doc[], event: Doc): Doc | undefined {
  head.push(event)
  const [result] = ready.splice(0)
  if (!result) return undefined
  if (!equal(result._id, event._id))
    throw new MongoError(
      280,
      `Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to resume the stream from that point. Only transformations that retain the unmodified _id field are allowed.`,
      {},
      ['NonResumableChangeStreamError'],
    )
  return result
}

function readOptions(spec: Doc): EventOptions {
  for (const option of Object.keys(spec)) if (!options.has(option)) fail(40415, `BSON field '$changeStream.${option}' is an unknown field.`)
  const { fullDocument = 'default', fullDocumentBeforeChange = 'off', showExpandedEvents } = spec
  if (typeof fullDocument !== 'string' || !fullDocumentModes.includes(fullDocument))
    return fail(2, `Enumeration value '${String(fullDocument)}' for field '$changeStream.fullDocument' is not a valid value.`)
  if (typeof fullDocumentBeforeChange !== 'string' || !beforeChangeModes.includes(fullDocumentBeforeChange))
    return fail(2, `Enumeration value '${String(fullDocumentBeforeChange)}' for field '$changeStream.fullDocumentBeforeChange' is not a valid value.`)
  return { fullDocument, fullDocumentBeforeChange, isExpanded: isTruthy(showExpandedEvents) }
}

function checkStage(stage: Doc): void {
  const [name = ''] = Object.keys(stage)
  if (name === '$changeStream') fail(40602, '$changeStream is only valid as the first stage in a pipeline')
  if (stages.has(name)) return
  // An unknown or unsupported stage is the first error.
  compileStages([stage], { env: { now: new Date(0), lookup: () => [] }, scope: scopeWith(new Date(0)) }, 'inner')
  fail(20, `${name} is not permitted in a $changeStream pipeline`)
}

function isOf({ db, collection }: Watched, change: LoggedChange): boolean {
  if (db === undefined) return !ownDatabases.has(change.db)
  const to = change.kind === 'rename' ? (change.details?.to as { db: string; coll: string }) : undefined
  if (change.db !== db && to?.db !== db) return false
  return collection === undefined || change.collection === collection || (to?.db === db && to.coll === collection)
}

function endsStream({ db, collection }: Watched, { kind }: LoggedChange): boolean {
  if (collection !== undefined) return kind === 'drop' || kind === 'rename' || kind === 'dropDatabase'
  return db !== undefined && kind === 'dropDatabase'
}
