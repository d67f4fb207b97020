import { encode } from '../bson/raw.ts'
import { type Command, type Context, collectionName, flag, optionalCount, optionalDoc } from '../engine/context.ts'
import { isView, requireCollection, viewOptions } from '../engine/views.ts'
import { makeReady } from '../index/build.ts'
import { compileFilter } from '../query/match.ts'
import { cappedOptions } from '../storage/capped.ts'
import { type Collection, checkNamespace, compileValidator, namespaceOf } from '../storage/catalog.ts'
import { idIndexSpec } from '../storage/index-spec.ts'
import { timeSeriesOptions } from '../storage/time-series.ts'
import { parseCollation } from '../values/collation.ts'
import { fail } from '../values/errors.ts'
import { equal } from '../values/order.ts'
import { type Doc, isDoc, isTruthy } from '../values/values.ts'
import { okReply } from '../wire/reply.ts'
import { deleteSlice } from '../write/garbage.ts'
import { createCollection, existing, noteCollection, noteRename, runWrite } from '../write/run.ts'
import type { Writer } from '../write/write.ts'
import { answerWithCursor } from './find.ts'
import { type IndexChange, modifyIndex } from './modify-index.ts'

/** Options that are stored and listed. `create` refuses the rest by name. */
const storedOptions = new Set([
  'validator',
  'validationLevel',
  'validationAction',
  'clusteredIndex',
  'changeStreamPreAndPostImages',
  'storageEngine',
  'indexOptionDefaults',
])
const refusedOptions = new Set(['encryptedFields'])
const validationLevels = ['off', 'strict', 'moderate']
const validationActions = ['error', 'warn']

export const create: Command = {
  run: context => {
    const name = collectionName(context)
    const options = createOptions(context.body)
    return runWrite(context, writer => {
      const existing = writer.catalog.find(context.db, name, writer.txn)
      if (existing && !equal(existing.options, options))
        fail(48, `namespace ${context.db}.${name} already exists, but with different options: ${JSON.stringify(existing.options)}`)
      if (existing && writer.txn && !writer.txn.created.has(existing)) fail(48, `Collection ${context.db}.${name} already exists.`)
      if (!existing) compileValidator(createCollection(writer, context.db, name, options))
      return okReply()
    })
  },
  fields: new Set([
    ...storedOptions,
    ...refusedOptions,
    'timeseries',
    'expireAfterSeconds',
    'capped',
    'size',
    'max',
    'viewOn',
    'pipeline',
    'collation',
    'idIndex',
    'autoIndexId',
    'flags',
    'bucketRounding',
    'temp',
  ]),
  inTransaction: true,
}

export const drop: Command = {
  run: context => {
    const name = collectionName(context)
    return runWrite(context, writer => {
      const collection = existing(writer, context.db, name)
      if (!collection) return okReply()
      const count = collection.indexes.length + 1
      dropCollection(writer, context, collection)
      return okReply({ nIndexesWas: count, ns: namespaceOf(collection) })
    })
  },
  fields: new Set(['encryptedFields']),
}

export const dropDatabase: Command = {
  run: context =>
    runWrite(context, writer => {
      const collections = writer.catalog.collections(context.db)
      for (const collection of collections) dropCollection(writer, context, collection)
      if (collections.length > 0) writer.log.note({ kind: 'dropDatabase', db: context.db })
      return okReply(collections.length > 0 ? { dropped: context.db } : {})
    }),
  fields: new Set([]),
}

export const renameCollection: Command = {
  run: context => {
    const [from, to] = [context.body.renameCollection, context.body.to].map(namespace)
    return runWrite(context, writer => {
      const source = existing(writer, from![0], from![1])
      if (!source) return fail(26, `Source collection ${from!.join('.')} does not exist`)
      requireCollection(source)
      if (from!.join('.') === to!.join('.')) fail(20, "Can't rename a collection to itself")
      const target = existing(writer, to![0], to![1])
      if (target && !flag(context.body, 'dropTarget')) fail(48, 'target namespace exists')
      if (target) dropCollection(writer, context, target)
      writer.catalog.rename(source, to![0], to![1])
      noteRename(writer, source, from![0], from![1], target)
      return okReply()
    })
  },
  fields: new Set(['to', 'dropTarget', 'stayTemp']),
}

export const listCollections: Command = {
  run: async context => {
    const filter = optionalDoc(context.body, 'filter') ?? {}
    const isNameOnly = flag(context.body, 'nameOnly')
    const matches = compileFilter(filter)
    const listed = context.engine.catalog
      .collections(context.db, context.txn)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(describe)
    const chosen = listed.filter(matches).map(entry => encode(isNameOnly ? { name: entry.name, type: entry.type } : entry))
    const cursor = optionalDoc(context.body, 'cursor') ?? {}
    return answerWithCursor(
      context,
      `${context.db}.$cmd.listCollections`,
      chosen.values(),
      optionalCount(cursor, 'batchSize') ?? Number.POSITIVE_INFINITY,
      false,
      { isReached: false },
    )
  },
  fields: new Set(['filter', 'nameOnly', 'authorizedCollections', 'cursor']),
}

export const listDatabases: Command = {
  run: context => {
    const { engine, body } = context
    const matches = compileFilter(optionalDoc(body, 'filter') ?? {})
    const isNameOnly = flag(body, 'nameOnly')
    const databases = engine.catalog
      .databases()
      .sort()
      .map(name => ({ name, sizeOnDisk: engine.storage.bytes(), empty: false }))
    const chosen = databases.filter(matches)
    if (isNameOnly) return okReply({ databases: chosen.map(({ name }) => ({ name })) })
    return okReply({ databases: chosen, totalSize: engine.storage.bytes(), totalSizeMb: Math.floor(engine.storage.bytes() / 1_048_576) })
  },
  fields: new Set(['filter', 'nameOnly', 'authorizedDatabases']),
}

