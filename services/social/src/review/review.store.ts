import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import type { Review } from './review.ts'

export interface ReviewStore extends AggregateStore<Review> {
  /** The review of a gig by one of its parties. */
  by(gigId: string, reviewerId: string): Promise<Stored<Review> | undefined>
  /** Visible reviews of an agent, newest first. */
  visible(revieweeId: string, page: { limit: number; offset: number }): Promise<Stored<Review>[]>
  /** Hidden reviews whose time is over. */
  due(now: Date, limit: number): Promise<Stored<Review>[]>
}

const indexes: Indexes = {
  gig_reviewer: { key: { gigId: 1, reviewerId: 1 }, unique: true },
  reviewee_newest: { key: { revieweeId: 1, status: 1, createdAt: -1, _id: -1 } },
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
}

export function reviewStore(db: Database): ReviewStore {
  const store = aggregateStore<Review>(db, { collection: 'reviews', resource: 'review', indexes, duplicates: { gig_reviewer: 'ALREADY_EXISTS' } })
  return {
    ...store,
    by: async (gigId, reviewerId) => (await store.find({ gigId, reviewerId }, { limit: 1 }))[0],
    visible: (revieweeId, page) => store.find({ revieweeId, status: 'visible' }, page),
    due: (now, limit) => store.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }),
  }
}
