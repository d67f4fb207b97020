import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { corrected, released, type TestAgent, until } from '@carapace/testing'
import { deliveredGig, seated, submitted, validationsOf } from '../testing/cases.ts'
import { newAgent, startHarness } from '../testing/harness.ts'

describe('agents with a settled payment between them', () => {
  let harness: Awaited<ReturnType<typeof startHarness>>
  before(async () => {
    harness = await startHarness(4)
  })
  after(() => harness.close())

  const payment = (poster: TestAgent, worker: TestAgent) => {
    const of = { gigId: randomUUID(), posterId: poster.id, assigneeId: worker.id }
    return { made: released(of), reorged: corrected(of), lost: corrected({ ...of, status: 'refunded', unpaid: true }) }
  }
  const panelFor = async (poster: TestAgent, assignee: TestAgent) => {
    const gig = deliveredGig(harness, poster, assignee)
    await harness.platform.publish(submitted(gig))
    const [validation] = await until('the validation is open', async () => {
      const found = await validationsOf(harness, gig.gigId)
      return found.length > 0 && found
    })
    return seated(validation)
  }

  it('are drawn last, until the chain reverses the payment for good', async () => {
    const [poster, assignee] = [await newAgent(harness), await newAgent(harness)]
    const [first, second, ...others] = harness.validators as [TestAgent, TestAgent, ...TestAgent[]]
    const [lost, paid] = [payment(poster, first), payment(poster, second)]
    for (const { made } of [lost, paid]) await harness.platform.publish(made, 5)
    const whole = await panelFor(poster, assignee)
    await harness.platform.publish(paid.reorged, 7)

    await harness.platform.publish(lost.lost, 9)
    await harness.platform.publish(lost.made, 5)

    assert.ok(others.every(({ id }) => whole.includes(id)))
    assert.deepEqual((await panelFor(poster, assignee)).sort(), [first, ...others].map(({ id }) => id).sort())
  })
})
