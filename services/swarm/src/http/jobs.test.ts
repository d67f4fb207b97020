import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { newHash, type TestAgent, until } from '@carapace/testing'
import { read, seated, vote, votes } from '../testing/cases.ts'
import { budget, type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('the validation of a commerce job', () => {
  let harness: Harness & { validators: TestAgent[] }
  const accrued: Record<string, unknown>[] = []
  before(async () => {
    harness = await startHarness(6)
    await harness.platform.bus.subscribe(
      { name: `test.${randomUUID()}`, exchange: 'events', bindings: [api.rewardAccrued.type] },
      async ({ data }) => {
        accrued.push(data as Record<string, unknown>)
      },
    )
  })
  after(() => harness.close())

  const openJob = async () => {
    const [poster, assignee, applicant] = [await newAgent(harness), await newAgent(harness), await newAgent(harness)]
    const jobId = randomUUID()
    const facts = {
      ...{ jobId, onChainJobId: '1', title: 'Summarise', posterId: poster.id, assigneeId: assignee.id, budget, chain: 'BASE_SEPOLIA' as const },
      ...{ txHash: newHash(), at: new Date().toISOString(), requiredSkills: [] },
    }
    const delivered = { submissionId: randomUUID(), deliverableUrl: 'https://example.org/r', deliverableHash: newHash() }
    await harness.platform.publish(api.jobSubmitted.of({ ...facts, ...delivered, status: 'submitted', applicantIds: [assignee.id, applicant.id] }))
    const { id } = await until('the validation is open', async () =>
      (await harness.call('GET', '/api/swarm/validations')).body.validations.find((found: { jobId: string | null }) => found.jobId === jobId),
    )
    const validation = await read(harness, id)
    return { facts, validationId: id as string, validation, panel: seated(validation), parties: [poster, assignee, applicant] }
  }
  const ended = { by: 'oracle' as const, weak: false, creditable: true, afterDispute: false, validationId: null }
  const paid = { fee: 1_200_000n, net: budget - 1_200_000n, posterScore: 15, assigneeScore: 15, status: 'settled' as const }

  it('opens with the quorum of the budget, without the parties and the applicants', async () => {
    const { validation, panel, parties } = await openJob()

    assert.deepEqual([validation.gigId, validation.candidateCount, validation.threshold, panel.length], [null, 3, 2, 3])
    assert.ok(parties.every(({ id }) => !panel.includes(id)))
  })

  it('is superseded when the job is settled otherwise', async () => {
    const { facts, validationId, panel } = await openJob()
    await vote(harness, validationId, panel[0]!, 'approve')
    await harness.platform.publish(api.jobSettled.of({ ...facts, ...ended, ...paid }))

    await until('it is superseded', async () => (await read(harness, validationId)).status === 'superseded')
    const found = () => accrued.filter(data => data.validationId === validationId).map(({ jobId, gigId }) => ({ jobId, gigId }))
    await until('rewards accrue', () => found().length > 0)
    assert.deepEqual(found(), [{ jobId: facts.jobId, gigId: null }])
  })

  it('accrues the rewards of its winners when the job is paid by its verdict', async () => {
    const { facts, validationId, panel } = await openJob()
    await votes(harness, { validationId, panel }, 2, 'approve')
    await harness.platform.publish(api.jobSettled.of({ ...facts, ...ended, ...paid, by: 'swarm', validationId }))

    const { rewards } = (await until('rewards accrue', async () => accrued.find(data => data.validationId === validationId))) as {
      rewards: { validatorId: string }[]
    }
    assert.deepEqual(rewards.map(({ validatorId }) => validatorId).toSorted(), panel.slice(0, 2).toSorted())
  })

  it('has no appeal: a frozen rejection of a job is the oracle’s to decide', async () => {
    const { validationId, panel, facts } = await openJob()
    await votes(harness, { validationId, panel }, 2, 'reject')
    const { status, body } = await harness.call('POST', `/api/validations/${validationId}/appeal`, {
      body: { statement: 'It is all there.', deliverableUrl: 'https://example.org/r2' },
      headers: { 'x-agent-id': facts.assigneeId, 'x-wallet-address': '0x1' },
    })
    assert.deepEqual([status, body.code], [409, 'INVALID_STATE'])
  })
})
