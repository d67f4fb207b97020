import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { hourSeconds, newHash, type TestAgent, until } from '@carapace/testing'
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
    const announce = (submissionId: string, version?: number) =>
      harness.platform.publish(
        api.jobSubmitted.of({ ...facts, ...delivered, submissionId, status: 'submitted', applicantIds: [assignee.id, applicant.id] }),
        version,
      )
    const { submissionId } = delivered
    return {
      facts,
      submissionId,
      announce,
      validationId: id as string,
      validation,
      panel: seated(validation),
      parties: [poster, assignee, applicant],
    }
  }
  /** The job as its owner has it now. */
  const isAt = ({ facts }: Awaited<ReturnType<typeof openJob>>, status: api.JobStatus, submissionId: string | null) => {
    const { jobId, onChainJobId, title, posterId, assigneeId, chain, requiredSkills } = facts
    const row = { jobId, onChainJobId, title, posterId, assigneeId, chain, requiredSkills, applicantIds: [], budget: String(budget), settledAt: null }
    harness.jobs.set(jobId, { ...row, status, submissionId, version: 9 })
  }
  const panelsOf = async ({ facts }: Awaited<ReturnType<typeof openJob>>) => {
    const { validations } = (await harness.call('GET', '/api/swarm/validations?limit=100')).body
    const found = validations.filter(({ jobId }: { jobId: string | null }) => jobId === facts.jobId) as { id: string; status: string }[]
    return Object.fromEntries(found.map(({ id, status }) => [id, status]))
  }
  const becomes = (validationId: string, status: string) =>
    until(`it is ${status}`, async () => (await read(harness, validationId)).status === status)
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

  it('accrues the rewards of a verdict that crosses an equal decision of the oracle, not of one on a delivery that the chain dropped', async () => {
    const [judged, dropped] = [await openJob(), await openJob()]
    for (const job of [judged, dropped]) await votes(harness, job, 2, 'approve')
    await dropped.announce(randomUUID(), 5)
    await until('the next delivery is judged', async () => Object.keys(await panelsOf(dropped)).length === 2)

    for (const { facts } of [dropped, judged]) await harness.platform.publish(api.jobSettled.of({ ...facts, ...ended, ...paid }), 9)

    const rewardsOf = ({ validationId }: { validationId: string }) => accrued.filter(data => data.validationId === validationId).length
    await until('rewards accrue', () => rewardsOf(judged) > 0)
    assert.deepEqual([rewardsOf(judged), rewardsOf(dropped)], [1, 0])
  })

  it('opens for what is delivered after the end of the job was reversed, and is paid for when the job is paid by it', async () => {
    const job = await openJob()
    const { facts } = job
    const rewardsOf = (validationId: string) => accrued.filter(data => data.validationId === validationId).length
    await votes(harness, job, 2, 'approve')
    const settled = api.jobSettled.of({ ...facts, ...ended, ...paid, by: 'swarm', validationId: job.validationId })
    await harness.platform.publish(settled, 8)
    await until('rewards accrue', () => rewardsOf(job.validationId) > 0)
    const next = randomUUID()
    isAt(job, 'submitted', next)

    // that the end was reversed is not received yet; that it was made is received again
    await job.announce(next, 12)
    const id = await until('the next one is judged', async () => {
      const { [job.validationId]: _, ...others } = await panelsOf(job)
      return Object.keys(others)[0]
    })
    await harness.platform.publish(settled, 8)
    await openJob()
    assert.equal((await read(harness, id)).status, 'pending')

    await votes(harness, { validationId: id, panel: seated(await read(harness, id)) }, 2, 'approve')
    const { fee, net } = paid
    await harness.platform.publish(api.jobCorrected.of({ ...facts, fee, net, status: 'settled', unpaid: false, validationId: id }), 16)
    await until('rewards of the next one accrue', () => rewardsOf(id) > 0)
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

  it('is superseded once the job has another delivery: it accepts no vote, and earlier votes earn nothing', async () => {
    const job = await openJob()
    await vote(harness, job.validationId, job.panel[0]!, 'approve')
    const next = randomUUID()
    isAt(job, 'submitted', next)
    await job.announce(next)

    await becomes(job.validationId, 'superseded')
    const { [job.validationId]: _, ...others } = await panelsOf(job)
    assert.deepEqual(Object.values(others), ['pending'])
    const late = await vote(harness, job.validationId, job.panel[1]!, 'approve')
    assert.deepEqual([late.status, late.body.code], [409, 'VALIDATION_RESOLVED'])
    assert.deepEqual(
      accrued.filter(data => data.validationId === job.validationId),
      [],
    )
  })

  it('of the present delivery stays open when the announcement of an earlier one arrives after it', async () => {
    const job = await openJob()
    isAt(job, 'submitted', job.submissionId)
    await job.announce(randomUUID())

    await until(
      'the other one is superseded',
      async () =>
        Object.values(await panelsOf(job))
          .toSorted()
          .join() === 'pending,superseded',
    )
    assert.equal((await read(harness, job.validationId)).status, 'pending')
  })

  it('is found by the next sweep when the end of its job, or its next delivery, was never received', async () => {
    const [settled, replaced, lost, open] = [await openJob(), await openJob(), await openJob(), await openJob()]
    isAt(settled, 'settled', settled.submissionId)
    isAt(replaced, 'submitted', randomUUID())
    // the chain may still carry out what was delivered
    isAt(lost, 'assigned', null)
    isAt(open, 'submitted', open.submissionId)

    await harness.platform.advance(2 * hourSeconds)

    for (const { validationId } of [settled, replaced]) await becomes(validationId, 'superseded')
    for (const { validationId } of [lost, open]) assert.equal((await read(harness, validationId)).status, 'pending')
  })
})
