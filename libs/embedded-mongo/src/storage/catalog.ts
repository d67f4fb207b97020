import { randomUUID } from 'node:crypto'
import { type Binary, UUID } from 'bson'
import { decode, encode } from '../bson/raw.ts'
import { compileFilter } from '../query/match.ts'
import { fail } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { type Capped, cappedFrom } from './capped.ts'
import { type Index, indexFrom } from './index-spec.ts'
import type { Storage } from './storage.ts'
import { seriesFrom, type TimeSeries } from './time-series.ts'
import type { Txn } from './txn.ts'

export interface Collection {
  /** Never given twice, so that what is left of a dropped collection can be deleted at leisure. */
  id: number
  db: string
  name: string
  uuid: Binary
  options: Doc
  indexes: Index[]
  /** Indexes that are being filled: writes put their entries, and nobody else sees them. */
  building: Index[]
  /** Some _id was too long for an ordered key: no order can be read off the documents' keys. */
  hasInexactIds: boolean
  accepts: ((doc: Doc) => boolean) | undefined
  capped: Capped | undefined
  series: TimeSeries | undefined
  /** The open transaction that created it; nobody else sees it before the commit. */
  owner: Txn | undefined
}

interface Stored {
  id: number
  db: string
  name: string
  uuid: Binary
  options: Doc
  hasInexactIds: boolean
  /** Of a capped collection: the numbers of its order's entries. */
  order?: number[] | undefined
  indexes: { id: number; spec: Doc; multikey: boolean[]; isInexact: boolean }[]
}

/** What is left to delete of a dropped collection or index. */
export interface Garbage {
  kind: 'docs' | 'index'
  id: number
}

/** The collections and indexes: held in memory, written through inside `Storage.write`. */
export interface Catalog {
  find(db: string, name: string, txn?: Txn): Collection | undefined
  /** The open transaction that has created a collection of this name. */
  owner(db: string, name: string): Txn | undefined
  collections(db: string, txn?: Txn): Collection[]
  databases(): string[]
  hasViews(): boolean
  nextId(): number
  create(db: string, name: string, options: Doc, owner?: Txn): Collection
  /** Writes the collection's record: after its creation, and whenever an option, index or flag of it has changed. */
  save(collection: Collection): void
  /** Removes the collection from memory only: reverses a creation that was never saved. */
  forget(collection: Collection): void
  drop(collection: Collection): void
  dropIndexes(collection: Collection, indexes: readonly Index[]): void
  /** Begins to fill indexes. Until `finishBuild`, and after a crash, their entries are garbage. */
  startBuild(collection: Collection, indexes: readonly Index[]): void
  finishBuild(collection: Collection, indexes: readonly Index[]): void
  abortBuild(collection: Collection, indexes: readonly Index[]): void
  rename(collection: Collection, db: string, name: string): void
  garbage(): Garbage[]
  forgetGarbage(garbage: Garbage): void
  /** Reads everything again from the store: after a failed commit memory may be ahead of it. */
  reload(): void
}

const collectionPrefix = Buffer.from('c')
const garbagePrefix = Buffer.from('g')
const sequenceKey = Buffer.from('s')

/** Reads the catalog of an open store. */
export function openCatalog(storage: Storage): Catalog {
  const databases = new Map<string, Map<string, Collection>>()
  const inBuild = new Set<number>()
  let lastId = 0
  let views = 0
  const countView = ({ options }: Collection, change: number) => {
    if (options.viewOn !== undefined) views += change
  }

  const register = (collection: Collection) => {
    const names = databases.get(collection.db) ?? new Map<string, Collection>()
    databases.set(collection.db, names.set(collection.name, collection))
    countView(collection, 1)
  }
  const forget = (collection: Collection) => {
    const names = databases.get(collection.db)
    if (names?.delete(collection.name)) countView(collection, -1)
    if (names?.size === 0) databases.delete(collection.db)
  }
  const discard = (kind: Garbage['kind'], id: number) => storage.meta.put(garbageKey({ kind, id }), Buffer.from([1]))
  const isVisible = (collection: Collection, txn: Txn | undefined) => collection.owner === undefined || collection.owner === txn

  const catalog: Catalog = {
    find: (db, name, txn) => {
      const collection = databases.get(db)?.get(name)
      return collection && isVisible(collection, txn) ? collection : undefined
    },
    owner: (db, name) => databases.get(db)?.get(name)?.owner,
    collections: (db, txn) => [...(databases.get(db)?.values() ?? [])].filter(collection => isVisible(collection, txn)),
    databases: () => [...databases.keys()].filter(db => catalog.collections(db).length > 0),
    hasViews: () => views > 0,
    nextId: () => {
      lastId += 1
      return lastId
    },
    create: (db, name, options, owner) => {
      const order = options.capped ? [catalog.nextId(), catalog.nextId()] : undefined
      const collection = collectionFrom({ id: catalog.nextId(), db, name, uuid: newUuid(), options, hasInexactIds: false, indexes: [], order }, 0)
      collection.owner = owner
      register(collection)
      return collection
    },
    save: collection => {
      storage.meta.put(collectionKey(collection), encode({ ...storedForm(collection) }))
      const sequence = Buffer.alloc(4)
      sequence.writeUInt32BE(lastId)
      storage.meta.put(sequenceKey, sequence)
    },
    forget,
    drop: collection => {
      forget(collection)
      storage.meta.remove(collectionKey(collection))
      discard('docs', collection.id)
      for (const id of [...collection.indexes.map(index => index.id), ...orderOf(collection)]) discard('index', id)
    },
    dropIndexes: (collection, indexes) => {
      collection.indexes = collection.indexes.filter(index => !indexes.includes(index))
      for (const index of indexes) discard('index', index.id)
      catalog.save(collection)
    },
    startBuild: (collection, indexes) => {
      collection.building.push(...indexes)
      for (const { id } of indexes) {
        discard('index', id)
        inBuild.add(id)
      }
      catalog.save(collection)
    },
    finishBuild: (collection, indexes) => {
      catalog.abortBuild(collection, indexes)
      collection.indexes.push(...indexes)
      for (const { id } of indexes) catalog.forgetGarbage({ kind: 'index', id })
      catalog.save(collection)
    },
    abortBuild: (collection, indexes) => {
      collection.building = collection.building.filter(index => !indexes.includes(index))
      for (const { id } of indexes) inBuild.delete(id)
    },
    rename: (collection, db, name) => {
      storage.meta.remove(collectionKey(collection))
      forget(collection)
      Object.assign(collection, { db, name })
      register(collection)
      catalog.save(collection)
    },
    garbage: () =>
      [...storage.meta.scan({ start: garbagePrefix, end: Buffer.from('h') })]
        .map(({ key }) => garbageOf(key))
        .filter(({ kind, id }) => kind === 'docs' || !inBuild.has(id)),
    forgetGarbage: garbage => storage.meta.remove(garbageKey(garbage)),
    reload: () => {
      databases.clear()
      views = 0
      lastId = Math.max(lastId, storage.meta.get(sequenceKey)?.readUInt32BE(0) ?? 0)
      for (const { value } of storage.meta.scan({ start: collectionPrefix, end: Buffer.from('d') }))
        register(collectionFrom(readStored(value), storage.snapshots()))
    },
  }
  catalog.reload()
  return catalog
}

