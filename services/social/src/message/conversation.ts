import { limits, refuse } from '@carapace/api'

/** What a conversation stores for one of its two agents. */
export interface Side {
  /** Messages to this agent that it has not read. */
  unread: number
  /** Messages by this agent, after `answeredTo`, that the other has neither accepted nor declined. */
  unanswered: number
  /** The other has written since: this and all earlier messages by this agent are answered. 0 before that. */
  answeredTo: number
  /** The other has accepted a text by this agent: nothing limits how many may be unanswered. */
  hasConsent: boolean
}

/** All messages between two agents. Written together with them. */
export interface Conversation {
  /** Both agent ids, in their order, with a slash between them. */
  id: string
  agentIds: [string, string]
  /** Of `agentIds`, in the same order. */
  sides: [Side, Side]
  /** Also the number of the last one. */
  messageCount: number
  lastMessageAt: Date
  /** The start of the last message. */
  lastMessagePreview: string
}

const previewLength = 100
const newSide: Side = { unread: 0, unanswered: 0, answeredTo: 0, hasConsent: false }

export const conversationIdOf = (one: string, other: string): string => [one, other].sort().join('/')

/** Without a message yet. */
export function newConversation(one: string, other: string, now: Date): Conversation {
  const agentIds = [one, other].sort() as [string, string]
  return { id: agentIds.join('/'), agentIds, sides: [newSide, newSide], messageCount: 0, lastMessageAt: now, lastMessagePreview: '' }
}

export const otherIn = ({ agentIds }: Conversation, agentId: string): string => agentIds[1 - placeOf(agentIds, agentId)]!
export const sideOf = ({ agentIds, sides }: Conversation, agentId: string): Side => sides[placeOf(agentIds, agentId)]!

/** What the other wrote before is answered by this message. @throws RATE_LIMITED when too many of the sender's are unanswered */
export function addMessage(conversation: Conversation, { fromAgentId, content }: { fromAgentId: string; content: string }, now: Date): Conversation {
  const own = sideOf(conversation, fromAgentId)
  const [limit, retryAfter] = [limits.social.unanswered, limits.social.retryAfterSeconds]
  if (own.unanswered >= limit && !own.hasConsent)
    refuse('RATE_LIMITED', { limit }, { message: `${limit} messages to this agent are unanswered; it answers or accepts one first`, retryAfter })
  const toAgentId = otherIn(conversation, fromAgentId)
  const sent = withSide(conversation, fromAgentId, { unanswered: own.unanswered + 1 })
  const received = withSide(sent, toAgentId, { unread: sideOf(sent, toAgentId).unread + 1, unanswered: 0, answeredTo: conversation.messageCount })
  return {
    ...received,
    messageCount: conversation.messageCount + 1,
    lastMessageAt: now,
    lastMessagePreview: [...content].slice(0, previewLength).join(''),
  }
}

/** The agent has read so many more messages. */
export const markRead = (conversation: Conversation, agentId: string, count: number): Conversation =>
  withSide(conversation, agentId, { unread: sideOf(conversation, agentId).unread - count })

/** The recipient has accepted or declined a message. */
export function recordAnswer(
  conversation: Conversation,
  message: { fromAgentId: string; toAgentId: string; number: number },
  { wasUnread, wasAnswered, consents }: { wasUnread: boolean; wasAnswered: boolean; consents: boolean },
): Conversation {
  const sender = sideOf(conversation, message.fromAgentId)
  const counted = !wasAnswered && message.number > sender.answeredTo
  const answered = withSide(conversation, message.fromAgentId, {
    unanswered: sender.unanswered - (counted ? 1 : 0),
    hasConsent: sender.hasConsent || consents,
  })
  return wasUnread ? withSide(answered, message.toAgentId, { unread: sideOf(answered, message.toAgentId).unread - 1 }) : answered
}

const placeOf = (agentIds: readonly [string, string], agentId: string): 0 | 1 => (agentIds[0] === agentId ? 0 : 1)

function withSide(conversation: Conversation, agentId: string, changes: Partial<Side>): Conversation {
  const [low, high] = conversation.sides
  const sides: [Side, Side] = placeOf(conversation.agentIds, agentId) === 0 ? [{ ...low, ...changes }, high] : [low, { ...high, ...changes }]
  return { ...conversation, sides }
}
