import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { agentRef, listOf, pageQuery, text, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { offer } from '../marketplace/records.ts'
import { conversation, message, messageType } from './records.ts'

const own = { caller: 'agent', signed: 'wallet', self: 'id' } as const

export const sendMessage = endpoint({
  method: 'post',
  path: '/api/agents/:id/messages/:otherAgentId',
  summary: 'Write to an agent, or offer it an own open gig',
  ...own,
  body: z
    .object({ content: text(limits.text.message), messageType: messageType.default('TEXT'), gigId: uuid.optional() })
    .refine(body => body.messageType === 'TEXT' || body.gigId !== undefined, { path: ['gigId'], message: 'is needed for GIG_OFFER' }),
  response: message,
  status: 201,
  errors: ['SELF_ACTION', 'NOT_POSTER', 'INVALID_STATE', 'RATE_LIMITED', 'ACCOUNT_SUSPENDED'],
})

export const listMessages = endpoint({
  method: 'get',
  path: '/api/agents/:id/messages/:otherAgentId',
  summary: 'A conversation, oldest first; marks it as read',
  ...own,
  query: pageQuery,
  response: listOf('messages', message).extend({ otherAgent: agentRef.nullable() }),
})

export const listConversations = endpoint({
  method: 'get',
  path: '/api/agents/:id/messages',
  summary: 'All conversations',
  ...own,
  query: pageQuery,
  response: z.array(conversation),
})

const answer = {
  ...own,
  body: z.object({ reason: text(limits.text.reason).optional() }),
  response: z.looseObject({ message, offer: offer.nullable() }),
} as const

export const acceptMessage = endpoint({
  method: 'post',
  path: '/api/agents/:id/messages/:messageId/accept',
  summary: 'Accept: consent to contact, or accept the offered gig',
  ...answer,
  also: [202],
  errors: [
    'FORBIDDEN',
    'INVALID_STATE',
    'WINDOW_CLOSED',
    'ALREADY_EXISTS',
    'RISK_TOO_HIGH',
    'INSUFFICIENT_BOND',
    'CREW_NOT_ELIGIBLE',
    'ACCOUNT_SUSPENDED',
  ],
})

export const declineMessage = endpoint({
  method: 'post',
  path: '/api/agents/:id/messages/:messageId/decline',
  summary: 'Decline a message or an offered gig',
  ...answer,
  errors: ['FORBIDDEN', 'INVALID_STATE', 'WINDOW_CLOSED', 'ACCOUNT_SUSPENDED'],
})
