import { createHash } from 'node:crypto'
import { Binary, Int32 } from 'bson'
import { type Context, findCollection } from './context.ts'
import { fail } from './errors.ts'
import { idIndexSpec } from './index-spec.ts'
import { wholeRange } from './keyspace.ts'
import type { Doc } from './values.ts'

/** The digest of no user's name, as sessions of a server without users have it. */
const nobody = new Binary(createHash('sha256').update('').digest())

/** The documents of a first stage that reads the server itself rather than a collection; undefined for a stage that is not known here. */
export function sourceDocuments(context: Context, name: string | undefined, stage: string): Doc[] | undefined {
  switch (stage) {
    case '$listLocalSessions':
    case '$listSessions':
      return [...context.engine.sessions.values()].map(({ id, usedAt }) => ({
        _id: { id: new Binary(Buffer.from(id, 'hex'), Binary.SUBTYPE_UUID), uid: nobody },
        lastUse: new Date(usedAt),
      }))
    case '$currentOp':
      return []
    case '$collStats':
      return [collectionStatistics(context, name)]
    case '$indexStats':
      return indexStatistics(context, name)
    default:
      return undefined
  }
}

function collectionStatistics(context: Context, name: string | undefined): Doc {
  const collection = name === undefined ? undefined : findCollection(context, name)
  if (!collection) return fail(26, `Collection [${context.db}.${name}] not found.`)
  const count = new Int32(context.engine.storage.docs.count(wholeRange(collection.id)))
  return { ns: `${context.db}.${name}`, host: context.connection.address, localTime: context.now, count, storageStats: { count } }
}

function indexStatistics(context: Context, name: string | undefined): Doc[] {
  const collection = name === undefined ? undefined : findCollection(context, name)
  const specs = collection ? [idIndexSpec, ...collection.indexes.map(index => index.spec)] : []
  return specs.map(spec => ({ name: spec.name, key: spec.key, host: context.connection.address, spec }))
}
