import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { marketplaceApi, Refusal } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { done, gigAs, postGig } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('the offer of an accepted message', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const hire = (gigId: string, from: TestAgent, to: TestAgent, messageId: string) => {
    const body = { fromAgentId: from.id, toAgentId: to.id, messageId }
    const { peers } = harness.platform.service('marketplace').platform
    return peers.call('marketplace', marketplaceApi.internal.hireByMessage, { params: { id: gigId }, body })
  }
  const refusalOf = (hiring: Promise<unknown>) =>
    hiring.then(
      () => 'none',
      (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
    )
  const offers = async (agent: TestAgent) => (await harness.call('GET', `/api/agents/${agent.id}/offers?status=all`)).body.offers

  it('is made and accepted once, under the id of the message', async () => {
    const [poster, worker, messageId] = [newAgent(harness), newAgent(harness), randomUUID()]
    const { id } = await postGig(harness, poster)

    const answers = await Promise.all([hire(id, poster, worker, messageId), hire(id, poster, worker, messageId)])
    const again = await hire(id, poster, worker, messageId)

    for (const { offer } of [...answers, again]) assert.deepEqual([offer.id, offer.status], [messageId, 'accepted'])
    assert.equal((await offers(worker)).length, 1)
    assert.equal((await gigAs(harness, id, poster)).assigneeId, worker.id)
  })

  it('is not made of a gig that is assigned, nor of the gig of another', async () => {
    const [poster, worker, rival] = [newAgent(harness), newAgent(harness), newAgent(harness)]
    const { id } = await postGig(harness, poster)
    await hire(id, poster, worker, randomUUID())

    const codes = [await refusalOf(hire(id, poster, rival, randomUUID())), await refusalOf(hire(id, rival, worker, randomUUID()))]

    assert.deepEqual(codes, ['INVALID_STATE', 'NOT_POSTER'])
    assert.deepEqual(await offers(rival), [])
  })

  it('assigns nothing once its recipient has declined it', async () => {
    const [poster, worker, messageId] = [newAgent(harness), newAgent(harness, { riskScore: 80 }), randomUUID()]
    const { id } = await postGig(harness, poster)
    const refused = await refusalOf(hire(id, poster, worker, messageId))
    harness.scores.set(worker.id, { fusedScore: 20, riskScore: 0 })
    await done(harness, worker, 'POST', `/api/offers/${messageId}/respond`, { action: 'decline' })

    assert.deepEqual([refused, await refusalOf(hire(id, poster, worker, messageId))], ['RISK_TOO_HIGH', 'INVALID_STATE'])
    assert.equal((await gigAs(harness, id, poster)).status, 'open')
  })
})
