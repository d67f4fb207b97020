import assert from 'node:assert/strict'
import { swarmApi } from '@carapace/api'
import { deliveredGig, submitted, validationsOf } from '../testing/cases.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('a delivered gig that its owner polls for', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness(3)
  })
  after(() => harness.close())

  it('gets its validation although its delivery was lost, once', async () => {
    const gig = deliveredGig(harness, await newAgent(harness), await newAgent(harness))
    const { peers } = harness.platform.service('swarm').platform
    const request = () => peers.call('swarm', swarmApi.internal.openValidation, { params: { gigId: gig.gigId } })

    const [first, second] = await Promise.all([request(), request()])
    await harness.platform.publish(submitted(gig))

    assert.deepEqual([first.status, first.panel.length, first.validationId], ['pending', 3, second.validationId])
    assert.equal((await validationsOf(harness, gig.gigId)).length, 1)
  })

  it('gets it also when a party has disputed it by then, but not from the poster, and not before the delivery', async () => {
    const [poster, assignee] = [await newAgent(harness), await newAgent(harness)]
    const { gigId } = deliveredGig(harness, poster, assignee, { status: 'disputed' })
    const empty = deliveredGig(harness, poster, assignee, { status: 'disputed', submissionId: null, submittedAt: null })
    const { peers } = harness.platform.service('swarm').platform

    const byPoster = await harness.call('POST', '/api/swarm/validate', { body: { gigId }, headers: poster.headers })
    const { status, panel } = await peers.call('swarm', swarmApi.internal.openValidation, { params: { gigId } })

    assert.deepEqual([byPoster.status, byPoster.body.code], [409, 'INVALID_STATE'])
    assert.deepEqual([status, panel.length], ['pending', 3])
    await assert.rejects(peers.call('swarm', swarmApi.internal.openValidation, { params: { gigId: empty.gigId } }), { code: 'INVALID_STATE' })
  })

  it('gets none once it is decided', async () => {
    const gig = deliveredGig(harness, await newAgent(harness), await newAgent(harness), { status: 'completed' })
    const { peers } = harness.platform.service('swarm').platform

    await assert.rejects(peers.call('swarm', swarmApi.internal.openValidation, { params: { gigId: gig.gigId } }), { code: 'INVALID_STATE' })
  })
})
