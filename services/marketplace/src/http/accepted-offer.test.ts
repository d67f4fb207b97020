import assert from 'node:assert/strict'
import { offerAnswered } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { bondIsLocked, bondIsLost, done, gigAs, gigIs, postGig } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

/** The request that accepts an offer ends before the bond is locked: the chain is slow, or the process dies. */
describe('an accepted offer whose bond is locked later', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const offers = async (agent: TestAgent) => (await harness.call('GET', `/api/agents/${agent.id}/offers?status=all`)).body.offers
  const isAnswered = (agent: TestAgent, status: string) => until(`the offer is ${status}`, async () => (await offers(agent))[0].status === status)

  /** An offer that is accepted while the escrow does not answer. */
  const acceptedOffer = async () => {
    const [poster, worker, rival] = [newAgent(harness), newAgent(harness), newAgent(harness)]
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    const { offerId } = await done(harness, poster, 'POST', `/api/gigs/${id}/offer/${worker.id}`, {})
    await done(harness, poster, 'POST', `/api/gigs/${id}/offer/${rival.id}`, {})
    const accept = async () => {
      harness.lockBond = () => 'DEPENDENCY_UNAVAILABLE'
      return harness.call('POST', `/api/offers/${offerId}/respond`, { body: { action: 'accept' }, headers: worker.headers })
    }
    return { id, worker, rival, accept }
  }

  it('is accepted when the gig is assigned, and the other offers of the gig expire', async () => {
    const { id, worker, rival, accept } = await acceptedOffer()
    const answers: string[] = []
    const consumer = await harness.platform.bus.subscribe(
      { name: `test.accepted.${id}`, exchange: 'events', bindings: [offerAnswered.type] },
      async event => {
        const { gigId, status } = event.data as { gigId: string; status: string }
        if (gigId === id) answers.push(status)
      },
    )
    assert.equal((await accept()).status, 202)
    assert.deepEqual([(await offers(worker))[0].status], ['pending'])

    await bondIsLocked(harness, worker.id, id)

    await gigIs(harness, id, 'assigned')
    await isAnswered(worker, 'accepted')
    await isAnswered(rival, 'expired')
    await until('both are published', () => answers.length === 2)
    await consumer.close()
    assert.deepEqual(answers.sort(), ['accepted', 'expired'])
  })

  it('is in time although its 72 hours end before the lock is there', async () => {
    const { id, worker, rival, accept } = await acceptedOffer()
    await harness.platform.advance(72 * 3600 - 60)
    assert.equal((await accept()).status, 202)
    await harness.platform.advance(120)
    await isAnswered(rival, 'expired')
    assert.equal((await offers(worker))[0].status, 'pending')

    await bondIsLocked(harness, worker.id, id)

    await isAnswered(worker, 'accepted')
  })

  it('is not accepted when the lock fails: it can be answered again, and a lock for something else assigns nothing', async () => {
    const { id, worker, accept } = await acceptedOffer()
    assert.equal((await accept()).status, 202)
    await bondIsLost(harness, worker.id, id)

    await bondIsLocked(harness, worker.id, id)

    assert.deepEqual([(await gigAs(harness, id)).status, (await offers(worker))[0].status], ['open', 'pending'])
    await done(harness, worker, 'POST', `/api/offers/${(await offers(worker))[0].id}/respond`, { action: 'decline' })
    await isAnswered(worker, 'declined')
  })

  it('is declined when its recipient thinks better of it before the lock is there: the lock assigns nothing', async () => {
    const { id, worker, accept } = await acceptedOffer()
    assert.equal((await accept()).status, 202)
    await done(harness, worker, 'POST', `/api/offers/${(await offers(worker))[0].id}/respond`, { action: 'decline' })

    await bondIsLocked(harness, worker.id, id)

    assert.deepEqual([(await gigAs(harness, id)).status, (await offers(worker))[0].status], ['open', 'declined'])
  })

  it('expires like any other when the lock never comes', async () => {
    const { worker, accept } = await acceptedOffer()
    assert.equal((await accept()).status, 202)

    await harness.platform.advance(72 * 3600 + 1)

    await isAnswered(worker, 'expired')
  })
})
