import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { assignedGig, decide, deliveredGig, done, gigAs, gigIs, type Work } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

const url = 'https://example.org/report'

describe('the panel of a gig over HTTP', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const factsOf = ({ gigId, poster, worker }: Work, validationId: string, panel: readonly TestAgent[]) => ({
    ...{ validationId, gigId, jobId: null, title: 'Audit', posterId: poster.id, assigneeId: worker.id, budget: 40_000_000n, chain: 'BASE_SEPOLIA' },
    ...{ candidateCount: panel.length, threshold: 1, weak: true, oracleAssisted: false, round: 1, appealOf: null },
    ...{ panel: panel.map(agent => agent.id), rewardPerValidator: 100_000n, expiresAt: new Date().toISOString() },
  })
  const opened = (work: Work, validationId: string, panel: readonly TestAgent[], round = 1) =>
    api.validationOpened.of({ ...factsOf(work, validationId, panel), round, submissionId: validationId, parentValidationId: null } as never)
  const changed = (work: Work, validationId: string, panel: readonly TestAgent[]) =>
    api.panelChanged.of({ ...factsOf(work, validationId, panel), added: [], removed: [] } as never)
  const mayRead = async ({ gigId }: Work, agent: TestAgent) => (await gigAs(harness, gigId, agent)).deliverable?.url === url

  it('may read the deliverable until it is replaced, also when the first panel is published again late', async () => {
    const work = await deliveredGig(harness)
    const [first, second] = [newAgent(harness), newAgent(harness)]
    const validationId = randomUUID()
    await harness.platform.publish(opened(work, validationId, [first]), 1)
    assert.equal(await mayRead(work, first), true)
    await harness.platform.publish(changed(work, validationId, [second]), 2)
    assert.deepEqual([await mayRead(work, first), await mayRead(work, second)], [false, true])

    await harness.platform.publish(opened(work, validationId, [first]), 1)

    assert.deepEqual([await mayRead(work, first), await mayRead(work, second)], [false, true])
  })

  it('is that of the second round, also when events of the first come late', async () => {
    const work = await deliveredGig(harness)
    const [first, second, late] = [newAgent(harness), newAgent(harness), newAgent(harness)]
    const [one, two] = [randomUUID(), randomUUID()]
    await harness.platform.publish(opened(work, one, [first]), 1)
    await harness.platform.publish(opened(work, two, [second], 2), 1)

    await harness.platform.publish(changed(work, one, [late]), 4)

    assert.deepEqual([await mayRead(work, late), await mayRead(work, second)], [false, true])
    assert.equal((await gigAs(harness, work.gigId)).validationId, two)
  })

  /** The swarm answers this validation of the gig from now on, of one round with this panel; the requests for it are noted. */
  const answerValidation = ({ gigId, poster, worker }: Work, validationId: string, juror: TestAgent) => {
    const requests: string[] = []
    harness.validation = requested => {
      requests.push(requested)
      const [parties, at] = [{ posterId: poster.id, assigneeId: worker.id }, new Date().toISOString()]
      return {
        ...{ validationId, gigId, jobId: null, submissionId: validationId, title: 'Audit', ...parties, budget: '40000000', chain: 'BASE_SEPOLIA' },
        ...{ round: 1, parentValidationId: null, appealOf: null, nextValidationId: null, status: 'pending', candidateCount: 1, threshold: 1 },
        ...{ weak: true, oracleAssisted: false, frozen: false, disputeReason: null, panel: [juror.id], votes: [], approvals: 0, rejections: 0 },
        ...{ approvalPct: 0, expiresAt: at, resolvedAt: null, settleAfter: null, appealUntil: null, version: 1 },
      }
    }
    return () => requests.filter(requested => requested === gigId).length
  }

  it('is requested from the swarm while the gig has none, and may read the deliverable then', async () => {
    const [work, juror] = [await deliveredGig(harness), newAgent(harness)]
    const requestsOfWork = answerValidation(work, randomUUID(), juror)

    await harness.platform.advance(40)
    await until('the panel may read it', () => mayRead(work, juror))
    await harness.platform.advance(600)

    assert.equal(requestsOfWork(), 1)
  })

  it('is requested for a delivery into a dispute, too, and not before there is one', async () => {
    const [work, juror] = [await assignedGig(harness), newAgent(harness)]
    const requestsOfWork = answerValidation(work, randomUUID(), juror)
    await decide(harness, work, 'hold')
    await gigIs(harness, work.gigId, 'disputed')
    await harness.platform.advance(600)
    assert.equal(requestsOfWork(), 0)

    await done(harness, work.worker, 'POST', `/api/gigs/${work.gigId}/submit-deliverable`, { deliverableUrl: url })
    await harness.platform.advance(40)

    await until('the panel may read it', () => mayRead(work, juror))
    assert.equal((await gigAs(harness, work.gigId)).status, 'disputed')
  })
})
