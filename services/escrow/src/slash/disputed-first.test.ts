import assert from 'node:assert/strict'
import { daySeconds } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { until } from '../testing/harness.ts'
import { escrowOf, eventOf, lockFunds, newGig, type Scenario, untilStatus } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

/** The wait of a dispute is the same for both; what the assignee has failed in by then counts all the same. */
describe('an assignee that disputes before it is judged', () => {
  const harness = sharedHarness()
  const { call, bondedGig, bonded, lock, slashed } = bondsIn(harness)
  const dispute = async ({ gigId, worker }: Scenario) => {
    await call('/api/escrow/dispute', { gigId, reason: 'They will reject it' }, worker.headers)
    await untilStatus(harness, gigId, 'disputed')
  }
  const failureOf = async ({ gigId }: Scenario) => {
    const rows = harness.platform
      .service('escrow')
      .platform.db.connection.collection<{ _id: string; settlement: { failure: string | null } }>('escrows')
    return (await rows.findOne({ _id: gigId }))?.settlement.failure
  }

  it('is slashed when the panel rejects plainly and nobody decides the dispute', async () => {
    const scenario = await bondedGig()
    await until('it is delivered', async () => (await escrowOf(harness, scenario.gigId)).status === 'locked')
    await dispute(scenario)
    await harness.platform.publish(eventOf.resolved(scenario, 'rejected'))
    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'disputed')

    await harness.platform.advance(15 * daySeconds)

    await untilStatus(harness, scenario.gigId, 'refunded')
    assert.equal(await failureOf(scenario), 'rejected')
    assert.equal((await slashed(scenario.worker, 10)).availableBond, 90)
  })

  it('has missed its deadline where nothing is delivered until the dispute ends', async () => {
    const scenario = await newGig(harness, { bond: 50 })
    scenario.worker = await bonded(100)
    await lock(scenario.worker, scenario.gigId, 50)
    await lockFunds(harness, scenario)
    await harness.platform.publish(eventOf.assigned(scenario))
    await dispute(scenario)

    await harness.platform.advance(15 * daySeconds)

    await untilStatus(harness, scenario.gigId, 'refunded')
    assert.equal(await failureOf(scenario), 'deadline_missed')
    assert.equal((await slashed(scenario.worker, 0)).availableBond, 100)
  })
})
