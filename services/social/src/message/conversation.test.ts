import assert from 'node:assert/strict'
import { limits } from '@carapace/api'
import { codeOf } from '@carapace/testing'
import fc from 'fast-check'
import { addMessage, type Conversation, conversationIdOf, markRead, newConversation, otherIn, recordAnswer, sideOf } from './conversation.ts'

const now = new Date('2026-06-01T00:00:00.000Z')
const send = (conversation: Conversation, fromAgentId: string, content = 'x') => addMessage(conversation, { fromAgentId, content }, now)

/** What a conversation should say, added up from all that happened. */
interface Sent {
  number: number
  from: string
  unread: boolean
  answered: boolean
}

describe('a conversation', () => {
  it('has one id, whichever agent begins', () => {
    assert.equal(conversationIdOf('b', 'a'), conversationIdOf('a', 'b'))
    assert.deepEqual(newConversation('b', 'a', now), newConversation('a', 'b', now))
    assert.equal(otherIn(newConversation('b', 'a', now), 'a'), 'b')
  })

  it('shows whole characters of its last message', () => {
    assert.equal(send(newConversation('a', 'b', now), 'a', '🦀'.repeat(101)).lastMessagePreview, '🦀'.repeat(100))
  })

  it('counts what is unread and unanswered on each side, after any actions', () => {
    const action = fc.record({
      kind: fc.constantFrom('send', 'send', 'send', 'read', 'accept', 'decline'),
      by: fc.constantFrom('a', 'b'),
      at: fc.nat(),
    })
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), actions => {
        let conversation = newConversation('a', 'b', now)
        const messages: Sent[] = []
        const consents = new Set<string>()
        const unanswered = (from: string) => {
          const answeredTo = messages.findLast(m => m.from !== from)?.number ?? 0
          return messages.filter(m => m.from === from && !m.answered && m.number > answeredTo).length
        }
        for (const { kind, by, at } of actions) {
          if (kind === 'send') {
            const isFull = unanswered(by) >= limits.social.unanswered && !consents.has(by)
            assert.equal(codeOf(() => send(conversation, by)) === 'RATE_LIMITED', isFull)
            if (isFull) continue
            conversation = send(conversation, by)
            messages.push({ number: conversation.messageCount, from: by, unread: true, answered: false })
          } else if (kind === 'read') {
            conversation = markRead(conversation, by, messages.filter(m => m.from !== by && m.unread).length)
            for (const m of messages) if (m.from !== by) m.unread = false
          } else {
            const open = messages.filter(m => m.from !== by && !m.answered)
            const chosen = open[at % Math.max(1, open.length)]
            if (!chosen) continue
            const parties = { fromAgentId: chosen.from, toAgentId: by, number: chosen.number }
            const effect = { wasUnread: chosen.unread, wasAnswered: false, consents: kind === 'accept' }
            conversation = recordAnswer(conversation, parties, effect)
            Object.assign(chosen, { unread: false, answered: true })
            if (kind === 'accept') consents.add(chosen.from)
          }
          for (const agent of ['a', 'b']) {
            const { unread, unanswered: stored, hasConsent } = sideOf(conversation, agent)
            assert.equal(unread, messages.filter(m => m.from !== agent && m.unread).length)
            assert.deepEqual([stored, hasConsent], [unanswered(agent), consents.has(agent)])
          }
        }
        assert.equal(conversation.messageCount, messages.length)
      }),
    )
  })
})
