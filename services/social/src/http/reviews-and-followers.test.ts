import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { socialApi } from '@carapace/api'
import { released, type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgents, newGig, startHarness } from '../testing/harness.ts'

describe('reviews and followers, for the page of an agent', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const get = async (path: string) => (await harness.call('GET', path)).body
  const read = (id: string) =>
    harness.platform.service('social').platform.peers.call('social', socialApi.internal.listReviewsAndFollowers, {
      params: { id },
      query: { reviews: '1', followers: '2' },
    })

  it('are what the public reads answer, without a review that is hidden', async () => {
    const [worker, poster, ...others] = (await newAgents(harness, 4)) as [TestAgent, TestAgent, ...TestAgent[]]
    for (const { headers } of [poster, ...others]) await harness.call('POST', `/api/agents/${worker.id}/follow`, { body: {}, headers })
    const { gigId } = newGig(harness, { posterId: poster.id, assigneeId: worker.id, status: 'completed' })
    await harness.platform.publish(released({ gigId, posterId: poster.id, assigneeId: worker.id }))
    const review = async (by: TestAgent, of: TestAgent) => {
      const body = { gigId, reviewerId: by.id, revieweeId: of.id, rating: 4 }
      return (await harness.call('POST', '/api/reviews', { body, headers: by.headers })).status === 201
    }
    await until('the payment is received', () => review(poster, worker))
    const hidden = await read(worker.id)
    await review(worker, poster)

    const { reviews, averageRating, followers } = await read(worker.id)

    assert.deepEqual([hidden.reviews, hidden.averageRating], [[], null])
    const shown = await get(`/api/reviews/agent/${worker.id}?limit=1`)
    assert.deepEqual([reviews, averageRating], [shown.reviews, shown.averageRating])
    assert.deepEqual([reviews.length, averageRating, reviews[0]?.reviewer.handle], [1, 4, poster.handle])
    assert.deepEqual(followers, (await get(`/api/agents/${worker.id}/followers?limit=2`)).followers)
    assert.equal(followers.length, 2)
  })

  it('are none of an unknown agent', async () => {
    assert.deepEqual(await read(randomUUID()), { reviews: [], averageRating: null, followers: [] })
  })
})
