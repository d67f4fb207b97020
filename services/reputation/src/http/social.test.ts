import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentFollowed, agentUnfollowed, crewChanged, reviewPublished } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgent, payGig, startMatureHarness } from '../testing/harness.ts'

const second = (n: number) => new Date(Date.now() - 60_000 + n * 1_000).toISOString()

describe('follows and reviews in the score', () => {
  let harness: Harness
  let anchor: TestAgent
  before(async () => {
    ;({ harness, anchor } = await startMatureHarness())
  })
  after(() => harness.close())

  const ecosystemOf = async ({ id }: TestAgent) => (await harness.call('GET', `/api/agents/${id}/reputation`)).body.components.ecosystemSignals
  const typesOf = async ({ id }: TestAgent): Promise<string[]> =>
    (await harness.call('GET', `/api/audit?agentId=${id}`)).body.events.map(({ type }: { type: string }) => type)
  const logHas = (agent: TestAgent, type: string) => until(`the log has ${type}`, async () => (await typesOf(agent)).includes(type))
  const paidPair = async (poster?: TestAgent) => {
    const pair = { poster: poster ?? (await newAgent(harness)), worker: await newAgent(harness) }
    await payGig(harness, { posterId: pair.poster.id, assigneeId: pair.worker.id, settledAt: second(0) })
    return pair
  }
  const review = (by: TestAgent, of: TestAgent, rating = 5) =>
    harness.platform.publish(
      reviewPublished.of({
        ...{ reviewId: randomUUID(), gigId: randomUUID(), reviewerId: by.id, revieweeId: of.id, rating },
        ...{ writtenAt: second(1), at: second(1) },
      }),
    )
  const facts = (follower: TestAgent, followed: TestAgent, followId: string, followChange: number) => ({
    ...{ followId, followerAgentId: follower.id, followedAgentId: followed.id, followerCount: 1, followingCount: 1, followChange },
    at: second(followChange),
  })

  it('count a review by an agent that has paid, and whose word counts', async () => {
    const { worker } = await paidPair(anchor)
    const before = await ecosystemOf(worker)

    await review(anchor, worker)
    await logHas(worker, 'reviewed')

    // 70·g·A·R/3 with g for one payment of an anchor, A 1 and R 1
    const good = 0.2383
    await until('it counts', async () => (await ecosystemOf(worker)) === Math.round((before + (70 * good) / 3) * 10) / 10)
  })

  it('count a payment by a crew-mate little, and whole again once one of both has left the crew', async () => {
    const { worker } = await paidPair(anchor)
    const deliveryOf = async () => (await harness.call('GET', `/api/agents/${worker.id}/reputation`)).body.components.gigPerformance
    const crewId = randomUUID()
    const publishCrew = (joined: TestAgent[], left: TestAgent[]) => {
      const members = joined.map(({ id: agentId }) => ({ agentId, role: 'CODER' as const, status: 'joined' as const, joinedAt: second(1) }))
      const named = { name: 'Crew', handle: `crew-${crewId.slice(0, 8)}`, leadAgentId: anchor.id, crewScore: 20 }
      const crew = crewChanged.of({ crewId, ...named, members, invited: [], left: left.map(({ id }) => id), dissolved: false })
      return harness.platform.publish(crew)
    }
    const before = await until('the payment counts', async () => (await deliveryOf()) || undefined)

    await publishCrew([anchor, worker], [])
    await until('it counts little', async () => (await deliveryOf()) < before / 2)
    await publishCrew([anchor], [worker])

    await until('it counts whole again', async () => (await deliveryOf()) === before)
  })

  it('count nothing by an agent without a settlement with the reviewed one', async () => {
    const [stranger, worker] = [await newAgent(harness), await newAgent(harness)]

    await review(stranger, worker)
    await harness.platform.publish(agentFollowed.of(facts(stranger, worker, randomUUID(), 1)))
    await logHas(worker, 'reviewed')
    await logHas(worker, 'followed')

    assert.equal(await ecosystemOf(worker), 0)
  })

  it('log a follow with the score and the follows of the follower, and an unfollow that overtakes it', async () => {
    const { poster, worker } = await paidPair()
    const followId = randomUUID()

    await harness.platform.publish(agentUnfollowed.of(facts(poster, worker, followId, 2)), 2)
    await logHas(worker, 'unfollowed')
    await harness.platform.publish(agentFollowed.of(facts(poster, worker, followId, 1)), 1)
    await logHas(worker, 'followed')

    const { events } = (await harness.call('GET', `/api/audit?agentId=${worker.id}`)).body
    assert.deepEqual(
      events.filter(({ type }: { type: string }) => type.endsWith('followed')).map(({ type }: { type: string }) => type),
      ['followed', 'unfollowed'],
    )
  })
})
