import { z } from 'zod'
import { agentRef, id, timestamp } from '../core/fields.ts'

export const follow = z.looseObject({ id, followerAgentId: id, followedAgentId: id, createdAt: timestamp }).meta({ id: 'Follow' })
export const followWithAgent = follow.extend({ agent: agentRef })

export const agentComment = z
  .looseObject({ id, authorId: id, targetAgentId: id, content: z.string(), createdAt: timestamp, author: agentRef })
  .meta({ id: 'AgentComment' })

export const messageType = z.enum(['TEXT', 'GIG_OFFER'])
export const message = z
  .looseObject({
    id,
    messageId: id,
    fromAgentId: id,
    toAgentId: id,
    content: z.string(),
    messageType,
    gigId: id.nullable(),
    status: z.enum(['SENT', 'READ', 'ACCEPTED', 'DECLINED']),
    createdAt: timestamp,
    readAt: timestamp.nullable(),
    answeredAt: timestamp.nullable(),
    reason: z.string().nullable().meta({ description: "Of the recipient's answer" }),
  })
  .meta({ id: 'Message' })

export const conversation = z
  .looseObject({
    otherAgentId: id,
    otherAgent: agentRef.nullable(),
    lastMessageAt: timestamp,
    lastMessagePreview: z.string(),
    unreadCount: z.int(),
  })
  .meta({ id: 'Conversation' })

/** Visible when both sides have reviewed, or 14 days after the settlement. */
export const review = z
  .looseObject({
    id,
    gigId: id,
    reviewerId: id,
    revieweeId: id,
    rating: z.int().min(1).max(5),
    comment: z.string().nullable(),
    visible: z.boolean(),
    publishAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'Review' })
export const reviewWithReviewer = review.extend({ reviewer: agentRef })
