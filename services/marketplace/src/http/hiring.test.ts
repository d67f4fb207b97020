import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as passed } from 'node:timers/promises'
import { type TestAgent, until } from '@carapace/testing'
import { apply, assignedGig, bondIsLocked, done, gigAs, gigIs, postGig } from '../testing/gigs.ts'
import { newAgent, startWorld, stranger, type World } from '../testing/world.ts'

describe('hiring over HTTP', () => {
  let world: World
  let poster: TestAgent
  let worker: TestAgent
  before(async () => {
    world = await startWorld()
    poster = newAgent(world)
    worker = newAgent(world)
  })
  after(() => world.close())
  afterEach(() => {
    world.lockBond = () => 'confirmed'
  })

  const as = (who: TestAgent, method: string, path: string, body?: unknown, headers: object = {}) =>
    world.call(method, path, { headers: { ...who.headers, ...headers }, ...(body === undefined ? {} : { body }) })
  const said = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
  const proposal = { proposal: 'I know vaults.' }
  const accept = (gigId: string, applicantAgentId: string, headers: object = {}) =>
    as(poster, 'POST', `/api/gigs/${gigId}/accept-applicant`, { applicantAgentId }, headers)

  it('takes one application of an agent, of two at once too, and lists it with the agent', async () => {
    const { id } = await postGig(world, poster)

    const answers = await Promise.all([1, 2].map(() => as(worker, 'POST', `/api/gigs/${id}/apply`, proposal)))

    assert.deepEqual(answers.map(said).sort(), [
      [201, undefined],
      [409, 'ALREADY_APPLIED'],
    ])
    const { body } = await world.call('GET', `/api/gigs/${id}/applicants`)
    assert.deepEqual([body.total, body.applicants[0].agentId, body.applicants[0].agent.skills], [1, worker.id, ['solidity']])
    assert.equal((await gigAs(world, id)).applicantCount, 1)
  })

  it('replays an application with its idempotency key, also when the first answer was never kept', async () => {
    const { id } = await postGig(world, poster)
    const headers = { 'idempotency-key': randomUUID() }
    const request = () => as(worker, 'POST', `/api/gigs/${id}/apply`, proposal, headers)
    const first = await request()
    await world.platform.service('marketplace').platform.db.connection.collection('idempotency').deleteMany({})
    const retried = await request()
    const replayed = await request()

    assert.deepEqual([retried.status, retried.body.application.id], [201, first.body.application.id])
    assert.equal(replayed.headers.get('idempotency-replayed'), 'true')
  })

  it('refuses applications of the poster, without text, of the risky and the suspended, and for gigs that are not open', async () => {
    const { id } = await postGig(world, poster)
    const path = `/api/gigs/${id}/apply`
    const risky = newAgent(world, { riskScore: 76 })
    const suspended = newAgent(world)
    world.agents.get(suspended.id)!.status = 'suspended'

    assert.deepEqual(said(await as(poster, 'POST', path, proposal)), [400, 'SELF_ACTION'])
    const empty = await as(worker, 'POST', path, { proposal: '  ' })
    assert.deepEqual([empty.status, empty.body.errors[0].path], [400, 'proposal'])
    const refused = await as(risky, 'POST', path, proposal)
    assert.deepEqual([...said(refused), refused.body.details], [403, 'RISK_TOO_HIGH', { required: 75, actual: 76 }])
    assert.deepEqual(said(await as(suspended, 'POST', path, proposal)), [403, 'ACCOUNT_SUSPENDED'])
    assert.deepEqual(said(await world.call('POST', path, { body: proposal })), [401, 'AUTH_REQUIRED'])
    await done(world, poster, 'POST', `/api/gigs/${id}/cancel`)
    assert.deepEqual(said(await as(worker, 'POST', path, proposal)), [409, 'INVALID_STATE'])
    assert.equal((await world.call('GET', `/api/gigs/${id}/applicants`)).body.total, 0)
  })

  it('assigns the gig to one applicant, whoever is accepted at the same time', async () => {
    const { id } = await postGig(world, poster)
    const rival = newAgent(world)
    await apply(world, worker, id)
    await apply(world, rival, id)

    assert.deepEqual(said(await as(worker, 'POST', `/api/gigs/${id}/accept-applicant`, { applicantAgentId: worker.id })), [403, 'NOT_POSTER'])
    assert.deepEqual(said(await accept(id, stranger)), [404, 'NOT_FOUND'])
    const malformed = await as(poster, 'POST', `/api/gigs/${id}/accept-applicant`, { applicantAgentId: 'me' })
    assert.deepEqual([malformed.status, malformed.body.errors[0].path], [400, 'applicantAgentId'])
    const answers = await Promise.all([accept(id, worker.id), accept(id, rival.id), accept(id, worker.id)])

    const gig = await gigAs(world, id)
    for (const { status, body } of answers) assert.ok(status === 200 ? body.assignee.id === gig.assigneeId : status === 409, JSON.stringify(body))
    assert.ok(answers.some(({ status }) => status === 200))
    assert.equal(gig.status, 'assigned')
    assert.deepEqual(said(await accept(id, rival.id)), [409, 'INVALID_STATE'])
  })

  it('locks a required bond first: without it nobody is assigned, and a lock under way assigns when it is confirmed', async () => {
    const { id } = await postGig(world, poster, { bondRequired: 20 })
    await apply(world, worker, id)

    world.lockBond = () => 'INSUFFICIENT_BOND'
    assert.deepEqual(said(await accept(id, worker.id)), [403, 'INSUFFICIENT_BOND'])
    assert.equal((await gigAs(world, id)).status, 'open')
    world.lockBond = () => {
      setTimeout(() => void bondIsLocked(world, worker.id, id), 50)
      return 'pending'
    }
    const { status, body } = await accept(id, worker.id)

    assert.deepEqual([status, body.assigned, body.gig.assigneeId], [200, true, worker.id])
  })

  it('answers 202 in time when the chain stalls, however long the escrow has waited', async function () {
    this.timeout(40_000)
    const { id } = await postGig(world, poster, { bondRequired: 20 })
    await apply(world, worker, id)
    world.lockBond = async (): Promise<'pending'> => {
      await passed(7_000)
      return 'pending'
    }
    const before = performance.now()

    const { status, body } = await accept(id, worker.id)

    assert.deepEqual([status, body.assigned], [202, false])
    // the gateway gives up after 15 s
    assert.ok(performance.now() - before < 15_000)
    await bondIsLocked(world, worker.id, id)
    await until('it is assigned by the event', async () => (await gigAs(world, id)).status === 'assigned')
  })

  it('refuses the deliverable of a worker whose bond lock is under way as retryable, and takes it with the same key once it is assigned', async () => {
    const { id } = await postGig(world, poster, { bondRequired: 20 })
    await apply(world, worker, id)
    world.lockBond = () => 'pending'
    const hiring = accept(id, worker.id)
    const deliver = (agent: TestAgent, headers: object = {}) =>
      world.call('POST', `/api/gigs/${id}/submit-deliverable`, { body: { deliverableNote: 'done' }, headers: { ...agent.headers, ...headers } })
    const key = { 'idempotency-key': randomUUID() }
    const early = await until('the acceptance waits for its lock', async () => {
      const answer = await deliver(worker)
      return answer.body.retryable && deliver(worker, key)
    })
    const other = await deliver(newAgent(world))

    await bondIsLocked(world, worker.id, id)
    await hiring

    assert.deepEqual([...said(early), early.body.retryable], [403, 'NOT_ASSIGNEE', true])
    assert.deepEqual([...said(other), other.body.retryable], [403, 'NOT_ASSIGNEE', undefined])
    assert.equal((await deliver(worker, key)).status, 200)
  })

  it('undoes the lock of an acceptance that lost against a withdrawal', async () => {
    const { id } = await postGig(world, poster, { bondRequired: 20 })
    await apply(world, worker, id)
    const gigs = world.platform.service('marketplace').platform.db.connection.collection<{ _id: string }>('gigs')
    world.lockBond = async (): Promise<'confirmed'> => {
      await gigs.updateOne({ _id: id }, { $set: { status: 'cancelled' }, $inc: { version: 1 } })
      return 'confirmed'
    }

    const answer = await accept(id, worker.id)

    assert.deepEqual(said(answer), [409, 'INVALID_STATE'])
    assert.deepEqual(world.undone, [`${worker.id}/${id}`])
  })

  it('offers a gig once at a time, and the recipient alone answers it, once', async () => {
    const { id } = await postGig(world, poster)
    const path = `/api/gigs/${id}/offer/${worker.id}`

    assert.deepEqual(said(await as(worker, 'POST', path, {})), [403, 'NOT_POSTER'])
    assert.deepEqual(said(await as(poster, 'POST', `/api/gigs/${id}/offer/${poster.id}`, {})), [400, 'SELF_ACTION'])
    assert.deepEqual(said(await as(poster, 'POST', `/api/gigs/${id}/offer/${stranger}`, {})), [404, 'NOT_FOUND'])
    const made = await Promise.all([as(poster, 'POST', path, { message: 'for you' }), as(poster, 'POST', path, { message: 'for you' })])
    assert.deepEqual(made.map(said).sort(), [
      [201, undefined],
      [409, 'ALREADY_EXISTS'],
    ])
    const { offerId } = made.find(answer => answer.status === 201)!.body
    const listed = await world.call('GET', `/api/agents/${worker.id}/offers`)
    assert.deepEqual([listed.body.total, listed.body.offers[0].gig.id, listed.body.offers[0].from.id], [1, id, poster.id])

    const respond = (who: TestAgent, body: object) => as(who, 'POST', `/api/offers/${offerId}/respond`, body)
    assert.deepEqual(said(await respond(poster, { action: 'accept' })), [403, 'FORBIDDEN'])
    const bad = await respond(worker, { action: 'maybe' })
    assert.deepEqual([bad.status, bad.body.errors[0].path], [400, 'action'])
    assert.deepEqual(said(await as(worker, 'POST', `/api/offers/${stranger}/respond`, { action: 'accept' })), [404, 'NOT_FOUND'])
    const answers = await Promise.all([respond(worker, { action: 'accept' }), respond(worker, { action: 'accept' })])
    assert.ok(answers.some(({ status }) => status === 200))
    for (const { status } of answers) assert.ok(status === 200 || status === 409)
    assert.deepEqual(said(await respond(worker, { action: 'decline' })), [409, 'INVALID_STATE'])
    const all = (await world.call('GET', `/api/agents/${worker.id}/offers?status=all`)).body
    assert.deepEqual([all.total, all.offers[0].status], [1, 'accepted'])
    assert.equal((await gigAs(world, id)).assigneeId, worker.id)
  })

  it('replays an offer with its idempotency key, also when the first answer was never kept', async () => {
    const { id } = await postGig(world, poster)
    const headers = { 'idempotency-key': randomUUID() }
    const request = () => as(poster, 'POST', `/api/gigs/${id}/offer/${worker.id}`, {}, headers)
    const first = await request()
    await world.platform.service('marketplace').platform.db.connection.collection('idempotency').deleteMany({})

    const retried = await request()

    assert.deepEqual([retried.status, retried.body.offerId], [201, first.body.offerId])
  })

  it('lets offers of a gig that is assigned, or that nobody answers in 72 hours, expire', async () => {
    const { id } = await postGig(world, poster)
    const second = await postGig(world, poster)
    const rival = newAgent(world)
    const { offerId } = await done(world, poster, 'POST', `/api/gigs/${id}/offer/${rival.id}`, {})
    const { offerId: silent } = await done(world, poster, 'POST', `/api/gigs/${second.id}/offer/${rival.id}`, {})
    const statusOf = async (wanted: string) => {
      const { offers } = (await world.call('GET', `/api/agents/${rival.id}/offers?status=all`)).body
      return offers.find((offer: { id: string }) => offer.id === wanted).status
    }
    await apply(world, worker, id)
    await done(world, poster, 'POST', `/api/gigs/${id}/accept-applicant`, { applicantAgentId: worker.id })
    await until('the offer of the assigned gig has expired', async () => (await statusOf(offerId)) === 'expired')
    assert.equal(await statusOf(silent), 'pending')

    await world.platform.advance(72 * 3600 + 1)
    await until('the other one has, too', async () => (await statusOf(silent)) === 'expired')

    assert.deepEqual(said(await as(rival, 'POST', `/api/offers/${silent}/respond`, { action: 'accept' })), [409, 'INVALID_STATE'])
    await done(world, poster, 'POST', `/api/gigs/${second.id}/offer/${rival.id}`, {})
  })

  it('declines an offer without touching the gig', async () => {
    const { id } = await postGig(world, poster)
    const { offerId } = await done(world, poster, 'POST', `/api/gigs/${id}/offer/${worker.id}`, {})

    const { offer, gig } = await done(world, worker, 'POST', `/api/offers/${offerId}/respond`, { action: 'decline' })

    assert.deepEqual([offer.status, gig.status], ['declined', 'open'])
  })

  it('tells of one assignment, however often the same acceptance comes', async () => {
    const told: string[] = []
    const consumer = await world.platform.bus.subscribe(
      { name: `test.${randomUUID()}`, exchange: 'events', bindings: ['marketplace.gig.assigned.v1'] },
      async event => void told.push(event.subject),
    )
    const { gigId } = await assignedGig(world)
    await until('it is told', () => told.includes(gigId))
    await gigIs(world, gigId, 'assigned')
    await consumer.close()

    assert.equal(told.filter(subject => subject === gigId).length, 1)
  })
})
