import { until } from '@carapace/testing'
import { done, gigIs, postGig } from '../testing/gigs.ts'
import { newAgent, startWorld, type World } from '../testing/world.ts'

describe('a record that cannot move on', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  it('keeps no other gig and no other offer from running out, although it has been due for longer', async () => {
    const [poster, worker] = [newAgent(world), newAgent(world)]
    const collection = (name: string) =>
      world.platform.service('marketplace').platform.db.connection.collection<{ _id: string; status: string }>(name)
    const faulty = await postGig(world, poster)
    const lost = await done(world, poster, 'POST', `/api/gigs/${faulty.id}/offer/${worker.id}`, {})
    const sound = await postGig(world, poster)
    const { offerId } = await done(world, poster, 'POST', `/api/gigs/${sound.id}/offer/${worker.id}`, {})
    await collection('gigs').updateOne({ _id: faulty.id }, { $set: { title: null } })
    await collection('offers').updateOne({ _id: lost.offerId }, { $set: { gigId: 'gone' } })

    await world.platform.advance(30 * 24 * 3600 + 1)

    await gigIs(world, sound.id, 'cancelled')
    await until('the offer has expired', async () => (await collection('offers').findOne({ _id: offerId }))?.status === 'expired')
  })
})
