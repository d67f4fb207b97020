import { setTimeout as sleep } from 'node:timers/promises'
import { type Draft, type PageQuery, Refusal, type RuleCode, refuse } from '@carapace/api'
import type { ClientSession, Collection, mongo } from 'mongoose'
import { type Decision, type Envelope, newDocument, noneBut, type Stored, stored, updated, updateOf } from './aggregate-document.ts'
import { type Booking, bookingOf } from './booking.ts'
import { announce, type Database, whenEnded } from './database.ts'
import { isUnwritten, isWriteConflict, refuseDuplicate } from './errors/duplicate.ts'
import { changesOfMany, type Decide, newOfMany } from './gathered/aggregate-many.ts'
import { type Joined, readsOfMany } from './gathered/reads-of-many.ts'
import type { Indexes } from './indexes.ts'
import type { LedgerEntry } from './ledger-audit/entry.ts'
import { orExisting } from './or-existing.ts'
import { outboxEntries, outboxKey } from './outbox/entry.ts'
import { type Optimistic, recentOf } from './recent/recent.ts'
import type { ShareOf } from './share.ts'
import { openSums, type Sums } from './sums.ts'
import { type Page, totalsOf } from './totals.ts'
import { RowsInUse } from './transaction.ts'

export interface AggregateSpec<T, D extends Decision<T> = Decision<T>, P = LedgerEntry> extends Booking<T, D, P> {
  collection: string
  /** The word for it in error details: `{ resource: 'gig' }`. */
  resource: string
  /** By name, with fields of the state, and `createdAt`, `updatedAt` and `version`, which the store adds. */
  indexes?: Indexes
  /** Which refusal a collision on which named index means. `_id_` is the id itself. */
  duplicates?: Readonly<Record<string, RuleCode>>
  /** Sets fields that follow from the others and that lists are filtered by, before every write. Answers the state itself where they are right. */
  derive?: (state: T) => T
  /** A document in an older form as it is now. Every one that is read passes it; the present form is written with the next change. */
  upgrade?: (state: Stored<T>) => Stored<T>
  /**
   * `change` decides first on the document as this process last read or wrote it, a moment ago; a refusal, and "nothing to change", are decided again on a
   * fresh one. In a database to which no other process writes, what a trace has read or written is not read again by it. Only where every write to its
   * documents counts the version; `alone`: or is a `writePast`, and then only in such a database.
   */
  optimistic?: Optimistic
  /** Figures of the whole collection that are stored with it, for `sums`. */
  shareOf?: ShareOf<Stored<T>>
  /** Rises when `shareOf` says something else of the same document: what is stored is added up again then. Default 0. */
  shareForm?: number
}

export interface ChangeOptions {
  /** Id of the event that causes the change: a second delivery changes nothing. */
  cause?: string
  session?: ClientSession
}

