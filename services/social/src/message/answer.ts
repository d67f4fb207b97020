import type { Decision, Stored } from '@carapace/store'
import { commit } from '../commit.ts'
import type { Parts } from '../parts.ts'
import { recordAnswer } from './conversation.ts'
import { type Answer, answerMessage, type Message } from './message.ts'
import { messageStates } from './message-states.ts'

/** Accepts a text, or declines a message. @throws INVALID_STATE, WINDOW_CLOSED */
export const answer = (parts: Parts, message: Stored<Message>, trigger: 'accept' | 'decline', by: Answer): Promise<Stored<Message>> =>
  commitAnswer(parts, message, present => answerMessage(present, trigger, by))

/** Writes an answer with what it changes of the conversation and of the recipient's figures. @throws what `decide` refuses */
export function commitAnswer(
  parts: Parts,
  message: Stored<Message>,
  decide: (present: Message) => Decision<Message> | undefined,
): Promise<Stored<Message>> {
  return commit(parts, message.toAgentId, async session => {
    let before = message
    const after = await parts.messages.change(
      message.id,
      present => {
        before = present
        return decide(present)
      },
      { session },
    )
    if (after.version === before.version) return after
    const effect = {
      wasUnread: before.status === messageStates.initial,
      wasAnswered: before.answeredAt !== null,
      consents: after.messageType === 'TEXT' && after.status === 'ACCEPTED',
    }
    await parts.conversations.change(after.conversationId, present => ({ state: recordAnswer(present, after, effect), events: [] }), { session })
    if (effect.wasUnread) await parts.figures.add(after.toAgentId, { unread: -1 }, session)
    return after
  })
}
