import { until } from '@carapace/testing'
import { done, gigIs, postGig } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('a record that cannot move on', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('hinders no other gig and no other offer to expire, although it has been due for longer', async () => {
    const [poster, worker] = [newAgent(harness), newAgent(harness)]
    const collection = (name: string) =>
      harness.platform.service('marketplace').platform.db.connection.collection<{ _id: string; status: string }>(name)
    const faulty = await postGig(harness, poster)
    const lost = await done(harness, poster, 'POST', `/api/gigs/${faulty.id}/offer/${worker.id}`, {})
    const sound = await postGig(harness, poster)
    const { offerId } = await done(harness, poster, 'POST', `/api/gigs/${sound.id}/offer/${worker.id}`, {})
    await collection('gigs').updateOne({ _id: faulty.id }, { $set: { title: null } })
    await collection('offers').updateOne({ _id: lost.offerId }, { $set: { gigId: 'gone' } })

    await harness.platform.advance(30 * 24 * 3600 + 1)

    await gigIs(harness, sound.id, 'cancelled')
    await until('the offer has expired', async () => (await collection('offers').findOne({ _id: offerId }))?.status === 'expired')
  })
})
