import type { mongo } from 'mongoose'
import type { Database } from '../database.ts'
import { type Handoff, leaseUntil, type OutboxEntry, relayToken } from './entry.ts'

/** What a relay sees of a document with an outbox. */
export interface Pending {
  _id: string
  version: number
  outbox: OutboxEntry[]
  pending?: true
  lease?: { token: string; until: Date }
  updatedAt: Date
}
export type PendingFilter = mongo.Filter<Pending>

/** A document as a sweep read it. */
export type Swept = Pick<Pending, '_id'> & Partial<Pick<Pending, 'version' | 'outbox'>>

/** How relays divide the outboxes of a database among themselves. */
export interface Claims {
  /** Documents whose outbox may be sent by this process. */
  claimable(): PendingFilter
  /** Documents that this process sends and no other has claimed. */
  own: PendingFilter
  /** Claims a document's outbox; undefined when it is empty or another process has it. */
  one(collection: string, id: string): Promise<Handoff | undefined>
  /** What a sweep reads of a document: no more than `many` needs. */
  swept: Readonly<Record<string, 1>>
  /** As `one`, for a backlog that was swept: two calls of the database at most, however many documents. */
  many(collection: string, swept: readonly Swept[]): Promise<{ id: string; handoff: Handoff }[]>
  /** Those of the documents that still have an outbox, by one call; undefined where each has to be claimed again. */
  uncleared(collection: string, documents: readonly { id: string }[]): Promise<Map<string, Handoff> | undefined>
  /** Holds documents for another lease: a publish may last longer than one, in process as long as its slowest handler. */
  renew(collection: string, ids: readonly string[]): Promise<void>
}

const asSent = { version: 1, outbox: 1 } as const
const handoffOf = ({ version, outbox }: Pending): Handoff => ({ after: 0, version, entries: outbox, isAll: true })
const among = (ids: readonly string[]) => ({ _id: { $in: [...ids] } })
const handedOver = (document: Pending) => ({ id: document._id, handoff: handoffOf(document) })

/** Replicas share the database: who sends a document holds a lease on it, which the write of an event acquires with it. */
export function leasedClaims(db: Database): Claims {
  const raw = (collection: string) => db.connection.collection<Pending>(collection)
  const own: PendingFilter = { pending: true, 'lease.token': relayToken }
  const lease = () => ({ $set: { lease: { token: relayToken, until: leaseUntil() } } })
  const claimable = (): PendingFilter => ({
    pending: true,
    $or: [{ lease: { $exists: false } }, { 'lease.until': { $lt: new Date() } }, { 'lease.token': relayToken }],
  })
  return {
    claimable,
    own,
    one: async (collection, id) => {
      const document = await raw(collection).findOneAndUpdate({ _id: id, ...claimable() }, lease(), { returnDocument: 'after', projection: asSent })
      return document ? handoffOf(document as Pending) : undefined
    },
    swept: { _id: 1 },
    many: async (collection, swept) => {
      const ids = swept.map(({ _id }) => _id)
      await raw(collection).updateMany({ ...among(ids), ...claimable() }, lease())
      const claimed = raw(collection).find({ ...among(ids), ...own }, { projection: asSent })
      return (await claimed.toArray()).map(handedOver)
    },
    uncleared: async () => undefined,
    renew: async (collection, ids) => {
      await raw(collection).updateMany({ ...among(ids), 'lease.token': relayToken }, { $set: { 'lease.until': leaseUntil() } })
    },
  }
}

/** One process has the database to itself: nothing needs to be claimed, and what leases say, also those of a former life, counts for nothing. */
export function soleClaims(db: Database): Claims {
  const raw = (collection: string) => db.connection.collection<Pending>(collection)
  const own: PendingFilter = { pending: true }
  return {
    claimable: () => own,
    own,
    one: async (collection, id) => {
      const document = await raw(collection).findOne({ _id: id, ...own }, { projection: asSent })
      return document ? handoffOf(document) : undefined
    },
    swept: asSent,
    many: async (_collection, swept) => (swept as Pending[]).map(handedOver),
    uncleared: async (collection, documents) => {
      const ids = documents.map(({ id }) => id)
      const found = await raw(collection)
        .find({ ...among(ids), ...own }, { projection: asSent })
        .toArray()
      return new Map(found.map(document => [document._id, handoffOf(document as Pending)]))
    },
    renew: async () => undefined,
  }
}
