import type { socialApi } from '@carapace/api'
import type { AgentRef } from '@carapace/projections'
import { type Handlers, recordIdOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Figures } from '../figures.ts'
import type { Parts } from '../parts.ts'
import type { Review } from '../review/review.ts'
import { writeReview } from '../review/write.ts'

type Refs = (id: string) => AgentRef

const reviewView = ({ id, gigId, reviewerId, revieweeId, rating, comment, status, publishAt, createdAt }: Stored<Review>) => ({
  ...{ id, gigId, reviewerId, revieweeId, rating, comment, visible: status === 'visible' },
  ...{ publishAt: publishAt.toISOString(), createdAt: createdAt.toISOString() },
})

/** With their writers. */
export const reviewViews = (reviews: readonly Stored<Review>[], refs: Refs) =>
  reviews.map(review => ({ ...reviewView(review), reviewer: refs(review.reviewerId) }))

export const averageRatingOf = ({ reviews, ratingSum }: Figures): number | null =>
  reviews === 0 ? null : Math.round((ratingSum * 100) / reviews) / 100

export const reviewHandlers = (parts: Parts) =>
  ({
    writeReview: async ({ body, operationId }) => {
      const { gigId, reviewerId, revieweeId, rating, comment = null } = body
      return { review: reviewView(await writeReview(parts, { id: recordIdOf(operationId), gigId, reviewerId, revieweeId, rating, comment })) }
    },

    listReviews: async ({ params, query }) => {
      const { id } = await parts.agents.need(params.id)
      const [items, figures] = await Promise.all([parts.reviews.visible(id, query), parts.figures.get(id)])
      const refs = await parts.agents.refs(items.map(({ reviewerId }) => reviewerId))
      return { reviews: reviewViews(items, refs), total: figures.reviews, averageRating: averageRatingOf(figures), ...query }
    },
  }) satisfies Handlers<typeof socialApi>