/** Refuses names that MongoDB refuses, and those that would be ambiguous in a namespace. */
export function checkNamespace(db: string, name: string): void {
  if (db === '' || /[\s./\\"$\0]/.test(db) || db.length > 63) fail(73, `Invalid database name: '${db}'`)
  if (name === '' || name.startsWith('.') || name.endsWith('.') || /[$\0]/.test(name)) fail(73, `Invalid namespace specified '${db}.${name}'`)
  if (name.startsWith('system.') && name !== 'system.js') fail(73, `Invalid system namespace: ${db}.${name}`)
  if (Buffer.byteLength(`${db}.${name}`) > 255) fail(73, `Fully qualified namespace is too long. Namespace: ${db}.${name} Max: 255`)
}

export function namespaceOf(collection: Pick<Collection, 'db' | 'name'>): string {
  return `${collection.db}.${collection.name}`
}

/** Sets the validator of a collection from its options. */
export function compileValidator(collection: Collection): void {
  const validator = collection.options.validator as Doc | undefined
  collection.accepts = validator && Object.keys(validator).length > 0 ? compileFilter(validator) : undefined
}

/** @param notIn number of the newest snapshot that may be without entries of the indexes */
function collectionFrom(stored: Stored, notIn: number): Collection {
  const indexes = stored.indexes.map(entry => ({
    ...indexFrom(entry.id, entry.spec),
    multikey: entry.multikey,
    isInexact: entry.isInexact,
    isReady: true,
    notIn,
  }))
  const { order, ...rest } = stored
  const capped = order && cappedFrom(stored.options, order[0]!, order[1]!)
  const collection: Collection = { ...rest, indexes, building: [], accepts: undefined, capped, series: seriesFrom(stored.options), owner: undefined }
  compileValidator(collection)
  return collection
}

function storedForm(collection: Collection): Stored {
  const { id, db, name, uuid, options, hasInexactIds } = collection
  const indexes = collection.indexes.map(({ id, spec, multikey, isInexact }) => ({ id, spec, multikey, isInexact }))
  const stored: Stored = { id, db, name, uuid, options, hasInexactIds, indexes }
  return collection.capped ? { ...stored, order: orderOf(collection) } : stored
}

/** The ranges of entries that store a capped collection's order. */
function orderOf({ capped }: Collection): number[] {
  return capped ? [capped.natural.id, capped.placesId] : []
}

function readStored(raw: Buffer): Stored {
  const doc = decode(raw) as unknown as Omit<Stored, 'id' | 'indexes' | 'order'> & {
    id: unknown
    order?: unknown[]
    indexes: (Omit<Stored['indexes'][number], 'id'> & { id: unknown })[]
  }
  const { order, ...rest } = doc
  return { ...rest, id: Number(doc.id), order: order?.map(Number), indexes: doc.indexes.map(index => ({ ...index, id: Number(index.id) })) }
}

function newUuid(): Binary {
  return new UUID(randomUUID()).toBinary()
}

function collectionKey(collection: Pick<Collection, 'id'>): Buffer {
  const key = Buffer.from('c0000')
  key.writeUInt32BE(collection.id, 1)
  return key
}

function garbageKey({ kind, id }: Garbage): Buffer {
  const key = Buffer.from(kind === 'docs' ? 'gd0000' : 'gi0000')
  key.writeUInt32BE(id, 2)
  return key
}

function garbageOf(key: Buffer): Garbage {
  return { kind: key[1] === 0x64 ? 'docs' : 'index', id: key.readUInt32BE(2) }
}
