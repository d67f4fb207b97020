import { commit } from '../commit.ts'
import type { Parts } from '../parts.ts'
import { markRead, sideOf } from './conversation.ts'

/** So many a transaction: however many there are, each ends in time. */
const batch = 1_000

/** Marks all messages to the reader as read. */
export async function readConversation(parts: Parts, conversationId: string, readerId: string): Promise<void> {
  const present = await parts.conversations.get(conversationId)
  if (!present || sideOf(present, readerId).unread === 0) return
  while ((await readBatch(parts, conversationId, readerId)) === batch);
}

const readBatch = (parts: Parts, conversationId: string, readerId: string): Promise<number> =>
  commit(parts, readerId, async session => {
    const count = await parts.messages.markRead(conversationId, readerId, batch, session)
    if (count === 0) return 0
    await parts.conversations.change(conversationId, present => ({ state: markRead(present, readerId, count), events: [] }), { session })
    await parts.figures.add(readerId, { unread: -count }, session)
    return count
  })
