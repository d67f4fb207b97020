import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentMigrated } from '@carapace/api'
import { deliveredGig, told, untilStatus } from '../testing/story.ts'
import { newAgent, startWorld, until, type World } from '../testing/world.ts'

describe('earnings', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  it('of an agent that migrates are those of its successor, also what it is paid later', async () => {
    const [first, second] = [await deliveredGig(world), await deliveredGig(world)]
    const heir = await newAgent(world)
    const earned = async (agentId: string) => (await world.platform.call('GET', `/api/agents/${agentId}/earnings`)).body.totalEarned
    const paid = async (story: typeof first) => {
      await world.platform.publish(told.resolved(story, 'approved'))
      await untilStatus(world, story.gigId, 'released')
    }
    await paid(first)
    await until('it is earned', async () => (await earned(first.worker.id)) === 38.8)

    for (const { worker } of [first, second])
      await world.platform.publish(agentMigrated.of({ migrationId: randomUUID(), sourceAgentId: worker.id, targetAgentId: heir.id }))
    await until('the successor has it', async () => (await earned(heir.id)) === 38.8)
    await paid(second)

    await until('the successor has both', async () => (await earned(heir.id)) === 77.6)
    assert.deepEqual([await earned(first.worker.id), await earned(second.worker.id)], [0, 0])
  })
})
