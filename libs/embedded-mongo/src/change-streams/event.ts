import { selectionOf } from '../bson/decode.ts'
import { decode, decodeFields } from '../bson/raw.ts'
import type { Storage } from '../storage/storage.ts'
import { MongoError } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import type { ChangeKind, LoggedChange } from './change-log.ts'
import { tokenAt, tokenDoc } from './resume-token.ts'
import { describeUpdate } from './update-description.ts'

/** Which parts of a change a change stream reports. */
export interface EventOptions {
  fullDocument: string
  fullDocumentBeforeChange: string
  isExpanded: boolean
}

/** Changes that only streams with `showExpandedEvents` report. */
export const expandedOnly: ReadonlySet<ChangeKind> = new Set<ChangeKind>(['create', 'createIndexes', 'dropIndexes', 'modify'])
const idOnly = selectionOf(['_id'])

/** The event that a change stream returns for a change. Throws 280 for an image that is required and was not stored. */
export function eventOf(storage: Storage, change: LoggedChange, options: EventOptions): Doc {
  const { kind, db, collection, before, after, time, part, at, transaction, uuid, details } = change
  const event: Doc = { _id: tokenDoc(tokenAt(time, part)), operationType: kind, clusterTime: time, wallTime: at }
  if (transaction) Object.assign(event, { lsid: transaction.lsid, txnNumber: transaction.number })
  if (options.isExpanded && uuid) event.collectionUUID = uuid
  const image = fullDocument(storage, change, options)
  if (image !== undefined) event.fullDocument = image
  event.ns = collection === undefined ? { db } : { db, coll: collection }
  if (before || after) event.documentKey = decodeFields((after ?? before)!, idOnly)
  if (kind === 'update') event.updateDescription = describeUpdate(decode(before!), decode(after!), options.isExpanded)
  if (kind === 'rename') event.to = details?.to
  if (options.isExpanded && details) event.operationDescription = details
  if (before && options.fullDocumentBeforeChange !== 'off')
    event.fullDocumentBeforeChange = storedImage(change, before, 'fullDocumentBeforeChange', options.fullDocumentBeforeChange)
  return event
}

/** Ends a stream whose collection or database was dropped. */
export function invalidateEvent({ time, part, at }: LoggedChange): Doc {
  return { _id: tokenDoc(tokenAt(time, part, true)), operationType: 'invalidate', clusterTime: time, wallTime: at }
}

function fullDocument(storage: Storage, change: LoggedChange, options: EventOptions): unknown {
  const { kind, after, key } = change
  if (!after) return undefined
  if (kind !== 'update') return decode(after)
  if (options.fullDocument === 'default') return undefined
  if (options.fullDocument !== 'updateLookup') return storedImage(change, after, 'fullDocument', options.fullDocument)
  const current = key && storage.docs.get(key)
  return current ? decode(current) : null
}

function storedImage({ hasImages }: LoggedChange, image: Buffer, option: string, mode: string): Doc | null {
  if (hasImages) return decode(image)
  if (mode === 'whenAvailable') return null
  throw new MongoError(280, `Change stream was configured to require '${option}', but the collection does not keep images of its documents`, {}, [
    'NonResumableChangeStreamError',
  ])
}
