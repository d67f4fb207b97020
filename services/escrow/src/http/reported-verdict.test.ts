import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Draft, escrowApi } from '@carapace/api'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { deliveredGig, escrowOf, eventOf, untilStatus } from '../testing/scenario.ts'

describe('an escrow whose verdict the swarm reports', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(async () => {
    await assertHealthy(harness)
    await harness.close()
  })

  const report = (...drafts: Draft[]) => {
    const events = drafts.map(({ type, data }) => ({ type, data }))
    return harness.platform.service('escrow').platform.peers.call('escrow', escrowApi.internal.noteVerdict, { body: { events } })
  }

  it('is released by an approval whose event was lost, once', async () => {
    const scenario = await deliveredGig(harness)
    const approved = eventOf.resolved(scenario, 'approved')

    for (const _ of [1, 2]) await report(approved)

    await untilStatus(harness, scenario.gigId, 'released')
    await harness.platform.publish(approved)
    assert.equal(harness.commands.filter(({ opKey }) => opKey === `escrow.settle:${scenario.gigId}`).length, 1)
  })

  it('is disputed by an expiry whose event was lost', async () => {
    const scenario = await deliveredGig(harness)

    await report(eventOf.expired(scenario))

    await untilStatus(harness, scenario.gigId, 'disputed')
  })

  it('is released by an appeal that was won, of which both events were lost', async () => {
    const scenario = await deliveredGig(harness)
    await harness.platform.publish(eventOf.resolved(scenario, 'rejected', { frozen: true }))
    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'locked')

    await report(eventOf.appealClosed(scenario, randomUUID(), 'won'))

    await untilStatus(harness, scenario.gigId, 'released')
  })
})
