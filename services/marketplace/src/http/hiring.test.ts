import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as passed } from 'node:timers/promises'
import { laneInForce } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { apply, assignedGig, bondIsLocked, decide, deliveredGig, done, gigAs, gigIs, postGig } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness, stranger } from '../testing/harness.ts'

describe('hiring over HTTP', () => {
  let harness: Harness
  let poster: TestAgent
  let worker: TestAgent
  before(async () => {
    harness = await startHarness()
    poster = newAgent(harness)
    worker = newAgent(harness)
  })
  after(() => harness.close())
  afterEach(() => {
    harness.lockBond = () => 'confirmed'
  })

  const as = (caller: TestAgent, method: string, path: string, body?: unknown, headers: object = {}) =>
    harness.call(method, path, { headers: { ...caller.headers, ...headers }, ...(body === undefined ? {} : { body }) })
  const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
  const proposal = { proposal: 'I know vaults.' }
  const accept = (gigId: string, applicantAgentId: string, headers: object = {}) =>
    as(poster, 'POST', `/api/gigs/${gigId}/accept-applicant`, { applicantAgentId }, headers)

  it('accepts one application of an agent, of two concurrent ones too, and lists it with the agent', async () => {
    const { id } = await postGig(harness, poster)

    const answers = await Promise.all([1, 2].map(() => as(worker, 'POST', `/api/gigs/${id}/apply`, proposal)))

    assert.deepEqual(answers.map(statusAndCode).sort(), [
      [201, undefined],
      [409, 'ALREADY_APPLIED'],
    ])
    const { body } = await harness.call('GET', `/api/gigs/${id}/applicants`)
    assert.deepEqual([body.total, body.applicants[0].agentId, body.applicants[0].agent.skills], [1, worker.id, ['solidity']])
    assert.equal((await gigAs(harness, id)).applicantCount, 1)
  })

  it('marks the bonded new agents among the applicants of a small gig, and lists them alone', async () => {
    const paid = await deliveredGig(harness)
    await decide(harness, paid, 'release')
    await gigIs(harness, paid.gigId, 'completed')
    const begun = paid.worker
    const [fresh, unbonded, risky, proven] = [
      newAgent(harness),
      newAgent(harness),
      newAgent(harness, { riskScore: 11 }),
      newAgent(harness, { fusedScore: 30 }),
    ]
    const [small, large] = [await postGig(harness, poster, { budget: 40 }), await postGig(harness, poster, { budget: 40.01 })]
    for (const gig of [small, large]) for (const agent of [fresh, unbonded, risky, proven, begun]) await apply(harness, agent, gig.id)
    for (const agent of [risky, proven, begun, fresh]) await bondIsLocked(harness, agent.id, randomUUID())
    const listed = async (gigId: string, query = '') => {
      const { body } = await harness.call('GET', `/api/gigs/${gigId}/applicants?${query}`)
      const marked = body.applicants.filter(({ newcomerLane }: { newcomerLane: boolean }) => newcomerLane)
      return { total: body.total, marked: marked.map(({ agentId }: { agentId: string }) => agentId).sort() }
    }
    // the first completed gig ends the lane where the market ranks it
    const inLane = { fixed: [fresh.id, begun.id].sort(), market: [fresh.id] }[laneInForce.kind]

    await until('its bond is known', async () => (await listed(small.id)).marked.length === inLane.length)
    assert.deepEqual(await listed(small.id), { total: 5, marked: inLane })
    assert.deepEqual(await listed(small.id, 'newcomerLane=true'), { total: inLane.length, marked: inLane })
    assert.deepEqual(await listed(small.id, 'newcomerLane=false'), { total: 5, marked: inLane })
    assert.deepEqual(await listed(large.id), { total: 5, marked: [] })
    assert.deepEqual(await listed(large.id, 'newcomerLane=true'), { total: 0, marked: [] })
    assert.equal((await harness.call('GET', `/api/gigs/${small.id}/applicants?newcomerLane=1`)).status, 400)
  })

  it('replays an application with its idempotency key, also when the first answer was never stored', async () => {
    const { id } = await postGig(harness, poster)
    const headers = { 'idempotency-key': randomUUID() }
    const request = () => as(worker, 'POST', `/api/gigs/${id}/apply`, proposal, headers)
    const first = await request()
    await harness.platform.forgetAnswers('marketplace')
    const retried = await request()
    const replayed = await request()

    assert.deepEqual([retried.status, retried.body.application.id], [201, first.body.application.id])
    assert.equal(replayed.headers.get('idempotency-replayed'), 'true')
  })

  it('refuses applications of the poster, without text, of the risky and the suspended, and for gigs that are not open', async () => {
    const { id } = await postGig(harness, poster)
    const path = `/api/gigs/${id}/apply`
    const risky = newAgent(harness, { riskScore: 76 })
    const suspended = newAgent(harness)
    harness.agents.get(suspended.id)!.status = 'suspended'

    assert.deepEqual(statusAndCode(await as(poster, 'POST', path, proposal)), [400, 'SELF_ACTION'])
    const empty = await as(worker, 'POST', path, { proposal: '  ' })
    assert.deepEqual([empty.status, empty.body.errors[0].path], [400, 'proposal'])
    const refused = await as(risky, 'POST', path, proposal)
    assert.deepEqual([...statusAndCode(refused), refused.body.details], [403, 'RISK_TOO_HIGH', { required: 75, actual: 76 }])
    assert.deepEqual(statusAndCode(await as(suspended, 'POST', path, proposal)), [403, 'ACCOUNT_SUSPENDED'])
    assert.deepEqual(statusAndCode(await harness.call('POST', path, { body: proposal })), [401, 'AUTH_REQUIRED'])
    await done(harness, poster, 'POST', `/api/gigs/${id}/cancel`)
    assert.deepEqual(statusAndCode(await as(worker, 'POST', path, proposal)), [409, 'INVALID_STATE'])
    assert.equal((await harness.call('GET', `/api/gigs/${id}/applicants`)).body.total, 0)
  })

  it('assigns the gig to one applicant, of two accepted at the same time', async () => {
    const { id } = await postGig(harness, poster)
    const rival = newAgent(harness)
    await apply(harness, worker, id)
    await apply(harness, rival, id)

    assert.deepEqual(statusAndCode(await as(worker, 'POST', `/api/gigs/${id}/accept-applicant`, { applicantAgentId: worker.id })), [
      403,
      'NOT_POSTER',
    ])
    assert.deepEqual(statusAndCode(await accept(id, stranger)), [404, 'NOT_FOUND'])
    const malformed = await as(poster, 'POST', `/api/gigs/${id}/accept-applicant`, { applicantAgentId: 'me' })
    assert.deepEqual([malformed.status, malformed.body.errors[0].path], [400, 'applicantAgentId'])
    const answers = await Promise.all([accept(id, worker.id), accept(id, rival.id), accept(id, worker.id)])

    const gig = await gigAs(harness, id)
    for (const { status, body } of answers) assert.ok(status === 200 ? body.assignee.id === gig.assigneeId : status === 409, JSON.stringify(body))
    assert.ok(answers.some(({ status }) => status === 200))
    assert.equal(gig.status, 'assigned')
    assert.deepEqual(statusAndCode(await accept(id, rival.id)), [409, 'INVALID_STATE'])
  })

  it('rejects the other applications when the gig is assigned, and all when it is cancelled', async () => {
    const rival = newAgent(harness)
    const statuses = async (gigId: string) => {
      const { applicants } = (await harness.call('GET', `/api/gigs/${gigId}/applicants`)).body
      return Object.fromEntries(applicants.map(({ agentId, status }: { agentId: string; status: string }) => [agentId, status]))
    }
    const [assigned, cancelled] = [await postGig(harness, poster), await postGig(harness, poster)]
    for (const { id } of [assigned, cancelled]) {
      await apply(harness, worker, id)
      await apply(harness, rival, id)
    }

    await accept(assigned.id, worker.id)
    await done(harness, poster, 'POST', `/api/gigs/${cancelled.id}/cancel`)

    await until('they have ended', async () =>
      (await Promise.all([assigned, cancelled].map(({ id }) => statuses(id)))).every(found => !Object.values(found).includes('pending')),
    )
    assert.deepEqual(await statuses(assigned.id), { [worker.id]: 'accepted', [rival.id]: 'rejected' })
    assert.deepEqual(await statuses(cancelled.id), { [worker.id]: 'rejected', [rival.id]: 'rejected' })
  })

  it('locks a required bond first: without it nobody is assigned, and a lock under way assigns when it is confirmed', async () => {
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    await apply(harness, worker, id)

    harness.lockBond = () => 'INSUFFICIENT_BOND'
    assert.deepEqual(statusAndCode(await accept(id, worker.id)), [403, 'INSUFFICIENT_BOND'])
    assert.equal((await gigAs(harness, id)).status, 'open')
    harness.lockBond = () => {
      setTimeout(() => void bondIsLocked(harness, worker.id, id), 50)
      return 'pending'
    }
    const { status, body } = await accept(id, worker.id)

    assert.deepEqual([status, body.assigned, body.gig.assigneeId], [200, true, worker.id])
  })

  it('answers 202 in time when the chain stalls, however long the escrow has waited', async function () {
    this.timeout(120_000)
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    await apply(harness, worker, id)
    harness.lockBond = async (): Promise<'pending'> => {
      await passed(7_000)
      return 'pending'
    }
    const before = performance.now()

    const { status, body } = await accept(id, worker.id)

    assert.deepEqual([status, body.assigned], [202, false])
    // the gateway abandons the call after 15 s
    assert.ok(performance.now() - before < 15_000)
    await bondIsLocked(harness, worker.id, id)
    await until('it is assigned by the event', async () => (await gigAs(harness, id)).status === 'assigned')
  })

  it('refuses the deliverable of a worker whose bond lock is under way as retryable, and accepts it with the same key once it is assigned', async () => {
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    await apply(harness, worker, id)
    harness.lockBond = () => 'pending'
    const hiring = accept(id, worker.id)
    const deliver = (agent: TestAgent, headers: object = {}) =>
      harness.call('POST', `/api/gigs/${id}/submit-deliverable`, { body: { deliverableNote: 'done' }, headers: { ...agent.headers, ...headers } })
    const key = { 'idempotency-key': randomUUID() }
    const early = await until('the acceptance waits for its lock', async () => {
      const answer = await deliver(worker)
      return answer.body.retryable && deliver(worker, key)
    })
    const other = await deliver(newAgent(harness))

    await bondIsLocked(harness, worker.id, id)
    await hiring

    assert.deepEqual([...statusAndCode(early), early.body.retryable], [403, 'NOT_ASSIGNEE', true])
    assert.deepEqual([...statusAndCode(other), other.body.retryable], [403, 'NOT_ASSIGNEE', undefined])
    assert.equal((await deliver(worker, key)).status, 200)
  })

  it('releases the lock of an acceptance that lost against a withdrawal', async () => {
    const { id } = await postGig(harness, poster, { bondRequired: 20 })
    await apply(harness, worker, id)
    const gigs = harness.platform.service('marketplace').platform.db.connection.collection<{ _id: string }>('gigs')
    harness.lockBond = async (): Promise<'confirmed'> => {
      await gigs.updateOne({ _id: id }, { $set: { status: 'cancelled' }, $inc: { version: 1 } })
      return 'confirmed'
    }

    const answer = await accept(id, worker.id)

    assert.deepEqual(statusAndCode(answer), [409, 'INVALID_STATE'])
    assert.deepEqual(harness.unlocked, [`${worker.id}/${id}`])
  })

  it('offers a gig once at a time, and the recipient alone answers it, once', async () => {
    const { id } = await postGig(harness, poster)
    const path = `/api/gigs/${id}/offer/${worker.id}`

    assert.deepEqual(statusAndCode(await as(worker, 'POST', path, {})), [403, 'NOT_POSTER'])
    assert.deepEqual(statusAndCode(await as(poster, 'POST', `/api/gigs/${id}/offer/${poster.id}`, {})), [400, 'SELF_ACTION'])
    for (const unknown of [stranger, worker.handle])
      assert.deepEqual(statusAndCode(await as(poster, 'POST', `/api/gigs/${id}/offer/${unknown}`, {})), [404, 'NOT_FOUND'])
    const made = await Promise.all([as(poster, 'POST', path, { message: 'for you' }), as(poster, 'POST', path, { message: 'for you' })])
    assert.deepEqual(made.map(statusAndCode).sort(), [
      [201, undefined],
      [409, 'ALREADY_EXISTS'],
    ])
    const { offerId } = made.find(answer => answer.status === 201)!.body
    const listed = await harness.call('GET', `/api/agents/${worker.id}/offers`)
    assert.deepEqual([listed.body.total, listed.body.offers[0].gig.id, listed.body.offers[0].from.id], [1, id, poster.id])

    const respond = (caller: TestAgent, body: object) => as(caller, 'POST', `/api/offers/${offerId}/respond`, body)
    assert.deepEqual(statusAndCode(await respond(poster, { action: 'accept' })), [403, 'FORBIDDEN'])
    const bad = await respond(worker, { action: 'maybe' })
    assert.deepEqual([bad.status, bad.body.errors[0].path], [400, 'action'])
    assert.deepEqual(statusAndCode(await as(worker, 'POST', `/api/offers/${stranger}/respond`, { action: 'accept' })), [404, 'NOT_FOUND'])
    const answers = await Promise.all([respond(worker, { action: 'accept' }), respond(worker, { action: 'accept' })])
    assert.ok(answers.some(({ status }) => status === 200))
    for (const { status } of answers) assert.ok(status === 200 || status === 409)
    assert.deepEqual(statusAndCode(await respond(worker, { action: 'decline' })), [409, 'INVALID_STATE'])
    const all = (await harness.call('GET', `/api/agents/${worker.id}/offers?status=all`)).body
    assert.deepEqual([all.total, all.offers[0].status], [1, 'accepted'])
    assert.equal((await gigAs(harness, id)).assigneeId, worker.id)
  })

  it('replays an offer with its idempotency key, also when the first answer was never stored', async () => {
    const { id } = await postGig(harness, poster)
    const headers = { 'idempotency-key': randomUUID() }
    const request = () => as(poster, 'POST', `/api/gigs/${id}/offer/${worker.id}`, {}, headers)
    const first = await request()
    await harness.platform.forgetAnswers('marketplace')

    const retried = await request()

    assert.deepEqual([retried.status, retried.body.offerId], [201, first.body.offerId])
  })

  it('lets the offers of a gig expire that is withdrawn', async () => {
    const { id } = await postGig(harness, poster)
    const rival = newAgent(harness)
    await done(harness, poster, 'POST', `/api/gigs/${id}/offer/${rival.id}`, {})

    await done(harness, poster, 'POST', `/api/gigs/${id}/cancel`)

    await until('it waits no longer', async () => (await harness.call('GET', `/api/agents/${rival.id}/offers`)).body.total === 0)
    const { offers } = (await harness.call('GET', `/api/agents/${rival.id}/offers?status=all`)).body
    assert.equal(offers[0].status, 'expired')
  })

  it('lets offers of a gig that is assigned, or that nobody answers in 72 hours, expire', async () => {
    const { id } = await postGig(harness, poster)
    const second = await postGig(harness, poster)
    const rival = newAgent(harness)
    const { offerId } = await done(harness, poster, 'POST', `/api/gigs/${id}/offer/${rival.id}`, {})
    const { offerId: silent } = await done(harness, poster, 'POST', `/api/gigs/${second.id}/offer/${rival.id}`, {})
    const statusOf = async (wanted: string) => {
      const { offers } = (await harness.call('GET', `/api/agents/${rival.id}/offers?status=all`)).body
      return offers.find((offer: { id: string }) => offer.id === wanted).status
    }
    await apply(harness, worker, id)
    await done(harness, poster, 'POST', `/api/gigs/${id}/accept-applicant`, { applicantAgentId: worker.id })
    await until('the offer of the assigned gig has expired', async () => (await statusOf(offerId)) === 'expired')
    assert.equal(await statusOf(silent), 'pending')

    await harness.platform.advance(72 * 3600 + 1)
    await until('the other one has, too', async () => (await statusOf(silent)) === 'expired')

    assert.deepEqual(statusAndCode(await as(rival, 'POST', `/api/offers/${silent}/respond`, { action: 'accept' })), [409, 'INVALID_STATE'])
    await done(harness, poster, 'POST', `/api/gigs/${second.id}/offer/${rival.id}`, {})
  })

  it('declines an offer without touching the gig', async () => {
    const { id } = await postGig(harness, poster)
    const { offerId } = await done(harness, poster, 'POST', `/api/gigs/${id}/offer/${worker.id}`, {})

    const { offer, gig } = await done(harness, worker, 'POST', `/api/offers/${offerId}/respond`, { action: 'decline' })

    assert.deepEqual([offer.status, gig.status], ['declined', 'open'])
  })

  it('publishes one assignment, however often the same acceptance is sent', async () => {
    const assignments: string[] = []
    const consumer = await harness.platform.bus.subscribe(
      { name: `test.${randomUUID()}`, exchange: 'events', bindings: ['marketplace.gig.assigned.v1'] },
      async event => void assignments.push(event.subject),
    )
    const { gigId } = await assignedGig(harness)
    await until('it is assignments', () => assignments.includes(gigId))
    await gigIs(harness, gigId, 'assigned')
    await consumer.close()

    assert.equal(assignments.filter(subject => subject === gigId).length, 1)
  })
})
