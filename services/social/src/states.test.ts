import assert from 'node:assert/strict'
import { message } from '@carapace/api'
import { followStates } from './follow/follow-states.ts'
import { messageStates } from './message/message-states.ts'
import { reviewStates } from './review/review-states.ts'

describe('the states of social', () => {
  it('of a review let nothing publish a visible one again', () => {
    assert.equal(reviewStates.next('visible', 'publish'), undefined)
  })

  it('of a message are those that clients see', () => {
    assert.deepEqual(Object.keys(messageStates.transitions).sort(), [...message.shape.status.options].sort())
  })

  it('of a message let only the gig change an answer, from DECLINED to ACCEPTED', () => {
    const leaving = messageStates.edges().filter(({ from }) => messageStates.isFinal(from))
    assert.deepEqual(
      leaving.map(({ from, trigger, to }) => [from, trigger, to]),
      [['DECLINED', 'hire', 'ACCEPTED']],
    )
  })

  it('of a follow alternate', () => {
    assert.deepEqual([followStates.move('active', 'unfollow'), followStates.move('ended', 'follow')], ['ended', 'active'])
    assert.equal(followStates.next('active', 'follow'), undefined)
  })
})
