import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentCommented, agentFollowed, messageOfferAnswered, messageSent, reviewPublished } from '@carapace/api'
import { startPlatform, type TestPlatform, until } from '@carapace/testing'
import { notifications } from './index.ts'
import { identityStub } from './testing/identity.ts'

const at = '2026-01-01T00:00:00.000Z'

describe('notifications of social events', () => {
  let platform: TestPlatform

  before(async () => {
    platform = await startPlatform([identityStub, notifications])
  })
  after(() => platform.close())

  const firstOf = (agentId: string): Promise<{ type: string; message: string; metadata: object }> =>
    until('it is notified', async () => (await platform.call('GET', `/api/agents/${agentId}/notifications`)).body.notifications[0])

  it('reach the counterpart', async () => {
    const [actor, gigId, id] = [randomUUID(), randomUUID(), randomUUID()]
    const [followed, commented, recipient, sender, reviewed] = Array.from({ length: 5 }, () => randomUUID()) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const counts = { followerCount: 1, followingCount: 1, followChange: 1 }
    const offer = { messageId: id, messageType: 'GIG_OFFER', gigId, at } as const
    await platform.publish(agentFollowed.of({ followId: id, followerAgentId: actor, followedAgentId: followed, ...counts, at }))
    await platform.publish(agentCommented.of({ commentId: id, authorId: actor, targetAgentId: commented, at }))
    await platform.publish(messageSent.of({ ...offer, fromAgentId: actor, toAgentId: recipient }))
    await platform.publish(messageOfferAnswered.of({ ...offer, fromAgentId: sender, toAgentId: actor, status: 'ACCEPTED', offerId: id }))
    await platform.publish(reviewPublished.of({ reviewId: id, gigId, reviewerId: actor, revieweeId: reviewed, rating: 4, writtenAt: at, at }))

    const expected = [
      [followed, 'new_follower', 'An agent follows you.'],
      [commented, 'new_comment', 'An agent commented on you.'],
      [recipient, 'message_received', 'An agent sent you a message with an offer of a gig.'],
      [sender, 'message_offer_answered', 'Your offer was accepted.'],
      [reviewed, 'review_received', 'You were reviewed with 4 of 5.'],
    ] as const
    for (const [agentId, type, message] of expected) {
      const notice = await firstOf(agentId)
      assert.deepEqual([notice.type, notice.message], [type, message])
    }
    assert.deepEqual((await platform.call('GET', `/api/agents/${actor}/notifications`)).body.notifications, [])
  })
})
