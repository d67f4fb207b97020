import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Message } from './message.ts'
import { messageStates } from './message-states.ts'

export interface MessageStore extends AggregateStore<Message> {
  /** A page of a conversation, oldest first. The numbers of its messages have no gap, so that a later page costs what the first does. */
  pageOf(conversationId: string, page: { limit: number; offset: number }): Promise<Stored<Message>[]>
  /** Marks what the agent has not read of a conversation, at most `limit` messages. Resolves to how many that were. */
  markRead(conversationId: string, toAgentId: string, limit: number, session: ClientSession): Promise<number>
  /** Offers that are with the marketplace and are due to be carried on. */
  due(now: Date, limit: number): Promise<Stored<Message>[]>
}

const indexes: Indexes = {
  conversation_oldest: { key: { conversationId: 1, number: 1 }, unique: true },
  conversation_to_status: { key: { conversationId: 1, toAgentId: 1, status: 1 } },
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
}

export function messageStore(db: Database): MessageStore {
  // a number that another message got first is a lost race
  const store = aggregateStore<Message>(db, { collection: 'messages', resource: 'message', indexes, duplicates: { conversation_oldest: 'CONFLICT' } })
  return {
    ...store,
    pageOf: (conversationId, { limit, offset }) => store.find({ conversationId, number: { $gt: offset } }, { sort: { number: 1 }, limit }),
    markRead: async (conversationId, toAgentId, limit, session) => {
      const { initial } = messageStates
      const now = db.clock.now()
      const unread = { conversationId, toAgentId, status: initial }
      const rows = await store.collection.find(unread, { session, limit, projection: { _id: 1 } }).toArray()
      const { modifiedCount } = await store.collection.updateMany(
        { ...unread, _id: { $in: rows.map(({ _id }) => _id) } },
        { $set: { status: messageStates.move(initial, 'read'), readAt: now, updatedAt: now }, $inc: { version: 1 } },
        { session },
      )
      return modifiedCount
    },
    due: (now, limit) => store.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }),
  }
}
