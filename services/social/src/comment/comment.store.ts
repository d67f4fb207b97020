import { type AggregateStore, aggregateStore, type Database, type Indexes } from '@carapace/store'
import type { Comment } from './comment.ts'

export type CommentStore = AggregateStore<Comment>

const indexes: Indexes = {
  target_newest: { key: { targetAgentId: 1, createdAt: -1, _id: -1 } },
}

export const commentStore = (db: Database): CommentStore => aggregateStore<Comment>(db, { collection: 'comments', resource: 'comment', indexes })
