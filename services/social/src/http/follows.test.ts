import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentFollowed, agentUnfollowed, limits } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { type Harness, newAgent, newAgents, startHarness } from '../testing/harness.ts'
import { eventsOf, faultsOf } from '../testing/reads.ts'

describe('follows', () => {
  let harness: Harness

  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const twoAgents = async () => (await newAgents(harness, 2)) as [TestAgent, TestAgent]
  const follow = (follower: TestAgent, followed: TestAgent, headers = {}) =>
    harness.call('POST', `/api/agents/${followed.id}/follow`, { body: {}, headers: { ...follower.headers, ...headers } })
  const unfollow = (follower: TestAgent, followed: TestAgent, headers = {}) =>
    harness.call('DELETE', `/api/agents/${followed.id}/follow`, { headers: { ...follower.headers, ...headers } })
  const followersOf = async (agent: TestAgent, query = '') => (await harness.call('GET', `/api/agents/${agent.id}/followers${query}`)).body
  const followingOf = async (agent: TestAgent) => (await harness.call('GET', `/api/agents/${agent.id}/following`)).body

  it('appear in the lists of both agents, and their counts in the event', async () => {
    const [follower, followed] = await twoAgents()

    const { status, body } = await follow(follower, followed)

    assert.equal(status, 201)
    assert.deepEqual([body.follow.followerAgentId, body.follow.followedAgentId], [follower.id, followed.id])
    const agentOf = ({ id, handle }: TestAgent) => ({ id, handle, fusedScore: 15, tier: 'Hatchling' })
    const { followers, count, total } = await followersOf(followed)
    assert.deepEqual([followers, count, total], [[{ ...body.follow, agent: agentOf(follower) }], 1, 1])
    const { following } = await followingOf(follower)
    assert.deepEqual(following, [{ ...body.follow, agent: agentOf(followed) }])
    const [event] = await eventsOf(harness, agentFollowed, body.follow.id)
    assert.deepEqual([event?.followerCount, event?.followingCount, event?.followChange], [1, 1, 1])
  })

  it('are refused for oneself, twice, and of nobody', async () => {
    const [follower, followed] = await twoAgents()
    await follow(follower, followed)

    const refusals = [await follow(follower, follower), await follow(follower, followed), await follow(follower, { ...followed, id: randomUUID() })]
    const byHandle = await follow(follower, { ...followed, id: followed.handle })

    assert.deepEqual(
      refusals.map(({ status, body }) => [status, body.code]),
      [
        [400, 'SELF_ACTION'],
        [409, 'ALREADY_EXISTS'],
        [404, 'NOT_FOUND'],
      ],
    )
    assert.equal(byHandle.status, 404)
  })

  it('act for the caller only', async () => {
    const [follower, followed] = await twoAgents()
    const path = `/api/agents/${followed.id}/follow`

    const foreign = await harness.call('POST', path, { body: { followerId: followed.id }, headers: follower.headers })
    const unnamed = await harness.call('POST', path, { body: {} })

    assert.deepEqual([foreign.status, foreign.body.code], [403, 'FORBIDDEN'])
    assert.deepEqual([unnamed.status, unnamed.body.code], [401, 'AUTH_REQUIRED'])
  })

  it('end, once, and begin again', async () => {
    const [follower, followed] = await twoAgents()
    const first = await follow(follower, followed)

    assert.equal((await unfollow(follower, followed)).body.unfollowed, true)
    const repeated = await unfollow(follower, followed)
    assert.deepEqual([repeated.status, repeated.body.unfollowed], [200, true])
    assert.equal((await unfollow(followed, follower)).status, 404)
    assert.deepEqual([(await followersOf(followed)).followers, (await followersOf(followed)).count], [[], 0])
    const again = await follow(follower, followed)

    assert.deepEqual([again.status, again.body.follow.id], [201, first.body.follow.id])
    assert.equal((await followersOf(followed)).count, 1)
    const [ended, ...more] = await eventsOf(harness, agentUnfollowed, first.body.follow.id)
    assert.deepEqual(more, [])
    assert.deepEqual([ended?.followerCount, ended?.followingCount, ended?.followChange], [0, 0, 2])
  })

  it('of 200 agents at the same time are all counted', async () => {
    const followed = await newAgent(harness)
    const followers = await newAgents(harness, 200)

    const answers = await Promise.all(followers.map(follower => follow(follower, followed)))

    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
    const { count, followers: page } = await followersOf(followed, '?limit=100')
    assert.deepEqual([count, page.length], [200, 100])
    const changes = (await Promise.all(answers.map(({ body }) => eventsOf(harness, agentFollowed, body.follow.id)))).flat()
    assert.equal(new Set(changes.map(({ followChange }) => followChange)).size, 200)
    assert.deepEqual(await faultsOf(harness), [])
  })

  it('of one agent by one other at the same time are one', async () => {
    const [follower, followed] = await twoAgents()

    const answers = await Promise.all(Array.from({ length: 20 }, () => follow(follower, followed)))

    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
    assert.equal((await followersOf(followed)).count, 1)
  })

  it('are limited for each follower', async () => {
    const [follower, followed] = await twoAgents()
    const figures = harness.platform.service('social').platform.db.collection<{ _id: string; following: number }>('figures')
    await figures.insertOne({ _id: follower.id, following: limits.social.follows })

    const { status, body } = await follow(follower, followed)

    assert.deepEqual([status, body.code], [409, 'INVALID_STATE'])
    assert.equal((await followersOf(followed)).count, 0)
    await figures.deleteOne({ _id: follower.id })
  })

  it('answer a repeat with the same idempotency key as the first call', async () => {
    const [follower, followed] = await twoAgents()
    const key = { 'idempotency-key': randomUUID() }

    const [first, again] = [await follow(follower, followed, key), await follow(follower, followed, key)]

    assert.deepEqual([again.status, again.body], [201, first.body])
  })
})
