import { EventEmitter } from 'node:events'
import mongoose, { type ClientSession, type Collection, type Connection, type mongo } from 'mongoose'
import { v7 } from 'uuid'
import { type Clock, wallClock } from './clock.ts'
import { PromptConnection } from './driver-connection.ts'
import { createIndexes, type Indexes } from './indexes.ts'
import { type Handoff, joined, leaseMs } from './outbox/entry.ts'
import { serverFault } from './server/requirements.ts'
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
  /** No other process writes to this database. */
  exclusive?: boolean
}

type Changes = {
  saved: [collection: string, id: string, handoff: Handoff | undefined]
  cleared: [collection: string, id: string, version: number]
  emptied: [collection: string, id: string]
  /** A write past a store begins, and has ended. @param ids undefined: of any document */
  writing: [collection: string, ids: readonly string[] | undefined, write: object]
  wrote: [collection: string, ids: readonly string[] | undefined, write: object]
}

/** One service's own database and what every store in it needs. */
export interface Database {
  readonly name: string
  /** No other process writes to this database. */
  readonly exclusive: boolean
  readonly connection: Connection
  readonly clock: Clock
  newId(): string
  traceparent(): string | undefined
  /**
   * Emits `saved` after each committed aggregate write in this process, `cleared` when the events up to a version were sent and none is left, `emptied`
   * when a write of the document has emptied its outbox.
   */
  readonly changes: EventEmitter<Changes>
  /** Ids of the events in an outbox whose last ones were sent, while it waits to be emptied; by `outboxKey`. */
  readonly sentOutboxes: Map<string, ReadonlySet<string>>
  /** Collections that hold outboxes, and whether a document goes away once its outbox is sent. */
  readonly outboxes: Map<string, 'permanent' | 'transient'>
  /** A collection as the driver gives it; `init` creates its indexes. */
  collection<Row extends mongo.Document = mongo.Document>(name: string, indexes?: Indexes): Collection<Row>
  /**
   * Runs `work` in one multi-document transaction, again when another one wrote the same documents first, for 10 s at most unless `limitMs` says
   * otherwise. Meant for ledger postings with their reservation. @throws what `work` throws; CONFLICT, TIMEOUT
   */
  transaction<T>(work: (session: ClientSession) => Promise<T>, limitMs?: number): Promise<T>
  /** Creates the indexes of all collections that were opened until now. */
  init(): Promise<void>
  ready(): boolean
  close(): Promise<void>
}

/**
 * Opens a service's database. int64 is bigint in both directions, so money never becomes a float.
 * @throws MongoServerSelectionError when nothing answers within 5 s: `isUnavailable`; Error for a server that lacks what the stores need
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const connection = await connected(options)
  const tables = new Map<string, Indexes>()
  const changes = new EventEmitter<Changes>().setMaxListeners(0)
  return {
    name: options.name,
    exclusive: options.exclusive ?? false,
    connection,
    clock: options.clock ?? wallClock,
    newId: options.newId ?? (() => v7()),
    traceparent: options.traceparent ?? (() => undefined),
    changes,
    sentOutboxes: new Map(),
    outboxes: new Map(),
    collection: (name, indexes) => {
      tables.set(name, { ...tables.get(name), ...indexes })
      return connection.collection(name)
    },
    transaction: async (work, limitMs) => {
      let touched: Touched = new Map()
      let startedAt = 0
      let ends: Ending[] = []
      const end = (isCommitted: boolean) => {
        for (const ending of ends) ending(isCommitted)
        ends = []
      }
      const attempt = (session: ClientSession) => {
        end(false)
        touched = new Map()
        startedAt = performance.now()
        savedIn.set(session, touched)
        endingsOf.set(session, ends)
        return work(session)
      }
      let isCommitted = false
      let result: Awaited<ReturnType<typeof work>>
      try {
        result = await runTransaction(connection, attempt, limitMs)
        isCommitted = true
      } finally {
        end(isCommitted)
      }
      // its leases have run since the writes: one that is old already is claimed again
      const isFresh = performance.now() - startedAt < leaseMs / 2
      for (const { collection, id, handoff } of touched.values()) changes.emit('saved', collection, id, isFresh ? handoff : undefined)
      return result
    },
    init: async () => {
      await Promise.all([...tables].map(([name, indexes]) => createIndexes(connection.collection(name), indexes)))
    },
    ready: () => connection.readyState === mongoose.ConnectionStates.connected,
    close: () => connection.close(),
  }
}

async function connected({ uri, name }: DatabaseOptions): Promise<Connection> {
  const connection = mongoose.createConnection(uri, {
    dbName: name,
    useBigInt64: true,
    autoIndex: false,
    autoCreate: false,
    serverSelectionTimeoutMS: 5_000,
    maxPoolSize: 20,
    // An option of the driver that its types leave out.
    ...{ connectionType: PromptConnection },
  })
  try {
    await connection.asPromise()
    const fault = serverFault(await connection.db!.command({ hello: 1 }))
    if (fault !== undefined) throw new Error(`MONGODB_URI: ${fault}`)
    return connection
  } catch (error) {
    // else mongoose holds it for ever, and a start tries many times
    await connection.close()
    throw error
  }
}

/** What a transaction wrote, by collection and id. */
type Touched = Map<string, { collection: string; id: string; handoff: Handoff | undefined }>
const savedIn = new WeakMap<ClientSession, Touched>()

const nothingToSend: Handoff = { after: 0, version: 0, entries: [], isAll: false }

type Ending = (isCommitted: boolean) => void
const endingsOf = new WeakMap<ClientSession, Ending[]>()

/** Calls `ending` when the transaction has been committed, or cannot be any more. */
export function whenEnded(session: ClientSession, ending: Ending): void {
  endingsOf.get(session)?.push(ending)
}

/**
 * Writes documents past their store, so that what caches them reads them again.
 * @param ids undefined: any of the collection
 * @example await writePast(db, 'agents', ids, () => agents.bulkWrite(updates))
 */
export async function writePast(db: Database, collection: string, ids: readonly string[] | undefined, write: () => Promise<unknown>): Promise<void> {
  const own = {}
  db.changes.emit('writing', collection, ids, own)
  try {
    await write()
  } finally {
    db.changes.emit('wrote', collection, ids, own)
  }
  for (const id of ids ?? []) db.changes.emit('saved', collection, id, nothingToSend)
}

/** Announces a write: immediately, or after the commit when it is part of a transaction. `handoff` is what the write added to the outbox. */
export function announce(db: Database, session: ClientSession | undefined, collection: string, id: string, handoff?: Handoff): void {
  if (!session) {
    db.changes.emit('saved', collection, id, handoff)
    return
  }
  const touched = savedIn.get(session)
  const key = `${collection}/${id}`
  const before = touched?.get(key)
  const all = before && (handoff && before.handoff ? joined(before.handoff, handoff) : undefined)
  touched?.set(key, { collection, id, handoff: before ? all : handoff })
}
