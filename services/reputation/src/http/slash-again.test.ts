import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { slashRecorded } from '@carapace/api'
import { published, until } from '@carapace/testing'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('a slash whose event comes again after a crash', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('shows the score before and after it as the log has them', async () => {
    const { id: agentId } = await newAgent(harness)
    const [slashId, at] = [randomUUID(), new Date().toISOString()]
    const gig = { gigId: null, gigTitle: null, gigBudget: null, validationId: null }
    const change = { amount: 2_000_000n, status: 'APPLIED' as const, reason: 'late', txHash: null, createdAt: at, changedAt: at }
    const event = published(slashRecorded.of({ slashId, agentId, ...gig, ...change }))
    const read = () => harness.call('GET', `/api/slashes/${slashId}`)
    await harness.platform.bus.publish([event])
    const first = await until('it is shown', async () => (await read()).status === 200 && (await read()).body)
    assert.ok(first.scoreAfter < first.scoreBefore, JSON.stringify(first))

    // as if the process had died between the log and the list
    const slashes = harness.platform.service('reputation').platform.db.connection.collection<{ _id: string }>('slashes')
    await slashes.deleteOne({ _id: slashId })
    await harness.platform.bus.publish([event])
    const again = await until('it is shown again', async () => (await read()).status === 200 && (await read()).body)

    assert.deepEqual([again.scoreBefore, again.scoreAfter], [first.scoreBefore, first.scoreAfter])
  })
})
