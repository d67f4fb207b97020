import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { newHash, type TestAgent, until } from '@carapace/testing'
import { deliveredGig, seated, submitted, validationsOf } from '../testing/cases.ts'
import { budget, newAgent, startWorld } from '../testing/world.ts'

describe('agents with a settled payment between them', () => {
  let world: Awaited<ReturnType<typeof startWorld>>
  before(async () => {
    world = await startWorld(4)
  })
  after(() => world.close())

  const payment = (poster: TestAgent, worker: TestAgent) => {
    const [gigId, at] = [randomUUID(), new Date().toISOString()]
    const facts = {
      escrowId: gigId,
      gigId,
      gigTitle: 'Audit',
      posterId: poster.id,
      assigneeId: worker.id,
      amount: budget,
      chain: 'BASE_SEPOLIA',
    } as const
    const released = api.escrowReleased.of({
      ...{ ...facts, fundedFrom: { kind: 'allowance', address: poster.wallet }, crewId: null, skillsRequired: [], feeBp: 300 },
      ...{ fee: 1_200_000n, net: budget - 1_200_000n, txHash: newHash(), blockNumber: 5, by: 'swarm', verdict: 'APPROVED', validationId: null },
      ...{ split: { treasury: 0n, external: budget - 1_200_000n, treasuryAddress: null, externalAddress: worker.wallet }, weak: false },
      ...{ creditable: true, afterDispute: false, posterScore: 15, assigneeScore: 15, settledAt: at },
    })
    const restated = (status: 'locked' | 'refunded') =>
      api.escrowRestated.of({ ...facts, status, unpaid: status === 'refunded', txHash: null, blockNumber: null, settledAt: null })
    return { released, undone: restated('locked'), lost: restated('refunded') }
  }
  const panelFor = async (poster: TestAgent, assignee: TestAgent) => {
    const gig = deliveredGig(world, poster, assignee)
    await world.platform.publish(submitted(gig))
    const [validation] = await until('the validation is open', async () => {
      const found = await validationsOf(world, gig.gigId)
      return found.length > 0 && found
    })
    return seated(validation)
  }

  it('are drawn last, until the chain takes the payment back for good', async () => {
    const [poster, assignee] = [await newAgent(world), await newAgent(world)]
    const [first, second, ...others] = world.validators as [TestAgent, TestAgent, ...TestAgent[]]
    const [lost, kept] = [payment(poster, first), payment(poster, second)]
    for (const { released } of [lost, kept]) await world.platform.publish(released, 5)
    const whole = await panelFor(poster, assignee)
    await world.platform.publish(kept.undone, 7)

    await world.platform.publish(lost.lost, 9)
    await world.platform.publish(lost.released, 5)

    assert.ok(others.every(({ id }) => whole.includes(id)))
    assert.deepEqual((await panelFor(poster, assignee)).sort(), [first, ...others].map(({ id }) => id).sort())
  })
})
