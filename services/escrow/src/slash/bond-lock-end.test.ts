import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { escrowDecided, refuse } from '@carapace/api'
import { inProcessBus, quiet } from '@carapace/bus'
import { lossyBus } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { oracle, until } from '../testing/harness.ts'
import { eventOf, lockFunds, newGig, untilStatus } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

/** A lock ends in more than one way; none of them may overtake another. */
describe('the end of a bond lock', () => {
  const bus = lossyBus()
  const harness = sharedHarness({ bus: bus.wrap(inProcessBus({ log: quiet, retry: { delaysMs: [5, 10, 20, 50], limit: 8 } })) })
  const { call, status, bonded, lock, bondedGig, slashed } = bondsIn(harness)
  beforeEach(() => {
    harness.isAssigned = async gigAndAgent => harness.assigned.has(gigAndAgent)
  })
  const quarter = () => harness.platform.advance(16 * 60)
  const codeOf = (request: Promise<unknown>) =>
    request.then(
      () => undefined,
      ({ code, isRetryable }: { code: string; isRetryable: boolean }) => [code, isRetryable],
    )

  it('by the oracle is a slash where the panel has rejected, although the decision was not followed yet', async () => {
    const scenario = await bondedGig()
    bus.lose(({ type, subject }) => type === escrowDecided.type && subject === scenario.gigId)
    await harness.platform.publish(eventOf.resolved(scenario, 'rejected'))
    await untilStatus(harness, scenario.gigId, 'refunded')
    scenario.row.status = 'cancelled'

    const answer = await call(`/api/bond/${scenario.worker.id}/unlock`, { gigId: scenario.gigId }, oracle)

    assert.equal(answer.status, 200)
    assert.equal((await slashed(scenario.worker, 10)).availableBond, 90)
  })

  it('without an assignment is certain before the marketplace is queried: no acceptance finds the lock after that', async () => {
    const agent = await bonded(100)
    const gigId = randomUUID()
    await lock(agent, gigId, 30)
    let meanwhile: unknown
    harness.isAssigned = async () => {
      meanwhile = await codeOf(lock(agent, gigId, 30))
      return false
    }

    await quarter()

    assert.deepEqual(meanwhile, ['INVALID_STATE', true])
    await until('it is released', async () => (await status(agent)).locks.length === 0)
    assert.equal((await lock(agent, gigId, 30)).status, 'confirmed')
  })

  it('comes with the end of a gig whose assignee had lost its wallet before the assignment was followed', async () => {
    const scenario = await newGig(harness)
    const agent = await bonded(100)
    await harness.platform.publish(eventOf.posted(scenario))
    await lockFunds(harness, scenario)
    await lock(agent, scenario.gigId, 30)
    harness.isAssigned = async () => true
    await quarter()

    await harness.platform.publish(eventOf.cancelled(scenario))
    await untilStatus(harness, scenario.gigId, 'refunded')
    await harness.platform.advance(60)

    await until('it is released whole', async () => (await status(agent)).lockedBond === 0)
    assert.equal((await status(agent)).availableBond, 100)
  })

  it('does not come where the gig is assigned: the lock counts again', async () => {
    const agent = await bonded(100)
    const gigId = randomUUID()
    await lock(agent, gigId, 30)
    // as where the service ends between the query and its answer: both are repeated
    harness.isAssigned = async () => refuse('DEPENDENCY_UNAVAILABLE')
    await quarter()
    assert.deepEqual(await codeOf(lock(agent, gigId, 30)), ['INVALID_STATE', true])

    harness.isAssigned = async () => true
    await harness.platform.advance(60)

    assert.equal((await lock(agent, gigId, 30)).status, 'confirmed')
    assert.equal((await status(agent)).lockedBond, 30)
  })

  it('that failed is tried again although the marketplace is away, which another lock of the bond waits for', async () => {
    const agent = await bonded(100)
    const [over, waiting] = [randomUUID(), randomUUID()]
    await lock(agent, over, 30)
    harness.chain = ({ kind }) => (kind === 'bond.unlock' ? 'fail' : 'confirm')
    await quarter()
    const unlocks = () => harness.commands.filter(({ kind, args }) => kind === 'bond.unlock' && args.gigId === over).length
    await until('its unlock has failed', async () => unlocks() === 1)
    harness.chain = () => 'confirm'
    await lock(agent, waiting, 20)
    harness.isAssigned = async () => refuse('DEPENDENCY_UNAVAILABLE')

    await quarter()

    await until('the one is released', async () => (await status(agent)).lockedBond === 20)
    assert.equal(unlocks(), 2)
  })
})
