import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { dayMs } from '@carapace/api'
import { daySeconds, until } from '@carapace/testing'
import { oracle, sharedHarness, type TestJob } from '../testing/harness.ts'

/** The chain drops a delivery for good, and the assignee delivers again: two panels, of which only the second judges what is there. */
describe('the panel of a delivery that the chain has dropped', () => {
  const harness = sharedHarness()
  const delivered = new Map<string, string[]>()
  before(() =>
    harness.platform.bus.subscribe({ name: `test.${randomUUID()}`, exchange: 'events', bindings: [api.jobSubmitted.type] }, async ({ data }) => {
      const { jobId, submissionId } = data as { jobId: string; submissionId: string }
      delivered.set(jobId, [...(delivered.get(jobId) ?? []), submissionId])
    }),
  )

  const submissionOf = (id: string, n: number) => until(`delivery ${n} is announced`, () => delivered.get(id)?.[n])
  const panel = ({ id, poster, worker }: TestJob, submissionId: string) => ({
    ...{ validationId: randomUUID(), gigId: null, jobId: id, submissionId, title: 'Summarise', posterId: poster.id, assigneeId: worker.id },
    ...{ budget: 20_000_000n, chain: 'BASE_SEPOLIA' as const, round: 1, appealOf: null, candidateCount: 3, threshold: 2, weak: false },
    oracleAssisted: false,
  })
  type Panel = ReturnType<typeof panel>
  const votes = { panel: [], votes: [], approvals: 2, rejections: 0, approvalPct: 100, winners: [], rewardPerValidator: 100_000n }
  const opens = (found: Panel) => {
    const more = { parentValidationId: null, panel: [], rewardPerValidator: 100_000n, expiresAt: new Date().toISOString() }
    return harness.platform.publish(api.validationOpened.of({ ...found, ...more }))
  }
  const resolves = (found: Panel, verdict: 'approved' | 'rejected') => {
    const times = { settleAfter: null, appealUntil: null, resolvedAt: new Date().toISOString() }
    return harness.platform.publish(api.validationResolved.of({ ...found, ...votes, ...times, verdict, frozen: false, disputeReason: null }))
  }
  const rowOf = ({ budget, ...found }: Panel, status: api.ValidationRow['status']): api.ValidationRow => ({
    ...found,
    ...{ budget: String(budget), status, parentValidationId: null, nextValidationId: null, frozen: false, disputeReason: null, panel: [], votes: [] },
    ...{ approvals: 2, rejections: 0, approvalPct: 100, expiresAt: new Date().toISOString(), resolvedAt: new Date().toISOString() },
    ...{ settleAfter: null, appealUntil: null, version: 1 },
  })
  const quorumOf = async (id: string) => (await harness.platform.call('GET', `/api/erc8183/jobs/${id}/quorum`)).body
  const settlements = (id: string) => harness.commands.filter(({ opKey }) => opKey === `job.settle:${id}`).length

  const deliveredAgain = async () => {
    const job = await harness.jobIn('submitted')
    const first = panel(job, await submissionOf(job.id, 0))
    await opens(first)
    await harness.loses('job.submit', job.id)
    await until('the delivery is lost', async () => (await harness.read(job.id)).status === 'assigned')
    const answer = await harness.post(`/${job.id}/submit`, { deliverableUrl: 'https://example.org/r2' }, job.worker.headers)
    assert.equal(answer.status, 200)
    const second = panel(job, await submissionOf(job.id, 1))
    await opens(second)
    assert.notEqual(second.submissionId, first.submissionId)
    return { ...job, first, second }
  }

  it('decides nothing about the next one, neither before nor after the verdict on that', async () => {
    const { id, first, second } = await deliveredAgain()
    await resolves(first, 'approved')
    await harness.platform.advance(2 * daySeconds)
    assert.deepEqual([(await harness.read(id)).status, (await harness.read(id)).validationId], ['submitted', second.validationId])

    await resolves(second, 'rejected')
    await resolves(first, 'approved')
    await harness.platform.advance(2 * daySeconds)

    await until('the job is rejected', async () => (await harness.read(id)).status === 'rejected')
    assert.equal(settlements(id), 1)
  })

  it('pays for no other one where the chain has dropped the payment too', async () => {
    const { id, worker } = await harness.jobIn('submitted')
    assert.equal((await harness.post(`/${id}/settle`, {}, oracle)).status, 200)
    await harness.loses('job.settle', id)
    await harness.loses('job.submit', id)
    await until('payment and delivery are lost', async () => (await harness.read(id)).status === 'assigned')
    assert.equal((await harness.post(`/${id}/submit`, { deliverableUrl: 'https://example.org/r2' }, worker.headers)).status, 200)

    await harness.platform.advance(daySeconds)

    assert.deepEqual([(await harness.read(id)).status, settlements(id)], ['submitted', 1])
    const { nextDeadline, onChain } = await harness.read(id)
    assert.deepEqual([nextDeadline?.action, onChain.status], ['stall', 'confirmed'])
    await harness.platform.advance(7 * daySeconds)
    await until('the job is disputed', async () => (await harness.read(id)).status === 'disputed')
  })

  it('is not the one that is shown', async () => {
    const { id, first, second } = await deliveredAgain()
    harness.validations.set(id, [rowOf(first, 'approved'), rowOf(second, 'pending')])

    const { validationId, status } = await quorumOf(id)

    assert.deepEqual([validationId, status], [second.validationId, 'pending'])
  })

  it('is not the verdict that time finds where no event has come', async () => {
    const { id, first, second } = await deliveredAgain()
    harness.validations.set(id, [rowOf(second, 'pending'), rowOf(first, 'approved')])

    await harness.platform.advance((8 * dayMs) / 1000)

    await until('the job is disputed', async () => (await harness.read(id)).status === 'disputed')
    assert.equal(settlements(id), 0)
  })
})
