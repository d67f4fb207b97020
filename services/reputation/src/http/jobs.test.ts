import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { newHash, until } from '@carapace/testing'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('a commerce job in the score', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const factsOf = async (agentId: string) =>
    (await harness.call('GET', `/api/audit?agentId=${agentId}`)).body.events.map(({ type }: { type: string }) => type)
  const holds = (agentId: string, type: string) => until(`the log has ${type}`, async () => (await factsOf(agentId)).includes(type))
  const jobOf = async () => {
    const [poster, assignee] = [await newAgent(harness), await newAgent(harness)]
    const job = {
      ...{ jobId: randomUUID(), onChainJobId: '1', title: 'Summarise', posterId: poster.id, assigneeId: assignee.id, budget: 20_000_000n },
      ...{ chain: 'BASE_SEPOLIA' as const, txHash: newHash(), at: new Date().toISOString() },
    }
    return { poster, assignee, job }
  }
  const decision = { by: 'oracle' as const, validationId: null, weak: false, creditable: true, afterDispute: false }
  const paid = { requiredSkills: [], fee: 600_000n, net: 19_400_000n, posterScore: 15, assigneeScore: 15, status: 'settled' as const }

  it('counts for both sides once it is paid', async () => {
    const { poster, assignee, job } = await jobOf()
    await harness.platform.publish(api.jobSettled.of({ ...job, ...decision, ...paid }))

    for (const { id } of [poster, assignee]) await holds(id, 'settled')
    const { fusedScore } = (await harness.call('GET', `/api/agents/${assignee.id}/reputation`)).body
    assert.ok(fusedScore > 15, `a paid job left the score at ${fusedScore}`)
  })

  it('is a failure of the assignee when it is rejected, and none when nobody judged it', async () => {
    const { assignee, job } = await jobOf()
    const other = await jobOf()
    await harness.platform.publish(api.jobRejected.of({ ...other.job, ...decision, by: 'time', creditable: false, status: 'rejected' }))
    await harness.platform.publish(api.jobRejected.of({ ...job, ...decision, status: 'rejected' }))

    await holds(assignee.id, 'failed')
    assert.deepEqual(await factsOf(other.assignee.id), ['registered'])
  })

  it('counts no more when its payment is reversed and the job ends otherwise', async () => {
    const { assignee, job } = await jobOf()
    await harness.platform.publish(api.jobSettled.of({ ...job, ...decision, ...paid }))
    await holds(assignee.id, 'settled')
    await harness.platform.publish(api.jobCorrected.of({ ...job, status: 'cancelled', unpaid: true, fee: 0n, net: 0n }))

    await holds(assignee.id, 'settlement_undone')
    await until('the score is that of a new agent', async () => {
      const { fusedScore } = (await harness.call('GET', `/api/agents/${assignee.id}/reputation`)).body
      return fusedScore === 15
    })
  })
})
