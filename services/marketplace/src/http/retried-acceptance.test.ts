import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { marketplaceApi } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { apply, bondIsLocked, done, gigAs, gigIs, postGig } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

/** The process dies, or the answer is lost, after the assignment: the client retries. */
describe('a retried acceptance', () => {
  let harness: Harness
  let poster: TestAgent
  let worker: TestAgent
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())
  beforeEach(() => {
    harness.lockBond = () => 'confirmed'
    poster = newAgent(harness)
    worker = newAgent(harness)
  })

  const accept = (gigId: string, applicantAgentId: string, headers: object = {}) =>
    harness.call('POST', `/api/gigs/${gigId}/accept-applicant`, { body: { applicantAgentId }, headers: { ...poster.headers, ...headers } })
  const respond = (offerId: string, action: string, headers: object = {}) =>
    harness.call('POST', `/api/offers/${offerId}/respond`, { body: { action }, headers: { ...worker.headers, ...headers } })
  const offerTo = async (gigId: string, agent: TestAgent) =>
    (await done(harness, poster, 'POST', `/api/gigs/${gigId}/offer/${agent.id}`, {})).offerId as string
  const offerOf = async (agent: TestAgent) => (await harness.call('GET', `/api/agents/${agent.id}/offers?status=all`)).body.offers[0]
  const answersAreForgotten = () => harness.platform.forgetAnswers('marketplace')

  it('of an applicant answers as the first did, with the same key and without one', async () => {
    const { id } = await postGig(harness, poster)
    await apply(harness, worker, id)
    const headers = { 'idempotency-key': randomUUID() }
    const first = await accept(id, worker.id, headers)
    await answersAreForgotten()

    const [retried, repeated] = [await accept(id, worker.id, headers), await accept(id, worker.id)]

    for (const again of [retried, repeated]) assert.deepEqual([again.status, again.body], [200, first.body])
  })

  it('leaves the assignment to the one that won: another applicant of the gig, or another of its offers, is refused', async () => {
    const { id } = await postGig(harness, poster)
    const rival = newAgent(harness)
    for (const agent of [worker, rival]) await apply(harness, agent, id)
    const offerId = await offerTo(id, worker)

    const answers = await Promise.all([accept(id, worker.id), accept(id, rival.id), respond(offerId, 'accept')])

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
    const won = answers.findIndex(({ status }) => status === 200)
    const again = [await accept(id, worker.id), await accept(id, rival.id), await respond(offerId, 'accept')]
    assert.equal(
      again.findIndex(({ status }) => status === 200),
      won,
    )
  })

  it('of an offer ends the offer that a dead process left, and answers as it would have', async () => {
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    const offerId = await offerTo(id, worker)
    const headers = { 'idempotency-key': randomUUID() }
    harness.lockBond = () => 'DEPENDENCY_UNAVAILABLE'
    assert.equal((await respond(offerId, 'accept', headers)).status, 202)
    await bondIsLocked(harness, worker.id, id)
    await gigIs(harness, id, 'assigned')
    await answersAreForgotten()

    const { status, body } = await respond(offerId, 'accept', headers)

    assert.deepEqual([status, body.offer.status, body.gig.assigneeId], [200, 'accepted', worker.id])
    assert.deepEqual(await respond(offerId, 'accept').then(again => [again.status, again.body.offer]), [200, body.offer])
    assert.equal((await respond(offerId, 'decline')).status, 409)
    assert.equal((await offerOf(worker)).status, 'accepted')
  })

  it('of an offer is in time although its 72 hours end while the bond is being locked', async () => {
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    const offerId = await offerTo(id, worker)
    await harness.platform.advance(72 * 3600 - 60)
    harness.lockBond = () => 'DEPENDENCY_UNAVAILABLE'
    assert.equal((await respond(offerId, 'accept')).status, 202)
    await harness.platform.advance(120)
    harness.lockBond = () => 'confirmed'

    const { status, body } = await respond(offerId, 'accept')

    assert.deepEqual([status, body.offer?.status, (await gigAs(harness, id)).assigneeId], [200, 'accepted', worker.id])
  })

  it('leaves the bond of the agent locked that the gig was assigned to', async () => {
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    await apply(harness, worker, id)
    const offerId = await offerTo(id, worker)

    const answers = await Promise.all([accept(id, worker.id), respond(offerId, 'accept'), accept(id, worker.id)])

    assert.equal((await gigAs(harness, id)).assigneeId, worker.id)
    assert.ok(answers.some(({ status }) => status === 200))
    assert.deepEqual(harness.unlocked, [])
  })

  it('is a new one after a refusal: a lock that comes about otherwise assigns nothing', async () => {
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    await apply(harness, worker, id)
    harness.lockBond = () => 'INSUFFICIENT_BOND'
    assert.equal((await accept(id, worker.id)).status, 403)

    await bondIsLocked(harness, worker.id, id)

    assert.equal((await gigAs(harness, id)).status, 'open')
    harness.lockBond = () => 'confirmed'
    assert.deepEqual([(await accept(id, worker.id)).status, (await gigAs(harness, id)).assigneeId], [200, worker.id])
  })

  it('of a declined offer answers as the first did', async () => {
    const { id } = await postGig(harness, poster)
    const offerId = await offerTo(id, worker)
    const first = await respond(offerId, 'decline')

    const again = await respond(offerId, 'decline')

    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.equal((await respond(offerId, 'accept')).status, 409)
    assert.equal((await gigAs(harness, id)).status, 'open')
  })

  describe('whose call to the escrow breaks', () => {
    const broken = async (by: 'application' | 'offer') => {
      const { id } = await postGig(harness, poster, { bondRequired: 20 })
      const offerId = by === 'offer' ? await offerTo(id, worker) : undefined
      if (!offerId) await apply(harness, worker, id)
      harness.lockBond = () => 'DEPENDENCY_UNAVAILABLE'
      const answer = await (offerId ? respond(offerId, 'accept') : accept(id, worker.id))
      return { id, answer }
    }

    for (const by of ['application', 'offer'] as const)
      it(`is answered as under way, and the job requests the lock again: by ${by}`, async () => {
        const { id, answer } = await broken(by)
        assert.deepEqual([answer.status, answer.body.statusUrl, answer.body.gig.status], [202, `/api/gigs/${id}`, 'open'])
        await harness.platform.advance(15)
        assert.equal((await gigAs(harness, id)).status, 'open')
        harness.lockBond = () => 'confirmed'

        await harness.platform.advance(40)

        await gigIs(harness, id, 'assigned')
        assert.equal((await gigAs(harness, id)).assigneeId, worker.id)
        if (by === 'offer') await until('the offer is accepted', async () => (await offerOf(worker)).status === 'accepted')
      })

    it('ends when the escrow then refuses the lock', async () => {
      const { id } = await broken('application')
      harness.lockBond = () => 'INSUFFICIENT_BOND'
      await harness.platform.advance(15)
      await until('the acceptance has ended', async () => (await stored(id))?.acceptance === null)

      await bondIsLocked(harness, worker.id, id)

      assert.equal((await gigAs(harness, id)).status, 'open')
    })

    it('is abandoned after 15 minutes: a late lock assigns nothing, and the escrow is to reverse it', async () => {
      const { id } = await broken('application')

      await harness.platform.advance(15 * 60 + 1)

      await until('the acceptance is abandoned', async () => (await stored(id))?.acceptance === null)
      await bondIsLocked(harness, worker.id, id)
      assert.equal((await gigAs(harness, id)).status, 'open')
      const settled = await harness.platform
        .service('marketplace')
        .platform.peers.call('marketplace', marketplaceApi.internal.settleAcceptance, { params: { id, agentId: worker.id } })
      assert.deepEqual(settled.assigned, false)
      harness.lockBond = () => 'confirmed'
      assert.deepEqual([(await accept(id, worker.id)).status, (await gigAs(harness, id)).assigneeId], [200, worker.id])
    })

    const stored = (id: string) =>
      harness.platform.service('marketplace').platform.db.connection.collection<{ _id: string; acceptance: unknown }>('gigs').findOne({ _id: id })
  })
})
