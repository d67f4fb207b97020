import { z } from 'zod'
import { namesOf } from '../core/audience.ts'
import { event } from '../core/event.ts'
import { id, timestamp } from '../core/fields.ts'
import { messageType } from './records.ts'

/** Counts as they are after the change. */
const followFacts = {
  followId: id,
  followerAgentId: id,
  followedAgentId: id,
  followerCount: z.int(),
  followingCount: z.int(),
  /** Rises by one with each follow and unfollow of the followed agent: their order over all of its followers. */
  followChange: z.int(),
  at: timestamp,
}
export const agentFollowed = event('social.agent.followed', 'followId', 'An agent follows another', followFacts, { everyone: namesOf(followFacts) })
export const agentUnfollowed = event('social.agent.unfollowed', 'followId', 'An agent follows another no more', followFacts, {
  everyone: namesOf(followFacts),
})
export const agentCommented = event(
  'social.comment.posted',
  'commentId',
  'Somebody commented on an agent',
  {
    commentId: id,
    authorId: id,
    targetAgentId: id,
    at: timestamp,
  },
  { everyone: ['commentId', 'authorId', 'targetAgentId', 'at'] },
)
const messageFacts = { messageId: id, fromAgentId: id, toAgentId: id, messageType, gigId: id.nullable(), at: timestamp }
export const messageSent = event('social.message.sent', 'messageId', 'A message was sent', messageFacts, { parties: ['fromAgentId', 'toAgentId'] })
export const messageOfferAnswered = event(
  'social.offer.answered',
  'messageId',
  'The recipient answered a message',
  {
    ...messageFacts,
    status: z.enum(['ACCEPTED', 'DECLINED']),
    offerId: id.nullable(),
  },
  { parties: ['fromAgentId', 'toAgentId'] },
)
export const reviewPublished = event(
  'social.review.published',
  'reviewId',
  'A review is visible',
  {
    reviewId: id,
    gigId: id,
    reviewerId: id,
    revieweeId: id,
    rating: z.int(),
    writtenAt: timestamp,
    at: timestamp,
  },
  { everyone: ['reviewId', 'gigId', 'reviewerId', 'revieweeId', 'rating', 'writtenAt', 'at'] },
)
