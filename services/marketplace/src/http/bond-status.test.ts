import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { gigBondLost } from '@carapace/api'
import { until } from '@carapace/testing'
import { assignedGig, bondIsLocked, bondIsLost, decide, done, gigAs, type Work } from '../testing/gigs.ts'
import { startWorld, type World } from '../testing/world.ts'

describe('the bond of a gig as the gig shows it', () => {
  let world: World
  const lost: string[] = []
  before(async () => {
    world = await startWorld()
    const queue = { name: `test.${randomUUID()}`, exchange: 'events' as const, bindings: [gigBondLost.type] }
    await world.platform.bus.subscribe(queue, async event => void lost.push(event.subject))
  })
  after(() => world.close())

  const shown = async ({ gigId }: Work) => (await gigAs(world, gigId)).bondStatus
  const bonded = () => assignedGig(world, { bondRequired: 20 })
  const undone = { wasLocked: true }

  it('is locked from the assignment on, none while an undone lock is made again, and none where no bond is required', async () => {
    const [work, free] = [await bonded(), await assignedGig(world)]
    const { worker, gigId } = work
    const seen = [await shown(free), await shown(work)]

    await bondIsLocked(world, worker.id, gigId, 3)
    await bondIsLost(world, worker.id, gigId, { ...undone, version: 5, isLockedAgain: true })
    seen.push(await shown(work))
    await bondIsLocked(world, worker.id, gigId, 3)
    seen.push(await shown(work))
    await bondIsLocked(world, worker.id, gigId, 7)
    seen.push(await shown(work))

    assert.deepEqual(seen, ['none', 'locked', 'none', 'none', 'locked'])
    assert.ok(!lost.includes(gigId))
  })

  it('is told as lost once when the lock is gone for good: the gig goes on to its end', async () => {
    const work = await bonded()
    const { worker, gigId } = work
    for (let times = 0; times < 2; times++) await bondIsLost(world, worker.id, gigId, { ...undone, version: 5 })
    await until('it is told', () => lost.includes(gigId))

    await done(world, worker, 'POST', `/api/gigs/${gigId}/submit-deliverable`, { deliverableNote: 'Done.' })
    await decide(world, work, 'release')

    assert.equal(lost.filter(id => id === gigId).length, 1)
    const { status, bondStatus, funded } = await gigAs(world, gigId)
    assert.deepEqual([status, bondStatus, funded], ['completed', 'none', true])
  })

  it('speaks of the assignee only: the locks of others change nothing', async () => {
    const work = await bonded()

    await bondIsLost(world, randomUUID(), work.gigId, { ...undone, version: 9 })

    assert.equal(await shown(work), 'locked')
    assert.ok(!lost.includes(work.gigId))
  })
})
