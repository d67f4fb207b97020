import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentMigrated } from '@carapace/api'
import { type Harness, newAgent, startHarness, until } from '../testing/harness.ts'
import { deliveredGig, eventOf, untilStatus } from '../testing/scenario.ts'

describe('earnings', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('of an agent that migrates are those of its successor, also what it is paid later', async () => {
    const [first, second] = [await deliveredGig(harness), await deliveredGig(harness)]
    const heir = await newAgent(harness)
    const earned = async (agentId: string) => (await harness.platform.call('GET', `/api/agents/${agentId}/earnings`)).body.totalEarned
    const paid = async (scenario: typeof first) => {
      await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
      await untilStatus(harness, scenario.gigId, 'released')
    }
    await paid(first)
    await until('it is earned', async () => (await earned(first.worker.id)) === 38.8)

    for (const { worker } of [first, second])
      await harness.platform.publish(agentMigrated.of({ migrationId: randomUUID(), sourceAgentId: worker.id, targetAgentId: heir.id }))
    await until('the successor has it', async () => (await earned(heir.id)) === 38.8)
    await paid(second)

    await until('the successor has both', async () => (await earned(heir.id)) === 77.6)
    assert.deepEqual([await earned(first.worker.id), await earned(second.worker.id)], [0, 0])
  })
})
