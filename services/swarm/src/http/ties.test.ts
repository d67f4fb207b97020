import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { corrected, newHash, released, type TestAgent, until } from '@carapace/testing'
import { deliveredGig, seated, submitted, validationsOf } from '../testing/cases.ts'
import { budget, newAgent, startHarness } from '../testing/harness.ts'

describe('agents with a settled payment between them', () => {
  let harness: Awaited<ReturnType<typeof startHarness>>
  beforeEach(async () => {
    harness = await startHarness(4)
  })
  afterEach(() => harness.close())

  interface Payment {
    made: api.Draft
    /** Reversed, to be made again. */
    reorged: api.Draft
    lost: api.Draft
    /** After it was lost. */
    again: api.Draft
  }
  const ofGig = (poster: TestAgent, worker: TestAgent): Payment => {
    const of = { gigId: randomUUID(), posterId: poster.id, assigneeId: worker.id }
    return {
      made: released(of),
      reorged: corrected(of),
      lost: corrected({ ...of, status: 'refunded', unpaid: true }),
      again: corrected({ ...of, status: 'released', settledAt: new Date().toISOString() }),
    }
  }
  const ofJob = (poster: TestAgent, worker: TestAgent): Payment => {
    const facts = {
      ...{ jobId: randomUUID(), onChainJobId: '1', title: 'Summarise', posterId: poster.id, assigneeId: worker.id, budget, txHash: newHash() },
      ...{ chain: 'BASE_SEPOLIA' as const, at: new Date().toISOString(), fee: 1_200_000n, net: budget - 1_200_000n },
    }
    const by = { by: 'oracle' as const, weak: false, creditable: true, afterDispute: false, validationId: null }
    const standing = { requiredSkills: [], posterScore: 15, assigneeScore: 15 }
    return {
      made: api.jobSettled.of({ ...facts, ...by, ...standing, status: 'settled' }),
      reorged: api.jobCorrected.of({ ...facts, status: 'submitted', unpaid: false }),
      lost: api.jobCorrected.of({ ...facts, status: 'submitted', unpaid: true }),
      again: api.jobCorrected.of({ ...facts, status: 'settled', unpaid: false }),
    }
  }
  /** Who is tied in a new draw; they are on its panel only as far as it is short of others. */
  const tiedFor = async (poster: TestAgent, assignee: TestAgent) => {
    const gig = deliveredGig(harness, poster, assignee)
    await harness.platform.publish(submitted(gig))
    const [validation] = await until('the validation is open', async () => {
      const found = await validationsOf(harness, gig.gigId)
      return found.length > 0 && found
    })
    const { read } = (await harness.call('GET', `/api/swarm/validations/${validation.id}/draw`)).body as {
      read: { agentId: string; tied: boolean; isEligible: boolean }[]
    }
    const tied = read.filter(one => one.tied && one.isEligible).map(({ agentId }) => agentId)
    const untied = read.filter(one => !one.tied && one.isEligible).length
    const panel = seated(validation)
    assert.equal(panel.filter(id => tied.includes(id)).length, Math.max(0, panel.length - untied))
    return tied.sort()
  }

  for (const [what, payment] of [
    ['gig', ofGig],
    ['job', ofJob],
  ] as const)
    it(`of a ${what} are drawn last, until the chain reverses it for good, and again once it is made again`, async () => {
      const [poster, assignee] = [await newAgent(harness), await newAgent(harness)]
      const [first, second] = harness.validators as [TestAgent, TestAgent]
      const [lost, paid] = [payment(poster, first), payment(poster, second)]
      for (const { made } of [lost, paid]) await harness.platform.publish(made, 5)
      const atFirst = await tiedFor(poster, assignee)
      await harness.platform.publish(paid.reorged, 7)
      await harness.platform.publish(lost.lost, 9)
      await harness.platform.publish(lost.made, 5)
      const afterLoss = await tiedFor(poster, assignee)

      await harness.platform.publish(lost.again, 11)
      await harness.platform.publish(lost.lost, 9)

      assert.deepEqual([atFirst, afterLoss], [[first.id, second.id].sort(), [second.id]])
      assert.deepEqual(await tiedFor(poster, assignee), atFirst)
    })
})
