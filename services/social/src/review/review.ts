import { reviewPublished } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { reviewStates } from './review-states.ts'

/** Final: nobody edits it. */
export interface Review {
  id: string
  /** Or a job. */
  gigId: string
  reviewerId: string
  revieweeId: string
  /** 1 to 5. */
  rating: number
  comment: string | null
  status: 'hidden' | 'visible'
  writtenAt: Date
  publishAt: Date
  /** When time publishes it; null once it is visible. */
  dueAt: Date | null
}

export type ReviewDraft = Pick<Review, 'id' | 'gigId' | 'reviewerId' | 'revieweeId' | 'rating' | 'comment'>

export const newReview = (draft: ReviewDraft, publishAt: Date, now: Date): Review => ({
  ...draft,
  status: reviewStates.initial,
  writtenAt: now,
  publishAt,
  dueAt: publishAt,
})

/** Both sides have reviewed, or time is over. Undefined when it is visible already. */
export function publish(review: Review, trigger: 'publish' | 'expire', now: Date): Decision<Review> | undefined {
  const status = reviewStates.next(review.status, trigger)
  if (!status) return undefined
  const { id: reviewId, gigId, reviewerId, revieweeId, rating, writtenAt } = review
  const event = reviewPublished.of({
    ...{ reviewId, gigId, reviewerId, revieweeId, rating },
    writtenAt: writtenAt.toISOString(),
    at: now.toISOString(),
  })
  return { state: { ...review, status, dueAt: null }, events: [event] }
}
