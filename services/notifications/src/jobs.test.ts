import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { newHash, startPlatform, type TestPlatform, until } from '@carapace/testing'
import { notifications } from './index.ts'
import { identityStub } from './testing/identity.ts'

describe('notifications of a commerce job', () => {
  let platform: TestPlatform
  const [posterId, assigneeId, jobId] = [randomUUID(), randomUUID(), randomUUID()]
  const facts = {
    ...{ jobId, onChainJobId: '1', title: 'Summarise', posterId, assigneeId, budget: 20_000_000n, chain: 'BASE_SEPOLIA' as const },
    ...{ txHash: newHash(), at: new Date().toISOString() },
  }
  const decision = { by: 'swarm' as const, validationId: null, weak: false, creditable: true, afterDispute: false }
  before(async () => {
    platform = await startPlatform([identityStub, notifications])
  })
  after(() => platform.close())

  const typesOf = (agentId: string, count: number): Promise<string[]> =>
    until('it is notified', async () => {
      const { body } = await platform.call('GET', `/api/agents/${agentId}/notifications`)
      return body.total >= count && body.notifications.map(({ type }: { type: string }) => type).toSorted()
    })

  it('reach the poster, the assignee or both, as the table says', async () => {
    const delivered = { submissionId: randomUUID(), requiredSkills: [], applicantIds: [], deliverableUrl: '', deliverableHash: newHash() }
    const paid = { requiredSkills: [], fee: 600_000n, net: 19_400_000n, posterScore: 15, assigneeScore: 15 }
    for (const event of [
      api.jobApplied.of({ ...facts, assigneeId: null, status: 'funded', applicantId: assigneeId }),
      api.jobAssigned.of({ ...facts, status: 'assigned' }),
      api.jobSubmitted.of({ ...facts, ...delivered, status: 'submitted' }),
      api.jobDisputed.of({ ...facts, status: 'disputed', reason: 'half of it', disputedBy: posterId }),
      api.jobSettled.of({ ...facts, ...decision, ...paid, status: 'settled' }),
      api.commerceReceiptIssued.of({ jobId, title: facts.title, posterId, assigneeId }),
      api.jobRejected.of({ ...facts, ...decision, status: 'rejected' }),
      api.jobCancelled.of({ ...facts, status: 'cancelled', reason: 'expired', refunded: true }),
    ])
      await platform.publish(event)

    const both = ['job_disputed', 'job_settled', 'receipt_issued', 'job_rejected', 'job_cancelled']
    assert.deepEqual(await typesOf(posterId, 7), [...both, 'job_application', 'job_submitted'].toSorted())
    assert.deepEqual(await typesOf(assigneeId, 6), [...both, 'job_assigned'].toSorted())
  })

  it('report each step that a reorganisation reversed to those who have to repeat it', async () => {
    const [poster, former] = [randomUUID(), randomUUID()]
    const corrected = (status: api.JobStatus, assignee: string | null, more: object) =>
      api.jobCorrected.of({ ...facts, posterId: poster, assigneeId: assignee, status, unpaid: false, fee: 0n, net: 0n, ...more })
    const events = [
      corrected('submitted', former, { unpaid: true, lost: 'settle' }),
      corrected('assigned', former, { lost: 'submit' }),
      corrected('funded', null, { lost: 'assign', formerAssigneeId: former }),
      corrected('open', null, { lost: 'fund' }),
      // the platform repeats it, and nobody was notified of it
      corrected('assigned', former, { lost: 'settle' }),
      // the same payment in another transaction
      corrected('settled', former, {}),
    ]
    for (const [n, event] of events.entries()) await platform.publish(event, n + 1)

    const titlesOf = async (agentId: string, count: number): Promise<string[]> =>
      until('it is notified', async () => {
        const { body } = await platform.call('GET', `/api/agents/${agentId}/notifications`)
        return body.total >= count && body.notifications.map(({ title }: { title: string }) => title).toSorted()
      })
    const forBoth = ['Assignment reversed', 'Delivery reversed', 'Payment reversed']
    assert.deepEqual(await titlesOf(poster, 4), [...forBoth, 'Funding reversed'].toSorted())
    assert.deepEqual(await titlesOf(former, 3), forBoth)
  })
})
