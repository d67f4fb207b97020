import assert from 'node:assert/strict'
import { swarmApi } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { openCase, vote } from '../testing/cases.ts'
import { type Harness, startHarness, stranger } from '../testing/harness.ts'

describe('judgements of a gig, for its page', () => {
  let harness: Harness & { validators: TestAgent[] }
  before(async () => {
    harness = await startHarness(6)
  })
  after(() => harness.close())

  const get = async (path: string) => (await harness.call('GET', path)).body
  const read = async (gigId: string) => {
    const { peers } = harness.platform.service('swarm').platform
    return (await peers.call('swarm', swarmApi.internal.listGigJudgements, { params: { gigId }, query: { limit: '5' } })).judgements
  }

  it('are its validations and votes as anybody may read them: no reasons before the verdict', async () => {
    const { gigId, validationId, panel } = await openCase(harness)
    await vote(harness, validationId, panel[0]!, 'approve')

    const judgements = await read(gigId)

    assert.deepEqual(
      judgements.map(({ validation }) => validation),
      (await get(`/api/swarm/validations?gigId=${gigId}&limit=5`)).validations,
    )
    assert.deepEqual(judgements[0]?.votes, (await get(`/api/validations/${validationId}/votes`)).votes)
    assert.deepEqual(
      judgements[0]?.votes.map(({ validatorId, reasoning }) => [validatorId, reasoning]),
      [[panel[0], null]],
    )
  })

  it('are none of an unknown gig', async () => {
    assert.deepEqual(await read(stranger), [])
  })
})
