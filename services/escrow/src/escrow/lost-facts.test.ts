import assert from 'node:assert/strict'
import { type Draft, escrowApi, escrowDecided } from '@carapace/api'
import { inProcessBus, quiet } from '@carapace/bus'
import { daySeconds, lossyBus } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { oracle, until } from '../testing/harness.ts'
import { deliveredGig, escrowOf, eventOf, lockFunds, newGig, type Scenario, untilStatus, validationRow } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

/** What the marketplace and the swarm have stored is read where their message does not arrive. */
describe('an escrow to which a message is lost', () => {
  const bus = lossyBus()
  const harness = sharedHarness({ bus: bus.wrap(inProcessBus({ log: quiet, retry: { delaysMs: [5, 10, 20, 50], limit: 8 } })) })
  const { call, bondedGig, bonded, lock, slashed, unlocked } = bondsIn(harness)

  const lockedGig = async (): Promise<Scenario> => {
    const scenario = await newGig(harness)
    await harness.platform.publish(eventOf.posted(scenario))
    await lockFunds(harness, scenario)
    return scenario
  }
  /** The marketplace has stored it; nobody receives an event of it. */
  const unreported = (..._drafts: Draft[]): void => undefined
  const someMinutes = () => harness.platform.advance(5 * 60)
  const ends = (scenario: Scenario, closeReason: 'withdrawn' | 'deadline_missed') => Object.assign(scenario.row, { status: 'cancelled', closeReason })

  it('pays the work that the panel approves although assignment and delivery are not known', async () => {
    const scenario = await lockedGig()
    unreported(eventOf.assigned(scenario), eventOf.submitted(scenario))

    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))

    assert.equal((await untilStatus(harness, scenario.gigId, 'released')).payeeId, scenario.worker.id)
  })

  it('returns the money of a gig that was withdrawn, or whose deadline was missed', async () => {
    const [withdrawn, missed] = [await lockedGig(), await lockedGig()]
    unreported(eventOf.assigned(missed))
    ends(withdrawn, 'withdrawn')
    ends(missed, 'deadline_missed')

    await someMinutes()

    for (const { gigId } of [withdrawn, missed]) await untilStatus(harness, gigId, 'refunded')
  })

  it('does not end a dispute by time while the panel’s verdict on an unknown delivery is on its way', async () => {
    const scenario = await lockedGig()
    await harness.platform.publish(eventOf.assigned(scenario))
    unreported(eventOf.submitted(scenario))
    await call('/api/escrow/dispute', { gigId: scenario.gigId, reason: 'Late' }, scenario.poster.headers)
    await untilStatus(harness, scenario.gigId, 'disputed')
    harness.validations.set(scenario.gigId, [validationRow(scenario, { status: 'approved' })])

    await harness.platform.advance(15 * daySeconds)

    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'disputed')
    const { type, data } = eventOf.resolved(scenario, 'approved')
    await harness.platform.service('escrow').platform.peers.call('escrow', escrowApi.internal.noteVerdict, { body: { events: [{ type, data }] } })
    await harness.platform.advance(60)
    await untilStatus(harness, scenario.gigId, 'released')
  })

  it('releases by the oracle, to whom a delivery is shown, what it does not know itself', async () => {
    const scenario = await lockedGig()
    unreported(eventOf.assigned(scenario), eventOf.submitted(scenario))

    const { status, body } = await call('/api/escrow/release', { gigId: scenario.gigId }, oracle)

    assert.deepEqual([status, body.status], [200, 'released'])
  })

  it('slashes the lock of a rejected gig, and releases that of one which ended without escrow', async () => {
    const rejected = await bondedGig()
    bus.lose(({ type, subject }) => type === escrowDecided.type && subject === rejected.gigId)
    await harness.platform.publish(eventOf.resolved(rejected, 'rejected'))
    await untilStatus(harness, rejected.gigId, 'refunded')
    const unfunded = await newGig(harness, { bond: 50 })
    unfunded.worker = await bonded(100)
    await lock(unfunded.worker, unfunded.gigId, 50)
    await harness.platform.publish(eventOf.assigned(unfunded))
    await until('the lock is used', async () => {
      const rows = harness.platform.service('escrow').platform.db.connection.collection<{ _id: string; locks: { askAt: Date | null }[] }>('bonds')
      return (await rows.findOne({ _id: unfunded.worker.id }))?.locks.every(({ askAt }) => askAt === null)
    })
    ends(unfunded, 'deadline_missed')

    await someMinutes()

    assert.equal((await slashed(rejected.worker, 10)).availableBond, 90)
    assert.equal((await unlocked(unfunded.worker)).availableBond, 100)
  })

  it('holds the money for an appeal that has no panel, which it reads when it would refund', async () => {
    const scenario = await deliveredGig(harness)
    const appealUntil = new Date(Date.now() + 2 * daySeconds * 1000 + harnessOffset()).toISOString()
    await harness.platform.publish(eventOf.resolved(scenario, 'rejected', { frozen: true, appealUntil }))
    const appealExpiresAt = new Date(Date.now() + 4 * daySeconds * 1000 + harnessOffset()).toISOString()
    const against = { status: 'rejected', frozen: true, appealId: scenario.gigId, appealExpiresAt } as const
    harness.validations.set(scenario.gigId, [validationRow(scenario, against)])

    await harness.platform.advance(3 * daySeconds)

    await untilStatus(harness, scenario.gigId, 'disputed')
  })

  const harnessOffset = () => harness.platform.service('escrow').platform.clock.now().getTime() - Date.now()
})
