import assert from 'node:assert/strict'
import { agentStatusChanged } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { apply, done, gigAs, gigIs, postGig } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

/** The owner of a wallet registers with a signature: the agent that had it unproven is suspended. */
describe('the gigs of an agent whose wallet its owner has reclaimed', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  /** As identity answers from then on. */
  const loseWallet = (agent: TestAgent, cause: 'wallet_reclaimed' | 'admin' = 'wallet_reclaimed') => {
    const wallet = cause === 'admin' ? agent.wallet : null
    Object.assign(harness.agents.get(agent.id)!, { status: 'suspended', wallet, version: 2 })
    const facts = { agentId: agent.id, handle: agent.handle, status: 'suspended' as const, formerWallet: agent.wallet, reason: null }
    return agentStatusChanged.of({ ...facts, wallet, cause })
  }
  const offer = async (poster: TestAgent, gigId: string, to: TestAgent): Promise<string> =>
    (await done(harness, poster, 'POST', `/api/gigs/${gigId}/offer/${to.id}`, {})).offerId
  const accept = (offerId: string, worker: TestAgent) =>
    harness.call('POST', `/api/offers/${offerId}/respond`, { body: { action: 'accept' }, headers: worker.headers })
  const closeReason = async (gigId: string) => (await gigAs(harness, gigId)).closeReason

  it('are withdrawn while they are open, and go on where they are assigned; those of others stay', async () => {
    const [poster, worker, other] = [newAgent(harness), newAgent(harness), newAgent(harness)]
    const [open, second, running, foreign] = [
      await postGig(harness, poster),
      await postGig(harness, poster),
      await postGig(harness, poster),
      await postGig(harness, other),
    ]
    await apply(harness, worker, running.id)
    await done(harness, poster, 'POST', `/api/gigs/${running.id}/accept-applicant`, { applicantAgentId: worker.id })

    await harness.platform.publish(loseWallet(poster), 2)
    await harness.platform.publish(loseWallet(poster), 2)

    for (const { id } of [open, second]) {
      await gigIs(harness, id, 'cancelled')
      assert.equal(await closeReason(id), 'withdrawn')
    }
    assert.deepEqual([(await gigAs(harness, running.id)).status, (await gigAs(harness, foreign.id)).status], ['assigned', 'open'])
  })

  it('hire nobody before that is received, and are withdrawn although the event is lost', async () => {
    const [poster, worker] = [newAgent(harness), newAgent(harness)]
    const { id } = await postGig(harness, poster)
    const offerId = await offer(poster, id, worker)
    loseWallet(poster)

    const { status, body } = await accept(offerId, worker)

    assert.deepEqual([status, body.code, (await gigAs(harness, id)).status], [403, 'ACCOUNT_SUSPENDED', 'open'])
    await harness.platform.advance(60)
    await gigIs(harness, id, 'cancelled')
    assert.equal(await closeReason(id), 'withdrawn')
  })

  it('stay open where an operator has suspended it, who may reinstate it, and hire nobody meanwhile', async () => {
    const [poster, worker] = [newAgent(harness), newAgent(harness)]
    const { id } = await postGig(harness, poster)
    const offerId = await offer(poster, id, worker)
    await harness.platform.publish(loseWallet(poster, 'admin'), 2)

    assert.equal((await accept(offerId, worker)).body.code, 'ACCOUNT_SUSPENDED')
    await harness.platform.advance(60)

    assert.equal((await gigAs(harness, id)).status, 'open')
    Object.assign(harness.agents.get(poster.id)!, { status: 'active', version: 3 })
    assert.equal((await accept(offerId, worker)).status, 200)
  })
})
