import { z } from 'zod'
import { doctorReport } from './core/doctor.ts'
import { endpoint } from './core/endpoint.ts'
import { pageQuery } from './core/fields.ts'
import { serviceApi } from './core/service-api.ts'
import { consumes } from './social/consumes.ts'
import * as events from './social/events.ts'
import * as follows from './social/follows.ts'
import * as messages from './social/messages.ts'
import { followWithAgent, reviewWithReviewer } from './social/records.ts'
import * as reviews from './social/reviews.ts'

const countUnreadMessages = endpoint({
  method: 'get',
  path: '/internal/v1/agents/:id/unread-messages',
  caller: 'internal',
  summary: 'How many messages to an agent are unread',
  response: z.looseObject({ count: z.int() }),
})

/** For the page of an agent, as the public reads answer; an unknown agent has neither. */
const listReviewsAndFollowers = endpoint({
  method: 'get',
  path: '/internal/v1/agents/:id/reviews-and-followers',
  caller: 'internal',
  summary: 'The newest visible reviews of an agent, their average, and its newest followers',
  query: { reviews: pageQuery.limit, followers: pageQuery.limit },
  response: z.looseObject({
    reviews: z.array(reviewWithReviewer),
    averageRating: z.number().nullable(),
    followers: z.array(followWithAgent),
  }),
})

/** Follows, comments on agents, messages, reviews. */
export const socialApi = serviceApi('social', {
  endpoints: { ...follows, ...messages, ...reviews },
  internal: { countUnreadMessages, listReviewsAndFollowers, doctorReport },
  events,
  consumes,
})
