import { setTimeout as sleep } from 'node:timers/promises'
import { type Draft, type ErrorCode, type PageQuery, Refusal, refuse } from '@carapace/api'
import type { ClientSession, Collection, mongo, Schema } from 'mongoose'
import { type Envelope, envelopeFields, fieldsOf, type Stored, stored, updateOf } from './aggregate-document.ts'
import { announce, type Database } from './database.ts'
import { duplicateIndex, refuseDuplicate } from './duplicate.ts'
import { leaseUntil, outboxEntries, relayToken } from './outbox/entry.ts'
import type { ShareOf } from './share.ts'
import { openSums, type Sums } from './sums.ts'
import { type Page, totalsOf } from './totals.ts'

/** What a pure rule answers: the new state and the events that the change causes. undefined = nothing to change. */
export interface Decision<T> {
  state: T
  events: Draft[]
}

export interface AggregateSpec<T> {
  collection: string
  /** The word for it in error details: `{ resource: 'gig' }`. */
  resource: string
  /** Fields and named indexes. The store adds version, times and the outbox. */
  schema: Schema<T>
  /** Which refusal a collision on which named index means. `_id_` is the id itself. */
  duplicates?: Readonly<Record<string, ErrorCode>>
  /** Sets fields that follow from the others and that lists are filtered by, before every write. Answers the state itself where they are right. */
  derive?: (state: T) => T
  /** Figures of the whole collection that are stored with it, for `sums`. */
  shareOf?: ShareOf<Stored<T>>
}

export interface ChangeOptions {
  /** Id of the event that causes the change: a second delivery changes nothing. */
  cause?: string
  session?: ClientSession
}

export interface AggregateStore<T> {
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
  get(id: string, session?: ClientSession): Promise<Stored<T> | undefined>
  /** @throws NOT_FOUND */
  need(id: string, session?: ClientSession): Promise<Stored<T>>
  /**
   * Load → decide → save, in one guarded write that carries the events. Decides again when another write came between, at most 5 times.
   * @throws NOT_FOUND, CONFLICT, and what `decide` refuses
   */
  change(id: string, decide: (state: Stored<T>) => Decision<T> | undefined, options?: ChangeOptions): Promise<Stored<T>>
  /** Deletes an aggregate that nobody else knows of; what was published needs an event, so a state instead. */
  remove(id: string): Promise<void>
  find(filter: Record<string, unknown>, options?: FindOptions): Promise<Stored<T>[]>
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

/**
 * A collection of aggregates: one document each, with its version and its outbox inside, so that state and events are one write.
 * @example const gigs = aggregateStore<Gig>(db, { collection: 'gigs', resource: 'gig', schema })
 */
export function aggregateStore<T extends { id: string }>(db: Database, spec: AggregateSpec<T>): AggregateStore<T> {
  const schema = spec.schema.clone() as unknown as Schema
  schema.add(envelopeFields)
  schema.index({ pending: 1 }, { name: 'outbox_pending', partialFilterExpression: { pending: true } })
  schema.set('versionKey', false)
  const raw = db.collection<Envelope>(spec.collection, schema)
  db.outboxes.set(spec.collection, 'keep')
  const totals = totalsOf(db, spec.collection)

  const all = async function* (session: ClientSession) {
    for await (const document of raw.find({}, { session, projection: { outbox: 0, processed: 0 } })) yield stored<T>(document)
  }
  const sums = openSums(db, spec.collection, spec.shareOf, all)

  const derive = spec.derive ?? ((state: T) => state)
  const load = (id: string, session?: ClientSession) => raw.findOne({ _id: id }, session ? { session } : {})

  const store: AggregateStore<T> = {
    collection: raw as unknown as Collection<mongo.Document>,

    create: async (given, events, options = {}) => {
      const state = derive(given)
      const now = db.clock.now()
      const outbox = outboxEntries(db, events, 1, now)
      const document = {
        ...fieldsOf(state),
        _id: state.id,
        version: 1,
        createdAt: now,
        updatedAt: now,
        outbox,
        ...(outbox.length ? { pending: true as const, ...(options.session ? {} : { lease: { token: relayToken, until: leaseUntil() } }) } : {}),
        ...(options.cause ? { processed: [options.cause] } : {}),
      }
      try {
        await sums.write(undefined, stored<T>(document), options.session, async session => (await raw.insertOne(document, session)).acknowledged)
      } catch (error) {
        const index = duplicateIndex(error)
        const existing = options.cause && index === '_id_' ? await load(state.id, options.session) : undefined
        if (existing?.processed?.includes(options.cause!)) return stored<T>(existing)
        refuseDuplicate(error, { _id_: 'ALREADY_EXISTS', ...spec.duplicates })
      }
      announce(db, options.session, spec.collection, state.id, { version: 1, entries: outbox })
      return stored<T>(document)
    },

    createOnce: async (id, make) => {
      try {
        const { state, events } = await make()
        return await store.create({ ...state, id }, events)
      } catch (error) {
        const existing = error instanceof Refusal ? await store.get(id) : undefined
        if (existing) return existing
        throw error
      }
    },

    get: async (id, session) => {
      const document = await load(id, session)
      return document ? stored<T>(document) : undefined
    },

    need: async (id, session) => (await store.get(id, session)) ?? refuse('NOT_FOUND', { resource: spec.resource }),

    change: async (id, decide, options = {}) => {
      for (let attempt = 1; attempt <= attempts; attempt++) {
        if (attempt > 1) await breathe(attempt)
        const document = (await load(id, options.session)) ?? refuse('NOT_FOUND', { resource: spec.resource })
        const before = stored<T>(document)
        if (options.cause && document.processed?.includes(options.cause)) return before
        const decision = decide(before)
        if (!decision) return before
        const state = derive(decision.state)
        const now = db.clock.now()
        const version = document.version + 1
        const outbox = outboxEntries(db, decision.events, version, now)
        const after: Stored<T> = { ...state, id, version, createdAt: document.createdAt, updatedAt: now }
        const update = updateOf(document, state, { version, now, outbox, cause: options.cause, lease: !options.session })
        const isWritten = await sums
          .write(before, after, options.session, async session => {
            const { modifiedCount } = await raw.updateOne({ _id: id, version: document.version }, update, session)
            return modifiedCount === 1
          })
          .catch((error: unknown) => refuseDuplicate(error, spec.duplicates ?? {}))
        if (isWritten) {
          announce(db, options.session, spec.collection, id, document.pending ? undefined : { version, entries: outbox })
          return after
        }
      }
      return refuse('CONFLICT')
    },

    remove: async id => {
      const document = await load(id)
      if (document)
        await sums.write(stored<T>(document), undefined, undefined, async session => (await raw.deleteOne({ _id: id }, session)).deletedCount === 1)
      totals.forget()
    },

    find: async (filter, { sort = newestFirst, limit = 0, offset = 0, hint } = {}) => {
      const options = { sort, limit, skip: offset, projection: { outbox: 0, processed: 0 }, ...(hint === undefined ? {} : { hint }) }
      const documents = await raw.find(filter, options).toArray()
      return documents.map(document => stored<T>(document))
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
