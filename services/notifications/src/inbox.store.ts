import { EventEmitter } from 'node:events'
import type { Notification, PageQuery } from '@carapace/api'
import { type Database, duplicateIndex, gathered, type Indexes, totalsOf } from '@carapace/store'
import type { Notice } from './notices/rule.ts'

interface Entry {
  _id: string
  agentId: string
  type: Notification['type']
  title: string
  message: string
  read: boolean
  metadata: Record<string, unknown>
  /** The event that caused it: one entry per agent and event. */
  eventId: string
  createdAt: Date
  /** Wall clock, for the 180 days after which the database removes it. */
  storedAt: Date
}

export interface Inbox {
  /** Adds what is not there yet: a redelivered event adds nothing. */
  add(eventId: string, notices: readonly Notice[]): Promise<void>
  page(agentId: string, page: PageQuery & { unreadOnly: boolean }): Promise<{ notifications: Notification[]; total: number }>
  unread(agentId: string): Promise<number>
  /** What came at `from` or later, oldest first. */
  since(agentId: string, from: Date, limit: number): Promise<Notification[]>
  /** One of the agent's own entries. */
  get(agentId: string, id: string): Promise<Notification | undefined>
  newest(agentId: string): Promise<Notification | undefined>
  /** What an event has put into an agent's inbox. */
  ofEvent(agentId: string, eventId: string): Promise<Notification | undefined>
  /** Emits an agent's id when this process adds an entry of theirs; entries of other replicas are found by polling. */
  added: EventEmitter
  /** Marks the agent's own entries; ids of others are not touched. Resolves to how many changed. */
  mark(agentId: string, read: boolean, ids?: readonly string[]): Promise<number>
}

/** A step of a gig is announced by several events, one causing the other. */
const momentMs = 200
const retentionSeconds = 180 * 86_400

const indexes: Indexes = {
  agent_event: { key: { agentId: 1, eventId: 1 }, unique: true },
  agent_newest: { key: { agentId: 1, createdAt: -1, _id: -1 } },
  agent_read_newest: { key: { agentId: 1, read: 1, createdAt: -1, _id: -1 } },
  kept: { key: { storedAt: 1 }, expireAfterSeconds: retentionSeconds },
}

export function inboxStore(db: Database): Inbox {
  const entries = db.collection<Entry>('notifications', indexes)
  const totals = totalsOf(db, 'notifications')
  const added = new EventEmitter()
  /** The notices of one moment in one write. */
  const addAll = gathered(async (all: readonly { eventId: string; notices: readonly Notice[] }[]) => {
    const createdAt = db.clock.now()
    const documents = all.flatMap(({ eventId, notices }) =>
      notices.map(({ to, ...notice }) => ({ _id: db.newId(), agentId: to, ...notice, read: false, eventId, createdAt, storedAt: new Date() })),
    )
    await entries.insertMany(documents, { ordered: false }).catch((error: unknown) => {
      // of several events each is tried alone: a duplicate must not hide another error
      if (duplicateIndex(error) === undefined || all.length > 1) throw error
    })
    totals.forget()
    for (const agentId of new Set(documents.map(document => document.agentId))) added.emit(agentId)
    return all.map(() => undefined)
  }, momentMs)
  return {
    added,
    add: async (eventId, notices) => {
      if (notices.length > 0) await addAll({ eventId, notices })
    },
    page: async (agentId, { limit, offset, unreadOnly }) => {
      const filter = { agentId, ...(unreadOnly ? { read: false } : {}) }
      const { items, total } = await totals.page(filter, { limit, offset }, () =>
        entries.find(filter, { sort: { createdAt: -1, _id: -1 }, skip: offset, limit }).toArray(),
      )
      return { notifications: items.map(view), total }
    },
    since: async (agentId, from, limit) =>
      (
        await entries
          .find({ agentId, createdAt: { $gte: from } })
          .sort({ createdAt: 1, _id: 1 })
          .limit(limit)
          .toArray()
      ).map(view),
    get: async (agentId, id) => {
      const entry = await entries.findOne({ _id: id, agentId })
      return entry ? view(entry) : undefined
    },
    newest: async agentId => {
      const entry = await entries.find({ agentId }, { sort: { createdAt: -1, _id: -1 }, limit: 1 }).next()
      return entry ? view(entry) : undefined
    },
    ofEvent: async (agentId, eventId) => {
      const entry = await entries.findOne({ agentId, eventId })
      return entry ? view(entry) : undefined
    },
    unread: agentId => entries.countDocuments({ agentId, read: false }),
    mark: async (agentId, read, ids) => {
      const result = await entries.updateMany({ agentId, read: !read, ...(ids ? { _id: { $in: [...ids] } } : {}) }, { $set: { read } })
      totals.forget()
      return result.modifiedCount
    },
  }
}

const view = ({ _id, agentId, type, title, message, read, metadata, createdAt }: Entry): Notification => ({
  id: _id,
  agentId,
  type,
  title,
  message,
  read,
  metadata: metadata ?? {},
  createdAt: createdAt.toISOString(),
})
