import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { escrowApi } from '@carapace/api'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { deliveredGig, eventOf, untilStatus } from '../testing/scenario.ts'

describe('the decisions about gigs that the marketplace reads', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(async () => {
    await assertHealthy(harness)
    await harness.close()
  })

  it('are the last ones, and those of gigs that are decided only', async () => {
    const [released, held, undecided] = [await deliveredGig(harness), await deliveredGig(harness), await deliveredGig(harness)]
    await harness.platform.publish(eventOf.resolved(released, 'approved'))
    await harness.platform.publish(eventOf.expired(held))
    await untilStatus(harness, released.gigId, 'released')
    await untilStatus(harness, held.gigId, 'disputed')

    const gigIds = [released, held, undecided].map(({ gigId }) => gigId)
    const { peers } = harness.platform.service('escrow').platform
    const { decisions } = await peers.call('escrow', escrowApi.internal.listGigDecisions, { body: { gigIds: [...gigIds, randomUUID()] } })

    const byGig = new Map(decisions.map(({ gigId, outcome, reason, verdict }) => [gigId, [outcome, reason, verdict]]))
    assert.deepEqual(
      gigIds.map(gigId => byGig.get(gigId)),
      [['release', 'verdict', 'approved'], ['hold', 'no_consensus', 'expired'], undefined],
    )
    assert.equal(decisions.length, 2)
  })
})
