import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { daySeconds } from '@carapace/testing'
import { until } from '../testing/harness.ts'
import { deliveredGig, eventOf, type Scenario, untilStatus } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

/** The fee of a gig may be less than what both panels have earned. */
describe('the rewards of a gig whose appeal has decided', () => {
  const harness = sharedHarness()
  const earned = 900_000n
  const accrued = ({ gigId, poster, worker, amount, chain }: Scenario, validationId: string) =>
    api.rewardAccrued.of({
      ...{ validationId, gigId, jobId: null, title: 'Audit', posterId: poster.id, assigneeId: worker.id, budget: amount, chain, round: 1 },
      ...{ appealOf: null, rewards: [{ validatorId: randomUUID(), amount: earned }] },
    })
  const isEnded = (gigId: string) =>
    harness.platform.service('escrow').platform.db.connection.collection<{ _id: string }>('reward_sources').findOne({ _id: gigId })
  const fundedOf = async (validationId: string) => {
    const rows = harness.platform
      .service('escrow')
      .platform.db.connection.collection<{ _id: string; isFunded: boolean; shares: { funded: bigint }[] }>('rewards')
    const row = await rows.findOne({ _id: validationId })
    return row?.isFunded ? BigInt(row.shares[0]!.funded) : undefined
  }

  for (const isKnownLast of [false, true])
    it(`go to its panel first${isKnownLast ? ', also where they become known last' : ''}, and to the first panel from what is left`, async () => {
      const scenario = await deliveredGig(harness)
      const { validationId, gigId } = scenario
      const appealId = randomUUID()
      const appealUntil = new Date(Date.now() + 2 * daySeconds * 1000).toISOString()
      await harness.platform.publish(eventOf.resolved(scenario, 'rejected', { frozen: true, appealUntil }))
      await harness.platform.publish(accrued(scenario, validationId))
      if (!isKnownLast) await harness.platform.publish(accrued(scenario, appealId))
      await harness.platform.publish(eventOf.appealFiled(scenario, appealId))
      await harness.platform.publish(eventOf.appealClosed(scenario, appealId, 'won'))
      await untilStatus(harness, gigId, 'released')
      await until('its fee is known', () => isEnded(gigId))

      if (isKnownLast) await harness.platform.publish(accrued(scenario, appealId))

      const [first, appealed] = await until('both are funded', async () => {
        const both = [await fundedOf(validationId), await fundedOf(appealId)] as const
        return both.every(amount => amount !== undefined) && both
      })
      assert.deepEqual([appealed, first], [earned, 1_200_000n - earned])
    })
})
