import assert from 'node:assert/strict'
import { offerAnswered } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { bondIsLocked, bondIsLost, done, gigAs, gigIs, postGig } from '../testing/gigs.ts'
import { newAgent, startWorld, type World } from '../testing/world.ts'

/** The request that accepts an offer ends before the bond is locked: the chain is slow, or the process dies. */
describe('an accepted offer whose bond is locked later', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  const offers = async (agent: TestAgent) => (await world.call('GET', `/api/agents/${agent.id}/offers?status=all`)).body.offers
  const isAnswered = (agent: TestAgent, status: string) => until(`the offer is ${status}`, async () => (await offers(agent))[0].status === status)

  /** An offer that is accepted while the escrow does not answer. */
  const acceptedOffer = async () => {
    const [poster, worker, rival] = [newAgent(world), newAgent(world), newAgent(world)]
    const { id } = await postGig(world, poster, { bondRequired: 20 })
    const { offerId } = await done(world, poster, 'POST', `/api/gigs/${id}/offer/${worker.id}`, {})
    await done(world, poster, 'POST', `/api/gigs/${id}/offer/${rival.id}`, {})
    const accept = async () => {
      world.lockBond = () => 'DEPENDENCY_UNAVAILABLE'
      return world.call('POST', `/api/offers/${offerId}/respond`, { body: { action: 'accept' }, headers: worker.headers })
    }
    return { id, worker, rival, accept }
  }

  it('is accepted when the gig is assigned, and the other offers of the gig expire', async () => {
    const { id, worker, rival, accept } = await acceptedOffer()
    const answers: string[] = []
    const consumer = await world.platform.bus.subscribe(
      { name: `test.accepted.${id}`, exchange: 'events', bindings: [offerAnswered.type] },
      async event => {
        const { gigId, status } = event.data as { gigId: string; status: string }
        if (gigId === id) answers.push(status)
      },
    )
    assert.equal((await accept()).status, 503)
    assert.deepEqual([(await offers(worker))[0].status], ['pending'])

    await bondIsLocked(world, worker.id, id)

    await gigIs(world, id, 'assigned')
    await isAnswered(worker, 'accepted')
    await isAnswered(rival, 'expired')
    await until('both are told', () => answers.length === 2)
    await consumer.close()
    assert.deepEqual(answers.sort(), ['accepted', 'expired'])
  })

  it('is in time although its 72 hours end before the lock is there', async () => {
    const { id, worker, rival, accept } = await acceptedOffer()
    await world.platform.advance(72 * 3600 - 60)
    assert.equal((await accept()).status, 503)
    await world.platform.advance(120)
    await isAnswered(rival, 'expired')
    assert.equal((await offers(worker))[0].status, 'pending')

    await bondIsLocked(world, worker.id, id)

    await isAnswered(worker, 'accepted')
  })

  it('is not accepted when the lock fails: it can be answered anew, and a lock for something else assigns nothing', async () => {
    const { id, worker, accept } = await acceptedOffer()
    assert.equal((await accept()).status, 503)
    await bondIsLost(world, worker.id, id)

    await bondIsLocked(world, worker.id, id)

    assert.deepEqual([(await gigAs(world, id)).status, (await offers(worker))[0].status], ['open', 'pending'])
    await done(world, worker, 'POST', `/api/offers/${(await offers(worker))[0].id}/respond`, { action: 'decline' })
    await isAnswered(worker, 'declined')
  })

  it('is declined when its recipient thinks better of it before the lock is there: the lock assigns nothing', async () => {
    const { id, worker, accept } = await acceptedOffer()
    assert.equal((await accept()).status, 503)
    await done(world, worker, 'POST', `/api/offers/${(await offers(worker))[0].id}/respond`, { action: 'decline' })

    await bondIsLocked(world, worker.id, id)

    assert.deepEqual([(await gigAs(world, id)).status, (await offers(worker))[0].status], ['open', 'declined'])
  })

  it('expires like any other when the lock never comes', async () => {
    const { worker, accept } = await acceptedOffer()
    assert.equal((await accept()).status, 503)

    await world.platform.advance(72 * 3600 + 1)

    await isAnswered(worker, 'expired')
  })
})
