import type { socialApi } from '@carapace/api'
import { type Handlers, recordIdOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Review } from '../review/review.ts'
import { writeReview } from '../review/write.ts'

const reviewView = ({ id, gigId, reviewerId, revieweeId, rating, comment, status, publishAt, createdAt }: Stored<Review>) => ({
  ...{ id, gigId, reviewerId, revieweeId, rating, comment, visible: status === 'visible' },
  ...{ publishAt: publishAt.toISOString(), createdAt: createdAt.toISOString() },
})

export const reviewHandlers = (parts: Parts) =>
  ({
    writeReview: async ({ body, operationId }) => {
      const { gigId, reviewerId, revieweeId, rating, comment = null } = body
      return { review: reviewView(await writeReview(parts, { id: recordIdOf(operationId), gigId, reviewerId, revieweeId, rating, comment })) }
    },

    listReviews: async ({ params, query }) => {
      const { id } = await parts.agents.need(params.id)
      const [items, { reviews: total, ratingSum }] = await Promise.all([parts.reviews.visible(id, query), parts.figures.get(id)])
      const averageRating = total === 0 ? null : Math.round((ratingSum * 100) / total) / 100
      const refs = await parts.agents.refs(items.map(({ reviewerId }) => reviewerId))
      return { reviews: items.map(item => ({ ...reviewView(item), reviewer: refs(item.reviewerId) })), total, averageRating, ...query }
    },
  }) satisfies Handlers<typeof socialApi>
