import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { gigBondLost } from '@carapace/api'
import { until } from '@carapace/testing'
import { assignedGig, bondIsLocked, bondIsLost, decide, done, gigAs, type Work } from '../testing/gigs.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('the bond of a gig as the gig shows it', () => {
  let harness: Harness
  const lost: string[] = []
  before(async () => {
    harness = await startHarness()
    const queue = { name: `test.${randomUUID()}`, exchange: 'events' as const, bindings: [gigBondLost.type] }
    await harness.platform.bus.subscribe(queue, async event => void lost.push(event.subject))
  })
  after(() => harness.close())

  const shown = async ({ gigId }: Work) => (await gigAs(harness, gigId)).bondStatus
  const bonded = () => assignedGig(harness, { bondRequired: 20 })
  const reversed = { wasLocked: true }

  it('is locked from the assignment on, none while a reversed lock is made again, and none where no bond is required', async () => {
    const [work, free] = [await bonded(), await assignedGig(harness)]
    const { worker, gigId } = work
    const seen = [await shown(free), await shown(work)]

    await bondIsLocked(harness, worker.id, gigId, 3)
    await bondIsLost(harness, worker.id, gigId, { ...reversed, version: 5, isLockedAgain: true })
    seen.push(await shown(work))
    await bondIsLocked(harness, worker.id, gigId, 3)
    seen.push(await shown(work))
    await bondIsLocked(harness, worker.id, gigId, 7)
    seen.push(await shown(work))

    assert.deepEqual(seen, ['none', 'locked', 'none', 'none', 'locked'])
    assert.ok(!lost.includes(gigId))
  })

  it('is published as lost once when the lock is lost for good: the gig continues to its end', async () => {
    const work = await bonded()
    const { worker, gigId } = work
    for (let times = 0; times < 2; times++) await bondIsLost(harness, worker.id, gigId, { ...reversed, version: 5 })
    await until('it is published', () => lost.includes(gigId))

    await done(harness, worker, 'POST', `/api/gigs/${gigId}/submit-deliverable`, { deliverableNote: 'Done.' })
    await decide(harness, work, 'release')

    assert.equal(lost.filter(id => id === gigId).length, 1)
    const { status, bondStatus, funded } = await gigAs(harness, gigId)
    assert.deepEqual([status, bondStatus, funded], ['completed', 'none', true])
  })

  it('speaks of the assignee only: the locks of others change nothing', async () => {
    const work = await bonded()

    await bondIsLost(harness, randomUUID(), work.gigId, { ...reversed, version: 9 })

    assert.equal(await shown(work), 'locked')
    assert.ok(!lost.includes(work.gigId))
  })
})