export interface AggregateStore<T, D extends Decision<T> = Decision<T>> {
  /** Past the guard: for aggregations, and for fields that this store does not own. */
  readonly collection: Collection<mongo.Document>
  /** Stores a new aggregate with its first events. @throws the refusal named for the index it collides with */
  create(state: T, events: Draft[], options?: ChangeOptions): Promise<Stored<T>>
  /**
   * Creates the aggregate of an id that belongs to one request or event, or answers the existing one. `make` decides and may refuse; a refusal counts
   * only when no aggregate has the id, so that a repeat answers as the first did, also when the first made the repeat impossible.
   * @throws the refusals of `make` and of `create`
   * @example const gig = await gigs.createOnce(recordIdOf(operationId), () => post(draft, clock.now()))
   */
  createOnce(id: string, make: () => Decision<T> | Promise<Decision<T>>): Promise<Stored<T>>
  /** Stores new aggregates together, without events. Nothing else may belong to their writes. @throws as `create`: nothing is stored then */
  createAll(states: readonly T[], session: ClientSession): Promise<void>
  get(id: string, session?: ClientSession): Promise<Stored<T> | undefined>
  /** By id, in one read. */
  many(ids: readonly string[]): Promise<Map<string, Stored<T>>>
  /**
   * Those that this process has read or written not long ago, as they were then, where it alone writes. For decisions that nothing rests on but a write
   * which the version guards.
   */
  cached(ids: readonly string[]): Map<string, Stored<T>>
  /** As `many`, and documents of another collection of the database by the same read. */
  manyWith(ids: readonly string[], others: Joined): Promise<{ found: Map<string, Stored<T>>; joined: mongo.Document[] }>
  /** @throws NOT_FOUND */
  need(id: string, session?: ClientSession): Promise<Stored<T>>
  /**
   * Load → decide → save, in one guarded write that carries the events; with postings or other documents (see `Booking`), in one transaction with them.
   * Decides again when another write came between, at most 5 times.
   * @throws NOT_FOUND, CONFLICT, what `decide` refuses, and what the ledger refuses
   */
  change(id: string, decide: (state: Stored<T>) => D | undefined, options?: ChangeOptions): Promise<Stored<T>>
  /** As `change`; undefined when there is none of that id. */
  changeKnown(...args: Parameters<AggregateStore<T, D>['change']>): Promise<Stored<T> | undefined>
  /** As `changeKnown` for several, by one write where that suffices. For collections whose documents are never removed. */
  changeAll(decides: ReadonlyMap<string, Decide<T, D>>): Promise<Map<string, Stored<T>>>
  /** Deletes an aggregate that nobody else knows of; what was published needs an event, so a state instead. */
  remove(id: string): Promise<void>
  find(filter: Record<string, unknown>, options?: FindOptions): Promise<Stored<T>[]>
  /** What matches any of a few filters, each by its own index, in one read. */
  findAny(filters: readonly Record<string, unknown>[]): Promise<Stored<T>[]>
  count(filter: Record<string, unknown>): Promise<number>
  /** The stored figures by name; 0n for one that nothing adds to. */
  sums: Sums<Stored<T>>['read']
  /**
   * A page, newest first, of a filter with a range in it. An index knows the range or the order, not both: where few match they are sorted, where
   * many do, `inOrder`, an index in the order of the list, is walked until the page is full.
   */
  pageOfRange(filter: Record<string, unknown>, page: PageQuery, inOrder: string): Promise<Page<Stored<T>>>
  /** One page and the count of all matches, newest first unless sorted otherwise. What another process writes counts after 1 s at the latest. */
  page(filter: Record<string, unknown>, page: PageQuery, sort?: Record<string, 1 | -1>): Promise<Page<Stored<T>>>
}

export interface FindOptions {
  sort?: Record<string, 1 | -1>
  limit?: number
  offset?: number
  /** Name of the index to use. */
  hint?: string
}

const newestFirst: Record<string, 1 | -1> = { createdAt: -1, _id: -1 }
const attempts = 5
const outboxIndex: Indexes = { outbox_pending: { key: { pending: 1 }, partialFilterExpression: { pending: true } } }

/**
 * A collection of aggregates: one document each, with its version and its outbox inside, so that state and events are one write.
 * @example const gigs = aggregateStore<Gig>(db, { collection: 'gigs', resource: 'gig', indexes })
 */
