import type { socialApi } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { followerViews } from './follows.ts'
import { averageRatingOf, reviewViews } from './reviews.ts'

export const reviewsAndFollowersHandlers = (parts: Parts) =>
  ({
    listReviewsAndFollowers: async ({ params: { id }, query }) => {
      const [reviews, follows] = await Promise.all([
        parts.reviews.visible(id, { limit: query.reviews, offset: 0 }),
        parts.follows.present({ followedAgentId: id }, { limit: query.followers, offset: 0 }),
      ])
      const [refs, averageRating] = await Promise.all([
        parts.agents.refs([...reviews.map(({ reviewerId }) => reviewerId), ...follows.map(({ followerAgentId }) => followerAgentId)]),
        reviews.length === 0 ? null : parts.figures.get(id).then(averageRatingOf),
      ])
      return { reviews: reviewViews(reviews, refs), averageRating, followers: followerViews(follows, refs) }
    },
  }) satisfies Handlers<typeof socialApi>
