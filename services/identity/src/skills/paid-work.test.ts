import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type JobStatus, jobCorrected, jobSettled } from '@carapace/api'
import { newHash, until } from '@carapace/testing'
import { type Harness, startHarness, type TestAgent } from '../testing/harness.ts'

describe('a paid job as evidence of a skill', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const facts = ({ id }: TestAgent, jobId: string) => ({
    ...{ jobId, onChainJobId: '1', title: 'Summarise', posterId: randomUUID(), assigneeId: id, budget: 20_000_000n },
    ...{ chain: 'BASE_SEPOLIA' as const, txHash: newHash(), at: new Date().toISOString() },
  })
  const settled = (agent: TestAgent, jobId: string, skill: string) =>
    harness.platform.publish(
      jobSettled.of({
        ...facts(agent, jobId),
        ...{ by: 'oracle', validationId: null, weak: false, creditable: true, afterDispute: false, status: 'settled' },
        ...{ requiredSkills: [skill], fee: 600_000n, net: 19_400_000n, posterScore: 15, assigneeScore: 15 },
      }),
    )
  const reversed = (agent: TestAgent, jobId: string, status: JobStatus) =>
    harness.platform.publish(jobCorrected.of({ ...facts(agent, jobId), status, unpaid: true, fee: 0n, net: 0n }))
  const verifiedOf = async ({ id }: TestAgent): Promise<string[]> => (await harness.call('GET', `/api/agents/${id}`)).body.verifiedSkills

  it('counts until its payment is lost, and while it is only reversed', async () => {
    const agent = await harness.agent({ skills: ['audit'] })
    const jobId = randomUUID()
    await settled(agent, jobId, 'audit')
    await until('the skill is verified', async () => (await verifiedOf(agent)).includes('audit'))
    await reversed(agent, jobId, 'submitted')
    assert.deepEqual(await verifiedOf(agent), ['audit'])
    await reversed(agent, jobId, 'rejected')

    await until('it is verified no more', async () => (await verifiedOf(agent)).length === 0)
  })

  it('does not count where the news of its loss comes first', async () => {
    const agent = await harness.agent({ skills: ['audit', 'rust'] })
    const jobId = randomUUID()
    await reversed(agent, jobId, 'cancelled')
    const rows = harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>('undone_gigs')
    await until('the loss is known', async () => (await rows.findOne({ _id: jobId })) !== null)
    await settled(agent, jobId, 'audit')
    await settled(agent, randomUUID(), 'rust')
    await until('another job has verified a skill', async () => (await verifiedOf(agent)).includes('rust'))

    assert.deepEqual(await verifiedOf(agent), ['rust'])
  })
})
