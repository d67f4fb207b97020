import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import type { Follow } from './follow.ts'

export interface FollowStore extends AggregateStore<Follow> {
  between(followerAgentId: string, followedAgentId: string): Promise<Stored<Follow> | undefined>
  /** Present follows, newest first, by either of the two agents. */
  present(by: { followerAgentId: string } | { followedAgentId: string }, page: { limit: number; offset: number }): Promise<Stored<Follow>[]>
}

const indexes: Indexes = {
  pair: { key: { followerAgentId: 1, followedAgentId: 1 }, unique: true },
  followers_newest: { key: { followedAgentId: 1, status: 1, since: -1, _id: -1 } },
  following_newest: { key: { followerAgentId: 1, status: 1, since: -1, _id: -1 } },
}

export function followStore(db: Database): FollowStore {
  const store = aggregateStore<Follow>(db, { collection: 'follows', resource: 'follow', indexes, duplicates: { pair: 'ALREADY_EXISTS' } })
  return {
    ...store,
    between: async (followerAgentId, followedAgentId) => (await store.find({ followerAgentId, followedAgentId }, { limit: 1 }))[0],
    present: (by, page) => store.find({ ...by, status: 'active' }, { sort: { since: -1, _id: -1 }, ...page }),
  }
}
