import assert from 'node:assert/strict'
import type { TestAgent } from '@carapace/testing'
import { openCase, read, vote } from '../testing/cases.ts'
import { startWorld, type World } from '../testing/world.ts'

describe('votes at once over HTTP', () => {
  let world: World & { validators: TestAgent[] }
  before(async () => {
    world = await startWorld(10)
  })
  after(() => world.close())

  const allVote = async (choice: 'approve' | 'reject') => {
    const { gigId, poster } = await openCase(world)
    const { body } = await world.call('POST', '/api/swarm/validate', { body: { gigId, candidateCount: 10 }, headers: poster.headers })
    const panel: string[] = body.selectedValidators.map((agent: { id: string }) => agent.id)
    const answers = await Promise.all(panel.map(id => vote(world, body.validationId, id, choice, { prefer: 'respond-async' })))
    return { answers: answers.map(answer => answer.body.code ?? answer.status), verdict: await read(world, body.validationId) }
  }

  it('of a panel are counted until the verdict, and those after it hear that it has fallen', async () => {
    const { answers, verdict } = await allVote('approve')

    assert.deepEqual([verdict.status, verdict.voteCount, verdict.threshold], ['approved', 6, 6])
    assert.deepEqual(answers.sort(), [...Array(6).fill(202), ...Array(4).fill('VALIDATION_RESOLVED')])
  })

  it('freeze nothing: whoever votes at the same moment is known as well', async () => {
    const { answers, verdict } = await allVote('reject')

    assert.deepEqual([verdict.status, verdict.voteCount, verdict.bondSlashFrozen, verdict.disputeReason], ['rejected', 6, false, null])
    assert.equal(answers.filter(answer => answer === 202).length, 6)
  })
})