export const collMod: Command = {
  run: async context => {
    const name = collectionName(context)
    const { body } = context
    const index = optionalDoc(body, 'index')
    const progress: IndexChange = { isTrial: flag(body, 'dryRun') }
    if (progress.isTrial && !isTruthy(index?.unique)) fail(72, 'collMod.dryRun is only valid for the conversion of an index to unique')
    const reply = await runWrite(context, writer => {
      const collection = existing(writer, context.db, name)
      if (!collection) return fail(26, `ns does not exist: ${context.db}.${name}`)
      if (isView(collection)) {
        if (index) fail(72, 'option not supported on a view: index')
        collection.options = viewOptions(body.viewOn ?? collection.options.viewOn, body.pipeline ?? collection.options.pipeline)
        writer.catalog.save(collection)
        return okReply()
      }
      if (body.viewOn !== undefined || body.pipeline !== undefined)
        fail(72, `'viewOn' and 'pipeline' are for views, ${namespaceOf(collection)} is none`)
      const options = { ...collection.options }
      for (const option of ['validator', 'validationLevel', 'validationAction', 'changeStreamPreAndPostImages'])
        if (body[option] !== undefined) options[option] = body[option]
      const checked = checkOptions(options)
      const reply = index ? modifyIndex(context, writer, collection, index, progress) : {}
      if (progress.isTrial) return okReply()
      collection.options = checked
      compileValidator(collection)
      writer.catalog.save(collection)
      const { collMod: _name, lsid: _lsid, $db: _db, ...change } = body
      noteCollection(writer, 'modify', collection, change)
      return okReply(reply)
    })
    // Until the commit is on disk, queries cannot see the entries.
    if (progress.made) makeReady(context.engine.storage, [progress.made])
    return reply
  },
  fields: new Set(['index', 'validator', 'validationLevel', 'validationAction', 'changeStreamPreAndPostImages', 'viewOn', 'pipeline', 'dryRun']),
}

function dropCollection(writer: Writer, context: Context, collection: Collection): void {
  writer.catalog.drop(collection)
  noteCollection(writer, 'drop', collection)
  // Small collections go immediately; the slices of big ones follow in the background.
  for (const kind of ['docs', 'index'] as const) {
    for (const id of kind === 'docs' ? [collection.id] : collection.indexes.map(index => index.id)) deleteSlice(context.engine, { kind, id })
  }
}

function createOptions(body: Doc): Doc {
  const options = { ...cappedOptions(body), ...timeSeriesOptions(body) }
  if (options.capped && options.timeseries) fail(72, 'A time series cannot be capped')
  for (const option of Object.keys(body)) {
    const value = body[option]
    if (refusedOptions.has(option) && value !== false) fail(115, `the option '${option}' of create is not supported by this server`)
    if (storedOptions.has(option)) options[option] = value
  }
  // Of _ids the binary value decides also in a collection with a collation.
  if (parseCollation(body.collation)) options.collation = body.collation
  if (body.viewOn !== undefined) return createdView(body, options)
  if (body.pipeline !== undefined) fail(72, "'pipeline' requires 'viewOn' to also be specified")
  return checkOptions(options)
}

/** Nothing that is about stored documents goes with a view. */
function createdView({ viewOn, pipeline }: Doc, others: Doc): Doc {
  if (others.collation !== undefined) fail(115, 'a view with a collation is not supported by this server')
  const [other] = Object.keys(others)
  if (other !== undefined) fail(72, `Cannot specify '${other}' and 'viewOn' together`)
  return viewOptions(viewOn, pipeline)
}

function checkOptions(options: Doc): Doc {
  const { validator, validationLevel, validationAction, clusteredIndex, collation } = options
  if (validator !== undefined && collation !== undefined) fail(115, 'a validator under a collation is not supported by this server')
  if (validator !== undefined)
    compileFilter(isDoc(validator) ? validator : fail(14, "BSON field 'validator' is the wrong type, expected type 'object'"))
  if (validationLevel !== undefined && !validationLevels.includes(String(validationLevel)))
    fail(2, `Enumeration value '${String(validationLevel)}' for field 'validationLevel' is not a valid value.`)
  if (validationAction !== undefined && !validationActions.includes(String(validationAction)))
    fail(2, `Enumeration value '${String(validationAction)}' for field 'validationAction' is not a valid value.`)
  if (clusteredIndex === undefined) return options
  if (!isDoc(clusteredIndex) || !isDoc(clusteredIndex.key) || Object.keys(clusteredIndex.key).join() !== '_id' || !isTruthy(clusteredIndex.unique))
    fail(197, 'A clustered index must be unique and on { _id: 1 }')
  return { ...options, clusteredIndex: { v: idIndexSpec.v, name: '_id_', ...clusteredIndex } }
}

function describe(collection: Collection): Doc {
  if (isView(collection)) return { name: collection.name, type: 'view', options: collection.options, info: { readOnly: true } }
  if (collection.series) return { name: collection.name, type: 'timeseries', options: collection.options, info: { readOnly: false } }
  const entry: Doc = { name: collection.name, type: 'collection', options: collection.options, info: { readOnly: false, uuid: collection.uuid } }
  if (!collection.options.clusteredIndex) entry.idIndex = idIndexSpec
  return entry
}

function namespace(value: unknown): [string, string] {
  if (typeof value !== 'string' || !value.includes('.')) return fail(73, `Invalid namespace specified '${String(value)}'`)
  const db = value.slice(0, value.indexOf('.'))
  const name = value.slice(db.length + 1)
  checkNamespace(db, name)
  return [db, name]
}
