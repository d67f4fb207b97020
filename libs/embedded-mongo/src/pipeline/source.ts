import { Int32 } from 'bson'
import { type Context, findCollection } from '../engine/context.ts'
import { operations } from '../engine/operations.ts'
import { storageStatistics } from '../read/collection-stats.ts'
import { lsidOf } from '../sessions/session.ts'
import { idIndexSpec } from '../storage/index-spec.ts'
import { wholeRange } from '../storage/keyspace.ts'
import { fail } from '../values/errors.ts'
import { asNumber, type Doc, isDoc, isNumeric } from '../values/values.ts'

/** The documents of a first stage that reads the server itself rather than a collection; undefined for a stage that is not known here. */
export function sourceDocuments(context: Context, name: string | undefined, stage: string, spec: unknown): Doc[] | undefined {
  switch (stage) {
    case '$listLocalSessions':
    case '$listSessions':
      return [...context.engine.sessions.values()].map(session => ({ _id: lsidOf(session), lastUse: new Date(session.usedAt) }))
    case '$currentOp':
      if (context.db !== 'admin' || name !== undefined) fail(73, "$currentOp must be run against the 'admin' database with {aggregate: 1}")
      return operations(context)
    case '$collStats':
      return [collectionStatistics(context, name, spec)]
    case '$indexStats':
      return indexStatistics(context, name)
    default:
      return undefined
  }
}

function collectionStatistics(context: Context, name: string | undefined, spec: unknown): Doc {
  const collection = name === undefined ? undefined : findCollection(context, name)
  if (!collection) return fail(26, `Collection [${context.db}.${name}] not found.`)
  const count = new Int32(context.engine.storage.docs.count(wholeRange(collection.id)))
  const stats: Doc = { ns: `${context.db}.${name}`, host: context.connection.address, localTime: context.now, count }
  const storage = isDoc(spec) ? spec.storageStats : undefined
  if (isDoc(storage)) stats.storageStats = storageStatistics(context, collection, isNumeric(storage.scale) ? asNumber(storage.scale) : 1)
  return stats
}

function indexStatistics(context: Context, name: string | undefined): Doc[] {
  const collection = name === undefined ? undefined : findCollection(context, name)
  const specs = collection ? [idIndexSpec, ...collection.indexes.map(index => index.spec)] : []
  return specs.map(spec => ({ name: spec.name, key: spec.key, host: context.connection.address, spec }))
}
