import { EventEmitter } from 'node:events'
import mongoose, { type ClientSession, type Collection, type Connection, type mongo, type Schema } from 'mongoose'
import { v7 } from 'uuid'
import { type Clock, wallClock } from './clock.ts'
import { PromptConnection } from './driver-connection.ts'
import type { Handoff } from './outbox/entry.ts'
import { runTransaction } from './transaction.ts'

export interface DatabaseOptions {
  /** Any MongoDB, replica set or the embedded engine. */
  uri: string
  /** `<DB_PREFIX>carapace_<service>` */
  name: string
  clock?: Clock
  newId?: () => string
  /** W3C traceparent of the work in hand, stored with each event so that the trace goes on after the outbox. */
  traceparent?: () => string | undefined
}

/** Any mongoose schema. Comparing two kinds of them costs the compiler seconds in each place. */
interface Indexed {
  indexes(): unknown
}

/** One service's own database and what every store in it needs. */
export interface Database {
  readonly name: string
  readonly connection: Connection
  readonly clock: Clock
  newId(): string
  traceparent(): string | undefined
  /** Emits `saved` with (collection, id, handoff) after each committed aggregate write in this process. */
  readonly changes: EventEmitter<{ saved: [collection: string, id: string, handoff: Handoff | undefined] }>
  /** Collections that hold outboxes, and whether a document goes away once its outbox is sent. */
  readonly outboxes: Map<string, 'keep' | 'delete'>
  /** A collection as the driver gives it; `init` makes the indexes of its schema. */
  collection<Row extends mongo.Document = mongo.Document>(name: string, schema: Indexed): Collection<Row>
  /**
   * Runs `work` in one multi-document transaction, again when another one wrote the same documents first, for 10 s at most unless `limitMs` says
   * otherwise. Meant for ledger postings with their reservation. @throws what `work` throws; CONFLICT, TIMEOUT
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>, limitMs?: number): Promise<T>
  /** Makes the indexes of all models that were defined. */
  init(): Promise<void>
  ready(): boolean
  close(): Promise<void>
}

/**
 * Opens a service's database. int64 is bigint in both directions, so money never becomes a float.
 * @throws MongoServerSelectionError when nothing answers within 5 s
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const connection = await mongoose
    .createConnection(options.uri, {
      dbName: options.name,
      useBigInt64: true,
      autoIndex: false,
      autoCreate: false,
      serverSelectionTimeoutMS: 5_000,
      maxPoolSize: 20,
      // An option of the driver that its types leave out.
      ...{ connectionType: PromptConnection },
    })
    .asPromise()
  const models: ReturnType<Defining['model']>[] = []
  const changes = new EventEmitter<{ saved: [string, string, Handoff | undefined] }>().setMaxListeners(0)
  return {
    name: options.name,
    connection,
    clock: options.clock ?? wallClock,
    newId: options.newId ?? (() => v7()),
    traceparent: options.traceparent ?? (() => undefined),
    changes,
    outboxes: new Map(),
    collection: (name, schema) => {
      models.push((connection as unknown as Defining).model(name, schema as unknown as Schema, name))
      return connection.collection(name)
    },
    transaction: async (work, limitMs) => {
      let touched: [string, string][] = []
      const attempt = (session: ClientSession) => {
        touched = []
        savedIn.set(session, touched)
        return work(session)
      }
      const result = await runTransaction(connection, attempt, limitMs)
      for (const [collection, id] of touched) changes.emit('saved', collection, id, undefined)
      return result
    },
    init: async () => {
      await Promise.all(models.map(model => model.createIndexes()))
    },
    ready: () => connection.readyState === mongoose.ConnectionStates.connected,
    close: () => connection.close(),
  }
}

/** What is used of mongoose's models. Their own types cost the compiler seconds in every project that meets them. */
interface Defining {
  model(name: string, schema: Schema, collection: string): { createIndexes(): Promise<unknown> }
}

const savedIn = new WeakMap<ClientSession, [string, string][]>()

const nothingToSend: Handoff = { version: 0, entries: [] }

/** Notifies caches of this collection that a document was written past its store. @example announceWritten(db, 'agents', agentId) */
export function announceWritten(db: Database, collection: string, id: string): void {
  db.changes.emit('saved', collection, id, nothingToSend)
}

/** Announces a write: immediately, or after the commit when it is part of a transaction. `handoff` is the outbox that the write leased to this process. */
export function announce(db: Database, session: ClientSession | undefined, collection: string, id: string, handoff?: Handoff): void {
  if (session) savedIn.get(session)?.push([collection, id])
  else db.changes.emit('saved', collection, id, handoff)
}
