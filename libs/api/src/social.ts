import { z } from 'zod'
import { endpoint } from './core/endpoint.ts'
import { event } from './core/event.ts'
import { id, timestamp } from './core/fields.ts'
import { serviceApi } from './core/service-api.ts'
import * as follows from './social/follows.ts'
import * as messages from './social/messages.ts'
import { messageType } from './social/records.ts'
import * as reviews from './social/reviews.ts'

/** Counts as they are after the change. */
const followFacts = {
  followId: id,
  followerAgentId: id,
  followedAgentId: id,
  followerCount: z.int(),
  followingCount: z.int(),
  at: timestamp,
}
export const agentFollowed = event('social.agent.followed', 'followId', 'An agent follows another', followFacts)
export const agentUnfollowed = event('social.agent.unfollowed', 'followId', 'An agent follows another no more', followFacts)
export const agentCommented = event('social.comment.posted', 'commentId', 'Somebody commented on an agent', {
  commentId: id,
  authorId: id,
  targetAgentId: id,
  at: timestamp,
})
const messageFacts = { messageId: id, fromAgentId: id, toAgentId: id, messageType, gigId: id.nullable(), at: timestamp }
export const messageSent = event('social.message.sent', 'messageId', 'A message was sent', messageFacts)
export const messageOfferAnswered = event('social.offer.answered', 'messageId', 'The recipient answered a message', {
  ...messageFacts,
  status: z.enum(['ACCEPTED', 'DECLINED']),
  offerId: id.nullable(),
})
export const reviewPublished = event('social.review.published', 'reviewId', 'A review is visible', {
  reviewId: id,
  gigId: id,
  reviewerId: id,
  revieweeId: id,
  rating: z.int(),
  writtenAt: timestamp,
  at: timestamp,
})

const countUnreadMessages = endpoint({
  method: 'get',
  path: '/internal/v1/agents/:id/unread-messages',
  caller: 'internal',
  summary: 'How many messages to an agent are unread',
  response: z.looseObject({ count: z.int() }),
})

/** Follows, comments on agents, messages, reviews. */
export const socialApi = serviceApi('social', {
  planned: true,
  endpoints: { ...follows, ...messages, ...reviews },
  internal: { countUnreadMessages },
  events: { agentFollowed, agentUnfollowed, agentCommented, messageSent, messageOfferAnswered, reviewPublished },
})
