import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { released, restated, type TestAgent, until } from '@carapace/testing'
import { deliveredGig, seated, submitted, validationsOf } from '../testing/cases.ts'
import { newAgent, startWorld } from '../testing/world.ts'

describe('agents with a settled payment between them', () => {
  let world: Awaited<ReturnType<typeof startWorld>>
  before(async () => {
    world = await startWorld(4)
  })
  after(() => world.close())

  const payment = (poster: TestAgent, worker: TestAgent) => {
    const of = { gigId: randomUUID(), posterId: poster.id, assigneeId: worker.id }
    return { made: released(of), undone: restated(of), lost: restated({ ...of, status: 'refunded', unpaid: true }) }
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
    for (const { made } of [lost, kept]) await world.platform.publish(made, 5)
    const whole = await panelFor(poster, assignee)
    await world.platform.publish(kept.undone, 7)

    await world.platform.publish(lost.lost, 9)
    await world.platform.publish(lost.made, 5)

    assert.ok(others.every(({ id }) => whole.includes(id)))
    assert.deepEqual((await panelFor(poster, assignee)).sort(), [first, ...others].map(({ id }) => id).sort())
  })
})
