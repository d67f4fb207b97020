import assert from 'node:assert/strict'
import { assignedGig, decide, deliveredGig, gigAs, gigIs } from '../testing/gigs.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

/** Events overtake each other, and one that fails again and again is not delivered any more. */
describe('what the escrow has decided about a gig', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const isClosed = async (gigId: string, status: string, closeReason: string) => {
    await gigIs(harness, gigId, status)
    assert.equal((await gigAs(harness, gigId)).closeReason, closeReason)
  }

  it('ends a gig that was in a dispute, also when the end is received before the dispute', async () => {
    const [paid, refunded] = [await assignedGig(harness), await assignedGig(harness)]
    await decide(harness, paid, 'release', 2)
    await decide(harness, refunded, 'refund', 2)
    await isClosed(paid.gigId, 'completed', 'approved')
    await isClosed(refunded.gigId, 'cancelled', 'rejected')

    for (const work of [paid, refunded]) await decide(harness, work, 'hold', 1)

    assert.deepEqual([(await gigAs(harness, paid.gigId)).status, (await gigAs(harness, refunded.gigId)).status], ['completed', 'cancelled'])
  })

  it('is found where its event is lost: after a delivery, and after a dispute', async () => {
    const [delivered, disputed, waiting] = [await deliveredGig(harness), await assignedGig(harness), await deliveredGig(harness)]
    await decide(harness, disputed, 'hold')
    await gigIs(harness, disputed.gigId, 'disputed')
    harness.decisions.set(delivered.gigId, { outcome: 'release', reason: 'verdict', verdict: 'approved' })
    harness.decisions.set(disputed.gigId, { outcome: 'refund', reason: 'dispute', verdict: null })

    await harness.platform.advance(60)

    await isClosed(delivered.gigId, 'completed', 'approved')
    await isClosed(disputed.gigId, 'cancelled', 'refunded')
    assert.equal((await gigAs(harness, waiting.gigId)).status, 'pending_validation')
  })

  it('is read before a deadline is missed: a dispute whose event is lost goes on', async () => {
    const [disputed, missed] = [await assignedGig(harness, { deadlineHours: 1 }), await assignedGig(harness, { deadlineHours: 1 })]
    harness.decisions.set(disputed.gigId, { outcome: 'hold', reason: 'dispute', verdict: null })

    await harness.platform.advance(26 * 3600)

    await isClosed(missed.gigId, 'cancelled', 'deadline_missed')
    await gigIs(harness, disputed.gigId, 'disputed')
  })
})
