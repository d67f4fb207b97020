import type { Draft } from '@carapace/api'
import type { ClientSession } from 'mongoose'
import { announce, type Database } from '../database.ts'
import { leaseUntil, outboxEntries, relayToken } from './entry.ts'

const collection = 'outbox'

/**
 * Events that belong to no aggregate of this service, such as an answer to a request for a snapshot. Durable before it resolves.
 * Where an aggregate changes too, its own outbox is the place: state and events are then one write.
 */
export function openOutbox(db: Database): (drafts: Draft[], session?: ClientSession) => Promise<void> {
  db.outboxes.set(collection, 'transient')
  const documents = db.connection.collection<{ _id: string } & Record<string, unknown>>(collection)
  return async (drafts, session) => {
    if (drafts.length === 0) return
    const now = db.clock.now()
    const id = db.newId()
    const entries = outboxEntries(db, drafts, 0, now)
    const lease = { token: relayToken, until: leaseUntil() }
    await documents.insertOne({ _id: id, version: 1, updatedAt: now, outbox: entries, pending: true, lease }, session ? { session } : {})
    announce(db, session, collection, id, { after: 0, version: 1, entries, isAll: true })
  }
}
