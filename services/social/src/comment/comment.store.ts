import { type AggregateStore, aggregateStore, type Database, type Indexes } from '@carapace/store'

export interface Comment {
  id: string
  authorId: string
  targetAgentId: string
  content: string
}

export type CommentStore = AggregateStore<Comment>

const indexes: Indexes = {
  target_newest: { key: { targetAgentId: 1, createdAt: -1, _id: -1 } },
}

export const commentStore = (db: Database): CommentStore => aggregateStore<Comment>(db, { collection: 'comments', resource: 'comment', indexes })
