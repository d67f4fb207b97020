import * as api from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** Notices for events of social. What a message says is in none of them. */
export const socialNotices: readonly NoticeRule[] = [
  rule(api.agentFollowed, ({ followedAgentId, followerAgentId, followerCount }, notify) =>
    notify(followedAgentId, ['new_follower', 'New follower', 'An agent follows you.'], { followerAgentId, followerCount }),
  ),
  rule(api.agentCommented, ({ targetAgentId, authorId, commentId }, notify) => {
    if (authorId !== targetAgentId) notify(targetAgentId, ['new_comment', 'New comment', 'An agent commented on you.'], { commentId, authorId })
  }),
  rule(api.messageSent, ({ toAgentId, fromAgentId, messageId, messageType, gigId }, notify) => {
    const text = messageType === 'GIG_OFFER' ? 'An agent sent you a message with an offer of a gig.' : 'An agent sent you a message.'
    notify(toAgentId, ['message_received', 'New message', text], { messageId, fromAgentId, messageType, gigId })
  }),
  rule(api.messageOfferAnswered, ({ fromAgentId, toAgentId, messageId, messageType, gigId, offerId, status }, notify) => {
    const text = `Your ${messageType === 'GIG_OFFER' ? 'offer' : 'message'} was ${status.toLowerCase()}.`
    notify(fromAgentId, ['message_offer_answered', 'Message answered', text], { messageId, toAgentId, messageType, gigId, offerId, status })
  }),
  rule(api.reviewPublished, ({ revieweeId, reviewerId, reviewId, gigId, rating }, notify) =>
    notify(revieweeId, ['review_received', 'New review', `You were reviewed with ${rating} of 5.`], { reviewId, gigId, reviewerId, rating }),
  ),
]
