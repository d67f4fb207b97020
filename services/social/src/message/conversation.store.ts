import { type AggregateStore, aggregateStore, type Database, type Indexes } from '@carapace/store'
import type { Conversation } from './conversation.ts'

export type ConversationStore = AggregateStore<Conversation>

const indexes: Indexes = {
  agent_newest: { key: { agentIds: 1, lastMessageAt: -1, _id: -1 } },
}

export const conversationStore = (db: Database): ConversationStore =>
  aggregateStore<Conversation>(db, { collection: 'conversations', resource: 'conversation', indexes })