export function aggregateStore<T extends { id: string }, D extends Decision<T> = Decision<T>, P = LedgerEntry>(
  db: Database,
  spec: AggregateSpec<T, D, P>,
): AggregateStore<T, D> {
  const raw = db.collection<Envelope>(spec.collection, { ...spec.indexes, ...outboxIndex })
  db.outboxes.set(spec.collection, 'permanent')
  const totals = totalsOf(db, spec.collection)

  const read = (document: Envelope): Stored<T> => (spec.upgrade ? spec.upgrade(stored<T>(document)) : stored<T>(document))
  const all = async function* (session: ClientSession) {
    for await (const document of raw.find({}, { session, projection: { outbox: 0, processed: 0 } })) yield read(document)
  }
  const sums = openSums(db, spec.collection, spec.shareOf, all, spec.shareForm)

  const booking = bookingOf<T, D, P>(db, spec.collection, spec)

  const derive = spec.derive ?? ((state: T) => state)
  const recent = recentOf(db, spec.collection, spec.optimistic ?? false)
  const load = async (id: string, session?: ClientSession) => {
    const reading = recent.begin()
    const document = await raw.findOne({ _id: id }, session ? { session } : {})
    if (document && !session) recent.put(document, reading)
    return document
  }
  const present = async (id: string) => recent.exact(id) ?? load(id)
  /** What is decided on the document, unless that is a refusal or nothing: then it may be old. */
  const decidedOn = (document: Envelope | undefined, decide: Decide<T, D>, cause?: string): D | undefined => {
    if (!document || (cause && document.processed?.includes(cause))) return undefined
    try {
      return decide(read(document))
    } catch {
      return undefined
    }
  }

  const change: AggregateStore<T, D>['changeKnown'] = async (id, decide, options = {}) => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (attempt > 1) await breathe(attempt)
      const cached = attempt === 1 ? recent.get(id) : undefined
      const early = decidedOn(cached, decide, options.cause)
      const document = early ? cached : await (attempt === 1 && !options.session ? present(id) : load(id, options.session))
      if (!document) return undefined
      const before = read(document)
      if (options.cause && document.processed?.includes(options.cause)) return before
      const decision = early ?? decide(before)
      if (!decision) return before
      const state = derive(decision.state)
      const now = db.clock.now()
      const version = document.version + 1
      const outbox = outboxEntries(db, decision.events, version, now)
      const after: Stored<T> = { ...state, id, version, createdAt: document.createdAt, updatedAt: now }
      // one of a transaction may be reversed
      const sent = outbox.length === 0 && !options.session ? db.sentOutboxes.get(outboxKey(spec.collection, id)) : undefined
      const step = { version, now, outbox, cause: options.cause, emptied: attempt === 1 ? sent : undefined }
      const update = updateOf(document, state, step)
      const guardedUpdate = async (session: { session?: ClientSession }) => {
        const { modifiedCount } = await raw
          .updateOne({ _id: id, version: document.version, ...(step.emptied ? noneBut(step.emptied) : {}) }, update, session)
          .catch((error: unknown) => refuseDuplicate(error, spec.duplicates ?? {}))
        return modifiedCount === 1
      }
      const written = updated(document, state, step)
      const release = recent.hold(id)
      let isWritten = false
      try {
        isWritten = await booking.write({ before, after, decision, session: options.session }, own =>
          sums.write(before, after, own.session, guardedUpdate),
        )
      } catch (error) {
        const isRace = isWriteConflict(error)
        // what was decided on an old document is decided again; its time is over where others had the rows all along
        const mayBeOld = early && isUnwritten(error) && !(error instanceof RowsInUse)
        // a transaction that others began has what it wrote so far: only they can begin again
        if (options.session || !(isRace || mayBeOld)) throw error
      } finally {
        if (isWritten && options.session) whenEnded(options.session, isCommitted => release(isCommitted ? written : undefined))
        else release(isWritten ? written : undefined)
      }
      if (isWritten) {
        announce(db, options.session, spec.collection, id, { after: document.version, version, entries: outbox, isAll: !document.pending })
        if (step.emptied) db.changes.emit('emptied', spec.collection, id)
        return after
      }
    }
    return refuse('CONFLICT')
  }

  const isPlain = (before: Stored<T>, after: Stored<T>, decision: D) => booking.isNothing(before, after, decision) && !sums.differ(before, after)
  const parts = { db, collection: spec.collection, raw, recent, read, derive, decidedOn, isPlain, changeOne: change }

  const store: AggregateStore<T, D> = {
    collection: raw as unknown as Collection<mongo.Document>,

    create: async (given, events, options = {}) => {
      const state = derive(given)
      const now = db.clock.now()
      const outbox = outboxEntries(db, events, 1, now)
      const document = newDocument(state, { now, outbox, cause: options.cause })
      const insert = async (session: { session?: ClientSession }) => {
        await raw.insertOne(document, session).catch((error: unknown) => refuseDuplicate(error, { _id_: 'ALREADY_EXISTS', ...spec.duplicates }))
        return true
      }
      const after = stored<T>(document)
      try {
        await booking.write({ before: undefined, after, decision: undefined, session: options.session }, own =>
          sums.write(undefined, after, own.session, insert),
        )
      } catch (error) {
        const existing = options.cause && error instanceof Refusal ? await load(state.id, options.session) : undefined
        if (existing?.processed?.includes(options.cause!)) return read(existing)
        throw error
      }
      const release = recent.hold(state.id)
      if (options.session) whenEnded(options.session, isCommitted => release(isCommitted ? document : undefined))
      else release(document)
      announce(db, options.session, spec.collection, state.id, { after: 0, version: 1, entries: outbox, isAll: true })
      return after
    },

    createAll: newOfMany(parts, sums),

    createOnce: (id, make) => {
      const created = async () => {
        const { state, events } = await make()
        return store.create({ ...state, id }, events)
      }
      return orExisting(created(), () => store.get(id))
    },

    get: async (id, session) => {
      const document = await (session ? load(id, session) : present(id))
      return document ? read(document) : undefined
    },

    ...readsOfMany(parts),

    need: async (id, session) => (await store.get(id, session)) ?? refuse('NOT_FOUND', { resource: spec.resource }),

    changeKnown: (id, decide, options = {}) =>
      options.session ? change(id, decide, options) : recent.inOrder(id, () => change(id, decide, options)),
    change: async (id, decide, options) => (await store.changeKnown(id, decide, options)) ?? refuse('NOT_FOUND', { resource: spec.resource }),
    changeAll: changesOfMany(parts),
    remove: async id => {
      const document = await load(id)
      const release = recent.hold(id)
      if (document)
        await sums
          .write(read(document), undefined, undefined, async session => (await raw.deleteOne({ _id: id }, session)).deletedCount === 1)
          .finally(() => release())
      else release()
      totals.forget()
    },

    find: async (filter, { sort = newestFirst, limit = 0, offset = 0, hint } = {}) => {
      const options = { sort, limit, skip: offset, projection: { outbox: 0, processed: 0 }, ...(hint === undefined ? {} : { hint }) }
      const documents = await raw.find(filter, options).toArray()
      return documents.map(read)
    },

    findAny: async ([first, ...others]) => {
      const stages = (filter: Record<string, unknown>) => [{ $match: filter }, { $project: { outbox: 0, processed: 0 } }]
      const unions = others.map(filter => ({ $unionWith: { coll: spec.collection, pipeline: stages(filter) } }))
      const documents = first ? await raw.aggregate<Envelope>([...stages(first), ...unions]).toArray() : []
      return [...new Map(documents.map(document => [document._id, read(document)])).values()]
    },

    count: filter => raw.countDocuments(filter),

    sums: () => sums.read(),

    pageOfRange: async (filter, page, inOrder) => {
      const total = await totals.of(filter)
      if (total <= page.offset) return { items: [], total }
      const all = await raw.estimatedDocumentCount()
      const walked = ((page.offset + page.limit) * all) / total
      return { items: await store.find(filter, { ...page, ...(walked < total ? { hint: inOrder } : {}) }), total }
    },

    page: (filter, page, sort) => totals.page(filter, page, () => store.find(filter, { ...page, ...(sort ? { sort } : {}) })),
  }
  return store
}

/** Losers that retry immediately would collide again: they wait a random time, within some milliseconds. */
const breathe = (attempt: number) => sleep(Math.random() * attempt * 8)
