import type { socialApi } from '@carapace/api'
import { bareList, type Handlers, recordIdOf, reply, unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { answer } from '../message/answer.ts'
import { type Conversation, conversationIdOf, otherIn, sideOf } from '../message/conversation.ts'
import { acceptOffer, hiredOffer } from '../message/hire.ts'
import { type Message, needRecipient } from '../message/message.ts'
import { readConversation } from '../message/read.ts'
import { sendMessage } from '../message/send.ts'
import type { Parts } from '../parts.ts'

const iso = (date: Date | null): string | null => date?.toISOString() ?? null

const messageView = ({ id, fromAgentId, toAgentId, content, messageType, gigId, status, sentAt, readAt, ...rest }: Stored<Message>) => ({
  ...{ id, messageId: id, fromAgentId, toAgentId, content, messageType, gigId, status },
  ...{ createdAt: sentAt.toISOString(), readAt: iso(readAt), answeredAt: iso(rest.answeredAt), reason: rest.reason },
})

/** Where the recipient reads how an acceptance ended. */
const statusUrl = ({ fromAgentId, toAgentId }: Message): string => `/api/agents/${toAgentId}/messages/${fromAgentId}`

export const messageHandlers = (parts: Parts) =>
  ({
    sendMessage: async ({ params, body, caller, operationId }) => {
      const to = await parts.agents.needById(params.otherAgentId)
      const { content, messageType, gigId = null } = body
      const draft = { id: recordIdOf(operationId), fromAgentId: caller.agentId, toAgentId: to.id, content, messageType, gigId }
      return messageView(await sendMessage(parts, draft))
    },

    listMessages: async ({ params, query, caller }) => {
      const other = await parts.agents.need(params.otherAgentId)
      const conversationId = conversationIdOf(caller.agentId, other.id)
      // what cannot be marked now is marked by the next read
      await unlessPassing(readConversation(parts, conversationId, caller.agentId))
      const [items, conversation, refs] = await Promise.all([
        parts.messages.pageOf(conversationId, query),
        parts.conversations.get(conversationId),
        parts.agents.refs([other.id]),
      ])
      return { messages: items.map(messageView), otherAgent: refs(other.id), total: conversation?.messageCount ?? 0, ...query }
    },

    listConversations: async ({ query, caller }) => {
      const { agentId } = caller
      const sort = { lastMessageAt: -1, _id: -1 } as const
      const [items, figures] = await Promise.all([parts.conversations.find({ agentIds: agentId }, { sort, ...query }), parts.figures.get(agentId)])
      const refs = await parts.agents.refs(items.map(item => otherIn(item, agentId)))
      const view = (item: Conversation) => {
        const otherAgentId = otherIn(item, agentId)
        const { lastMessageAt, lastMessagePreview } = item
        const unreadCount = sideOf(item, agentId).unread
        return { otherAgentId, otherAgent: refs(otherAgentId), lastMessageAt: lastMessageAt.toISOString(), lastMessagePreview, unreadCount }
      }
      return bareList(items.map(view), figures.conversations, query)
    },

    acceptMessage: async ({ params, body, caller, operationId, waitMs }) => {
      const message = await parts.messages.need(params.messageId)
      needRecipient(message, caller.agentId)
      const isRepeat = message.operationId === operationId && message.status === 'ACCEPTED'
      const by = { reason: body.reason ?? null, operationId, now: parts.clock.now() }
      if (message.messageType === 'TEXT') {
        const accepted = isRepeat ? message : await answer(parts, message, 'accept', by)
        return { message: messageView(accepted), offer: null }
      }
      if (isRepeat) return { message: messageView(message), offer: await hiredOffer(parts, message) }
      const hired = await acceptOffer(parts, message, by, waitMs())
      const view = { message: messageView(hired.message), offer: hired.offer }
      return hired.message.status === 'ACCEPTED' ? view : reply(202, { ...view, statusUrl: statusUrl(message) })
    },

    declineMessage: async ({ params, body, caller, operationId }) => {
      const message = await parts.messages.need(params.messageId)
      needRecipient(message, caller.agentId)
      const isRepeat = message.operationId === operationId && message.status === 'DECLINED'
      const by = { reason: body.reason ?? null, operationId, now: parts.clock.now() }
      return { message: messageView(isRepeat ? message : await answer(parts, message, 'decline', by)), offer: null }
    },
  }) satisfies Handlers<typeof socialApi>
