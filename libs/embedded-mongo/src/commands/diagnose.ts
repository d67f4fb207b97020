import { decode } from '../bson/raw.ts'
import { type Command, collectionName, findCollection } from '../engine/context.ts'
import { isView } from '../engine/views.ts'
import { keysOf } from '../index/keys.ts'
import { measure, storageStatistics } from '../read/collection-stats.ts'
import { namespaceOf } from '../storage/catalog.ts'
import { entryKeyOf, wholeRange } from '../storage/keyspace.ts'
import { fail } from '../values/errors.ts'
import { asNumber, type Doc, isNumeric } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'

export const collStats: Command = {
  run: context => {
    const name = collectionName(context)
    const scale = isNumeric(context.body.scale) ? asNumber(context.body.scale) : 1
    return okReply({ ns: `${context.db}.${name}`, ...storageStatistics(context, findCollection(context, name), scale) })
  },
  fields: undefined,
}

export const dbStats: Command = {
  run: context => {
    const listed = context.engine.catalog.collections(context.db)
    const collections = listed.filter(collection => !isView(collection))
    const measured = collections.map(collection => measure(context, collection))
    const objects = measured.reduce((sum, { count }) => sum + count, 0)
    const dataSize = measured.reduce((sum, { size }) => sum + size, 0)
    const indexes = collections.reduce((sum, collection) => sum + collection.indexes.length + 1, 0)
    return okReply({
      db: context.db,
      collections: collections.length,
      views: listed.length - collections.length,
      objects,
      avgObjSize: objects > 0 ? dataSize / objects : 0,
      dataSize,
      storageSize: dataSize,
      indexes,
      indexSize: 0,
      totalSize: dataSize,
      scaleFactor: 1,
    })
  },
  fields: undefined,
}

/** Compares every index with the documents, both ways. */
export const validate: Command = {
  run: context => {
    const name = collectionName(context)
    const collection = findCollection(context, name)
    if (!collection) return fail(26, `Collection '${context.db}.${name}' does not exist to validate.`)
    const { storage } = context.engine
    const errors: string[] = []
    const keysPerIndex: Doc = { _id_: storage.docs.count(wholeRange(collection.id)) }
    for (const index of collection.indexes) {
      let expected = 0
      for (const { key, value } of storage.docs.scan(wholeRange(collection.id))) {
        for (const { key: valueKey } of keysOf(index, decode(value)).keys) {
          expected += 1
          if (!storage.index.get(entryKeyOf(index, valueKey, key))?.equals(key)) errors.push(`index '${index.name}' lacks an entry of a document`)
        }
      }
      const entries = storage.index.count(wholeRange(index.id))
      if (entries !== expected) errors.push(`index '${index.name}' has ${entries} entries where the documents make ${expected}`)
      keysPerIndex[index.name] = entries
    }
    const nrecords = keysPerIndex._id_
    return okReply({
      ns: namespaceOf(collection),
      nInvalidDocuments: 0,
      nrecords,
      nIndexes: collection.indexes.length + 1,
      keysPerIndex,
      indexDetails: {},
      valid: errors.length === 0,
      repaired: false,
      warnings: [],
      errors,
    })
  },
  fields: undefined,
}
