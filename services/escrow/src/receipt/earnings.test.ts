import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentMigrated, jobCorrected, jobSettled } from '@carapace/api'
import { newHash } from '@carapace/testing'
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

  it('of a job follow the latest event of it, also where an earlier one is received late or again', async () => {
    const worker = await newAgent(harness)
    const facts = {
      ...{ jobId: randomUUID(), onChainJobId: '1', title: 'Summarise', posterId: randomUUID(), assigneeId: worker.id, budget: 40_000_000n },
      ...{ chain: 'BASE_SEPOLIA' as const, at: new Date().toISOString() },
    }
    const paid = { fee: 1_200_000n, net: 38_800_000n }
    const scores = { requiredSkills: [], posterScore: 15, assigneeScore: 15 }
    const decision = { by: 'swarm' as const, validationId: null, weak: false, creditable: true, afterDispute: false }
    const [first, again] = [newHash(), newHash()]
    const settled = jobSettled.of({ ...facts, ...paid, ...scores, ...decision, status: 'settled', txHash: first })
    const reversed = jobCorrected.of({ ...facts, fee: 0n, net: 0n, status: 'submitted', unpaid: true, txHash: null })
    const repeated = jobCorrected.of({ ...facts, ...paid, status: 'settled', unpaid: false, txHash: again })
    const earned = async () => {
      const { totalEarned, history } = (await harness.platform.call('GET', `/api/agents/${worker.id}/earnings`)).body
      return [totalEarned, history.map(({ txHash }: { txHash: string }) => txHash)]
    }
    // an event that another agent waits for has been handled: so have those published before
    const marked = async () => {
      const other = await newAgent(harness)
      const marker = { ...facts, jobId: randomUUID(), assigneeId: other.id }
      await harness.platform.publish(jobSettled.of({ ...marker, ...paid, ...scores, ...decision, status: 'settled', txHash: newHash() }))
      await until('it is handled', async () => (await harness.platform.call('GET', `/api/agents/${other.id}/earnings`)).body.totalEarned > 0)
    }

    await harness.platform.publish(settled, 8)
    await until('it is earned', async () => (await earned())[0] === 38.8)
    await harness.platform.publish(reversed, 9)
    await until('it is reversed', async () => (await earned())[0] === 0)
    await harness.platform.publish(settled, 8)
    await marked()
    assert.deepEqual(await earned(), [0, []])
    await harness.platform.publish(repeated, 11)
    await until('it is earned again', async () => (await earned())[0] === 38.8)
    for (const [late, version] of [
      [reversed, 9],
      [settled, 8],
    ] as const)
      await harness.platform.publish(late, version)
    await marked()

    assert.deepEqual(await earned(), [38.8, [again]])
  })
})
