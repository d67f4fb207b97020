import assert from 'node:assert/strict'
import type { JobStatus } from '@carapace/api'
import type { Answer, TestAgent } from '@carapace/testing'
import { oracle, sharedHarness, type TestJob } from '../testing/harness.ts'

type Stage = 'open' | 'funded' | 'assigned' | 'submitted'
type Request = (job: TestJob) => Promise<Answer>

/** Who may do what (behaviour 7). What is refused sends no command and leaves the job as it was. */
describe('an act on a job is refused', () => {
  const harness = sharedHarness()
  const jobs = new Map<Stage, Promise<TestJob>>()
  let stranger: TestAgent
  before(async () => {
    stranger = await harness.newAgent()
  })

  const post = (act: string, body: object = {}) => ({
    by:
      (caller: (job: TestJob) => TestAgent): Request =>
      job =>
        harness.post(`/${job.id}/${act}`, body, caller(job).headers),
  })
  const poster = ({ poster: agent }: TestJob) => agent
  const worker = ({ worker: agent }: TestJob) => agent
  const nobody = () => stranger
  const apply = post('apply', { proposal: 'I can' })
  const accept =
    (caller: (job: TestJob) => TestAgent, applicant: (job: TestJob) => TestAgent): Request =>
    job =>
      harness.post(`/${job.id}/accept`, { agentId: applicant(job).id }, caller(job).headers)
  const submit = post('submit', { deliverableUrl: 'https://example.org/r' })
  const dispute = post('dispute', { reason: 'half of it' })
  const settle = post('settle', { outcome: 'settle' })
  /** A new agent of this reputation. */
  const applyWith =
    (reputation: { score: number; risk: number }): Request =>
    async ({ id }) =>
      harness.post(`/${id}/apply`, { proposal: 'I can' }, (await harness.newAgent(reputation)).headers)

  const table: [title: string, stage: Stage, request: Request, status: number, code: string][] = [
    ['funding by a stranger', 'open', post('fund').by(nobody), 403, 'NOT_POSTER'],
    ['funding by an applicant', 'open', post('fund').by(worker), 403, 'NOT_POSTER'],
    ['funding a second time', 'funded', post('fund').by(poster), 409, 'INVALID_STATE'],
    ['acceptance by a stranger', 'funded', accept(nobody, worker), 403, 'NOT_POSTER'],
    ['acceptance by the applicant itself', 'funded', accept(worker, worker), 403, 'NOT_POSTER'],
    ['acceptance of an agent that has not applied', 'funded', accept(poster, nobody), 404, 'NOT_FOUND'],
    ['acceptance before the money is there', 'open', accept(poster, worker), 409, 'INVALID_STATE'],
    ['cancelling by a stranger', 'open', post('cancel').by(nobody), 403, 'NOT_POSTER'],
    ['cancelling by the assignee', 'assigned', post('cancel').by(worker), 403, 'NOT_POSTER'],
    ['cancelling once the money is there', 'funded', post('cancel').by(poster), 409, 'INVALID_STATE'],
    ['cancelling once there is an assignee', 'assigned', post('cancel').by(poster), 409, 'INVALID_STATE'],
    ['cancelling a delivered job', 'submitted', post('cancel').by(poster), 409, 'INVALID_STATE'],
    ['delivery by the poster', 'assigned', submit.by(poster), 403, 'NOT_ASSIGNEE'],
    ['delivery by a stranger', 'assigned', submit.by(nobody), 403, 'NOT_ASSIGNEE'],
    ['a second delivery', 'submitted', submit.by(worker), 409, 'INVALID_STATE'],
    ['dispute by a stranger', 'submitted', dispute.by(nobody), 403, 'NOT_PARTY'],
    ['dispute before the delivery', 'assigned', dispute.by(poster), 409, 'INVALID_STATE'],
    ['settlement by the poster', 'submitted', settle.by(poster), 401, 'AUTH_REQUIRED'],
    ['settlement by the assignee', 'submitted', settle.by(worker), 401, 'AUTH_REQUIRED'],
    ['an order of the oracle before the delivery', 'assigned', ({ id }) => harness.post(`/${id}/settle`, {}, oracle), 409, 'INVALID_STATE'],
    ['application for its own job', 'open', apply.by(poster), 400, 'SELF_ACTION'],
    ['a second application', 'open', apply.by(worker), 409, 'ALREADY_APPLIED'],
    ['application once there is an assignee', 'assigned', apply.by(nobody), 409, 'INVALID_STATE'],
    ['application with a score below 10', 'open', applyWith({ score: 9, risk: 0 }), 403, 'SCORE_TOO_LOW'],
    ['application with a risk above 75', 'open', applyWith({ score: 50, risk: 76 }), 403, 'RISK_TOO_HIGH'],
  ]
  for (const [title, stage, request, status, code] of table)
    it(`${title}: ${code}`, async () => {
      if (!jobs.has(stage)) jobs.set(stage, harness.jobIn(stage))
      const job = await jobs.get(stage)!
      const before = await harness.read(job.id)
      const commands = harness.commands.length

      const answer = await request(job)

      assert.deepEqual([answer.status, answer.body.code], [status, code])
      const { version, status: present } = await harness.read(job.id)
      assert.deepEqual([present, version, harness.commands.length], [stage satisfies JobStatus, before.version, commands])
    })

  it('to nobody at the bounds: score 10 and risk 75', async () => {
    const { id } = await harness.jobIn('open')
    assert.equal((await applyWith({ score: 10, risk: 75 })({ id } as TestJob)).status, 201)
  })

  it('acceptance of an applicant whose risk rose above 75 since: RISK_TOO_HIGH', async () => {
    const { id, poster: owner } = await harness.jobIn('funded')
    const applicant = await harness.newAgent()
    assert.equal((await harness.post(`/${id}/apply`, { proposal: 'I can' }, applicant.headers)).status, 201)
    harness.scores.set(applicant.id, { fusedScore: 50, riskScore: 76 })
    const answer = await harness.post(`/${id}/accept`, { agentId: applicant.id }, owner.headers)
    assert.deepEqual([answer.status, answer.body.code], [403, 'RISK_TOO_HIGH'])
  })
})
