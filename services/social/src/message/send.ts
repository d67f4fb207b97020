import { marketplaceApi, refuse } from '@carapace/api'
import type { Stored } from '@carapace/store'
import { commit } from '../commit.ts'
import type { Parts } from '../parts.ts'
import { addMessage, type Conversation, conversationIdOf, newConversation } from './conversation.ts'
import { type Message, newMessage } from './message.ts'

type Draft = Pick<Message, 'id' | 'fromAgentId' | 'toAgentId' | 'content' | 'messageType' | 'gigId'>

/**
 * Stores the message of an operation once, with its conversation and the recipient's figures.
 * @throws SELF_ACTION, NOT_FOUND, NOT_POSTER, INVALID_STATE, RATE_LIMITED
 */
export async function sendMessage(parts: Parts, draft: Draft): Promise<Stored<Message>> {
  const earlier = await parts.messages.get(draft.id)
  if (earlier) return earlier
  if (draft.fromAgentId === draft.toAgentId) refuse('SELF_ACTION')
  if (draft.messageType === 'GIG_OFFER') await needOwnOpenGig(parts, draft)
  const conversationId = conversationIdOf(draft.fromAgentId, draft.toAgentId)
  return commit(parts, draft.toAgentId, async session => {
    const now = parts.clock.now()
    const add = (conversation: Conversation) => ({ state: addMessage(conversation, draft, now), events: [] })
    const isFirst = (await parts.conversations.get(conversationId, session)) === undefined
    const { messageCount } = isFirst
      ? await parts.conversations.create(add(newConversation(draft.fromAgentId, draft.toAgentId, now)).state, [], { session })
      : await parts.conversations.change(conversationId, add, { session })
    await parts.figures.add(draft.toAgentId, { unread: 1, conversations: isFirst ? 1 : 0 }, session)
    if (isFirst) await parts.figures.add(draft.fromAgentId, { conversations: 1 }, session)
    const { state, events } = newMessage({ ...draft, conversationId, number: messageCount }, now)
    return parts.messages.create(state, events, { session })
  })
}

/** The gig as its owner has it now. @throws NOT_FOUND, NOT_POSTER, INVALID_STATE, DEPENDENCY_UNAVAILABLE */
async function needOwnOpenGig({ peers }: Parts, { gigId, fromAgentId }: Draft): Promise<void> {
  const found = gigId === null ? undefined : await peers.find('marketplace', marketplaceApi.internal.getGigRow, { params: { id: gigId } })
  const gig = found ?? refuse('NOT_FOUND', { resource: 'gig' })
  if (gig.posterId !== fromAgentId) refuse('NOT_POSTER')
  if (gig.status !== 'open') refuse('INVALID_STATE', { state: gig.status, allowed: ['open'] }, { message: `The gig is ${gig.status}` })
}
