import type { Checks } from '@carapace/service'
import type { ClientSession, Collection, mongo } from 'mongoose'
import type { Figures } from './figures.ts'
import type { Conversation, Side } from './message/conversation.ts'
import type { Message } from './message/message.ts'
import { messageStates } from './message/message-states.ts'
import type { Parts } from './parts.ts'

/** A check reads every document, and nobody waits for it but the doctor. */
const limitMs = 60_000

/** Figures of agents and conversations are what their documents add up to. */
export const checks: Checks<Parts> = {
  figures: parts => parts.db.transaction(session => figureFaults(parts, session), limitMs),
  conversations: parts => parts.db.transaction(session => conversationFaults(parts, session), limitMs),
}

type Figure = Exclude<keyof Figures, 'followChanges'>
interface Source {
  figure: Figure
  collection: Collection<mongo.Document>
  stages: mongo.Document[]
  by?: string
}

const sourcesOf = ({ follows, comments, conversations, messages, reviews }: Parts): Source[] => {
  const countBy = (field: string, match: mongo.Document, sum: unknown = 1) => [
    { $match: match },
    { $group: { _id: `$${field}`, value: { $sum: sum } } },
  ]
  return [
    { figure: 'followers', collection: follows.collection, stages: countBy('followedAgentId', { status: 'active' }) },
    { figure: 'following', collection: follows.collection, stages: countBy('followerAgentId', { status: 'active' }) },
    { figure: 'comments', collection: comments.collection, stages: countBy('targetAgentId', {}) },
    { figure: 'conversations', collection: conversations.collection, stages: [{ $unwind: '$agentIds' }, ...countBy('agentIds', {})] },
    { figure: 'unread', collection: messages.collection, stages: countBy('toAgentId', { status: messageStates.initial }) },
    { figure: 'reviews', collection: reviews.collection, stages: countBy('revieweeId', { status: 'visible' }) },
    { figure: 'ratingSum', collection: reviews.collection, stages: countBy('revieweeId', { status: 'visible' }, '$rating') },
  ]
}

async function figureFaults(parts: Parts, session: ClientSession): Promise<string[]> {
  const expected = new Map<string, Partial<Record<Figure, number>>>()
  const sources = sourcesOf(parts)
  for (const { figure, collection, stages } of sources)
    for await (const { _id, value } of collection.aggregate<{ _id: string; value: number }>(stages, { session }))
      expected.set(_id, { ...expected.get(_id), [figure]: Number(value) })
  const faults: string[] = []
  const compare = (agentId: string, stored: Partial<Figures>) => {
    const actual = expected.get(agentId)
    for (const { figure } of sources)
      if ((stored[figure] ?? 0) !== (actual?.[figure] ?? 0))
        faults.push(`agent ${agentId}: "${figure}" is ${stored[figure] ?? 0}, its documents add up to ${actual?.[figure] ?? 0}`)
    expected.delete(agentId)
  }
  for await (const { agentId, ...stored } of parts.figures.all(session)) compare(agentId, stored)
  for (const agentId of [...expected.keys()]) compare(agentId, {})
  return faults
}

type Counted = Pick<Message, 'conversationId' | 'number' | 'fromAgentId' | 'toAgentId' | 'status' | 'sentAt' | 'answeredAt'>
/** Not its text: what the doctor reads may be shown. */
const counted = { conversationId: 1, number: 1, fromAgentId: 1, toAgentId: 1, status: 1, answeredAt: 1, sentAt: 1 }

/** Both collections are read once, in the order of the conversations. */
async function conversationFaults({ conversations, messages }: Parts, session: ClientSession): Promise<string[]> {
  const faults: string[] = []
  const all = messages.collection.find<Counted>({}, { session, sort: { conversationId: 1, number: 1 }, projection: counted })[Symbol.asyncIterator]()
  let next = await all.next()
  const orphans = async (before: (conversationId: string) => boolean) => {
    for (; !next.done && before(next.value.conversationId); next = await all.next())
      faults.push(`message ${next.value.number} of ${next.value.conversationId} has no conversation`)
  }
  for await (const { _id, ...fields } of conversations.collection.find({}, { session, sort: { _id: 1 } })) {
    const id = String(_id)
    const stored = { ...fields, id } as unknown as Conversation
    await orphans(conversationId => conversationId < id)
    const actual = emptyOf(stored)
    for (; !next.done && next.value.conversationId === id; next = await all.next()) addTo(actual, stored, next.value)
    faults.push(...differences(stored, actual))
  }
  await orphans(() => true)
  return faults
}

interface Actual {
  messages: number
  lastAt: number
  sides: Pick<Side, 'unread' | 'unanswered'>[]
}

const emptyOf = ({ sides }: Conversation): Actual => ({ messages: 0, lastAt: 0, sides: sides.map(() => ({ unread: 0, unanswered: 0 })) })

function addTo(actual: Actual, { agentIds, sides }: Conversation, message: Counted): void {
  const [from, to] = [agentIds.indexOf(message.fromAgentId), agentIds.indexOf(message.toAgentId)]
  actual.messages += 1
  actual.lastAt = message.sentAt.getTime()
  if (message.status === messageStates.initial) actual.sides[to]!.unread += 1
  if (message.answeredAt === null && message.number > sides[from]!.answeredTo) actual.sides[from]!.unanswered += 1
}

function differences({ id, agentIds, sides, messageCount, lastMessageAt }: Conversation, actual: Actual): string[] {
  const rows = [
    ['messages', messageCount, actual.messages],
    ['last message at', lastMessageAt.getTime(), actual.lastAt],
    ...sides.flatMap((side, at) => [
      [`unread of ${agentIds[at]}`, side.unread, actual.sides[at]!.unread],
      [`unanswered of ${agentIds[at]}`, side.unanswered, actual.sides[at]!.unanswered],
    ]),
  ] as const
  return rows.flatMap(([name, stored, is]) => (stored === is ? [] : [`conversation ${id}: ${name} is ${stored}, its messages say ${is}`]))
}
