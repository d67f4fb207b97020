import assert from 'node:assert/strict'
import type { TestAgent } from '@carapace/testing'
import { openCase, read, vote } from '../testing/cases.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('concurrent votes over HTTP', () => {
  let harness: Harness & { validators: TestAgent[] }
  before(async () => {
    harness = await startHarness(10)
  })
  after(() => harness.close())

  const allVote = async (choice: 'approve' | 'reject') => {
    const { gigId, poster } = await openCase(harness)
    const { body } = await harness.call('POST', '/api/swarm/validate', { body: { gigId, candidateCount: 10 }, headers: poster.headers })
    const panel: string[] = body.selectedValidators.map((agent: { id: string }) => agent.id)
    const answers = await Promise.all(panel.map(id => vote(harness, body.validationId, id, choice, { prefer: 'respond-async' })))
    return { answers: answers.map(answer => answer.body.code ?? answer.status), verdict: await read(harness, body.validationId) }
  }

  it('of a panel are counted until the verdict, and later ones are refused as resolved', async () => {
    const { answers, verdict } = await allVote('approve')

    assert.deepEqual([verdict.status, verdict.voteCount, verdict.threshold], ['approved', 6, 6])
    assert.deepEqual(answers.sort(), [...Array(6).fill(202), ...Array(4).fill('VALIDATION_RESOLVED')])
  })

  it('freeze nothing: voters of the same moment are known too', async () => {
    const { answers, verdict } = await allVote('reject')

    assert.deepEqual([verdict.status, verdict.voteCount, verdict.bondSlashFrozen, verdict.disputeReason], ['rejected', 6, false, null])
    assert.equal(answers.filter(answer => answer === 202).length, 6)
  })
})
