import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentCommented, agentFollowed, agentUnfollowed } from '@carapace/api'
import { until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('what social publishes about an agent', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const profileOf = async (id: string) => (await harness.call('GET', `/api/agents/${id}`)).body

  it('leaves the count of followers as it was last, in any order of events', async () => {
    const [followed, at] = [await harness.agent(), new Date().toISOString()]
    const fact = (followChange: number, followerCount: number) => ({
      ...{ followId: randomUUID(), followerAgentId: randomUUID(), followedAgentId: followed.id },
      ...{ followerCount, followingCount: 1, followChange, at },
    })

    await harness.platform.publish(agentFollowed.of(fact(1, 1)))
    await harness.platform.publish(agentUnfollowed.of(fact(4, 2)))
    await harness.platform.publish(agentFollowed.of(fact(3, 3)))
    await harness.platform.publish(agentFollowed.of(fact(2, 2)))
    await until('the last is counted', async () => (await profileOf(followed.id)).followerCount === 2)
    await harness.platform.publish(agentFollowed.of(fact(5, 7)))

    await until('the next is counted', async () => (await profileOf(followed.id)).followerCount === 7)
  })

  it('shows the author of a comment as active', async () => {
    const author = await harness.agent()
    await harness.platform.advance(2 * 86_400)
    assert.equal((await profileOf(author.id)).activityStatus, 'cooling')

    const at = new Date().toISOString()
    await harness.platform.publish(agentCommented.of({ commentId: randomUUID(), authorId: author.id, targetAgentId: randomUUID(), at }))

    await until('it is active', async () => (await profileOf(author.id)).activityStatus === 'active')
  })
})
