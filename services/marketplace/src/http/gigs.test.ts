import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestAgent } from '@carapace/testing'
import { assignedGig, decide, deliveredGig, done, gigAs, gigIs, postGig } from '../testing/gigs.ts'
import { draft, type Harness, newAgent, startHarness, stranger } from '../testing/harness.ts'

describe('gigs over HTTP', () => {
  let harness: Harness
  let poster: TestAgent
  before(async () => {
    harness = await startHarness()
    poster = newAgent(harness)
  })
  after(() => harness.close())

  const post = (body: object, headers: object = {}) => harness.call('POST', '/api/gigs', { body, headers: { ...poster.headers, ...headers } })
  const as = (caller: TestAgent, method: string, path: string, body?: unknown, headers: object = {}) =>
    harness.call(method, path, { headers: { ...caller.headers, ...headers }, ...(body === undefined ? {} : { body }) })
  const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

  it('are posted with the defaults of the API and read back by anybody, the plan by the poster only', async () => {
    const { status, body } = await post({ ...draft, gigPlan: 'first read' })

    assert.equal(status, 201)
    const { deadlineHours, currency, chain, status: state, escrowStatus, bondRequired, crewGig, poster: ref } = body
    assert.deepEqual(
      [deadlineHours, currency, chain, state, escrowStatus, bondRequired, crewGig],
      [72, 'USDC', 'BASE_SEPOLIA', 'open', 'none', 0, false],
    )
    assert.equal(body.gigPlan, 'first read')
    assert.equal(ref.id, poster.id)
    assert.equal((await gigAs(harness, body.id)).gigPlan, null)
    assert.equal((await gigAs(harness, body.id, poster)).gigPlan, 'first read')
  })

  const wrong: [string, object][] = [
    ['title', { title: ' ' }],
    ['title', { title: 'x'.repeat(201) }],
    ['description', { description: 5 }],
    ['budget', { budget: 0.001 }],
    ['budget', { budget: 50_000.01 }],
    ['budget', { budget: '40' }],
    ['currency', { currency: 'EUR' }],
    ['chain', { chain: 'BOTH' }],
    ['deadlineHours', { deadlineHours: 1.5 }],
    ['bondRequired', { bondRequired: -1 }],
    ['minCrewScore', { minCrewScore: 101 }],
    ['requiredRoles.0', { requiredRoles: ['CEO'] }],
    ['agencyMode', { agencyMode: true }],
    ['attachmentUrls.0', { attachmentUrls: ['ftp://example.org'] }],
    ['skillsRequired.0', { skillsRequired: ['§'] }],
  ]
  for (const [field, fault] of wrong) {
    it(`refuses ${JSON.stringify(fault).slice(0, 40)} and names ${field}`, async () => {
      const { status, body } = await post({ ...draft, ...fault })

      assert.deepEqual([status, body.code, body.errors[0].path], [400, 'VALIDATION_ERROR', field])
    })
  }

  it('of two equal requests with one idempotency key make one gig, at the same time and after the first has died before its answer was stored', async () => {
    const author = newAgent(harness)
    const headers = { 'idempotency-key': randomUUID() }
    const request = () => as(author, 'POST', '/api/gigs', draft, headers)

    const concurrent = await Promise.all([request(), request(), request()])
    const again = await request()
    await harness.platform.forgetAnswers('marketplace')
    const afterDeath = await request()

    for (const answer of concurrent) assert.ok(answer.status === 201 || answer.body.code === 'IDEMPOTENCY_IN_PROGRESS', JSON.stringify(answer.body))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([afterDeath.status, afterDeath.body.id], [201, again.body.id])
    const own = await harness.call('GET', `/api/gigs?posterId=${author.id}`)
    assert.equal(own.body.length, 1)
    assert.deepEqual(statusAndCode(await as(author, 'POST', '/api/gigs', { ...draft, budget: 41 }, headers)), [409, 'IDEMPOTENCY_KEY_REUSED'])
  })

  it('are listed as a bare array with its total, filtered by every field, newest first', async () => {
    const author = newAgent(harness)
    const cheap = await postGig(harness, author, { budget: 5, skillsRequired: ['rust'] })
    const dear = await postGig(harness, author, { budget: 90, chain: 'SKALE_TESTNET' })
    const list = async (query: string) => {
      const { body, headers } = await harness.call('GET', `/api/gigs?posterId=${author.id}&${query}`)
      return [body.map((gig: { id: string }) => gig.id), headers.get('x-total-count')]
    }

    assert.deepEqual(await list(''), [[dear.id, cheap.id], '2'])
    assert.deepEqual(await list('limit=1&offset=1'), [[cheap.id], '2'])
    assert.deepEqual(await list('skill=rust'), [[cheap.id], '1'])
    assert.deepEqual(await list('chain=SKALE_TESTNET'), [[dear.id], '1'])
    assert.deepEqual(await list('minBudget=5.01&maxBudget=90'), [[dear.id], '1'])
    assert.deepEqual(await list('status=assigned'), [[], '0'])
    for (const bad of ['status=gone', 'limit=0', 'offset=-1', 'minBudget=x', 'assigneeId=me'])
      assert.deepEqual(statusAndCode(await harness.call('GET', `/api/gigs?${bad}`)), [400, 'VALIDATION_ERROR'], bad)
  })

  it('are withdrawn by their poster while open, once', async () => {
    const { id } = await postGig(harness, poster)

    const foreign = await as(newAgent(harness), 'POST', `/api/gigs/${id}/cancel`)
    const answers = await Promise.all([as(poster, 'POST', `/api/gigs/${id}/cancel`), as(poster, 'POST', `/api/gigs/${id}/cancel`)])
    const late = await as(poster, 'POST', `/api/gigs/${id}/cancel`)

    assert.deepEqual(statusAndCode(foreign), [403, 'NOT_POSTER'])
    assert.deepEqual(answers.map(answer => answer.status).sort(), [200, 409])
    assert.deepEqual([late.body.code, late.body.details], ['INVALID_STATE', { state: 'cancelled', allowed: ['open'] }])
    assert.equal((await gigAs(harness, id)).closeReason, 'withdrawn')
  })

  it('are withdrawn again by a retry of the same request only', async () => {
    const poster = newAgent(harness)
    const { id } = await postGig(harness, poster)
    const cancel = (headers: object = {}) => harness.call('POST', `/api/gigs/${id}/cancel`, { headers: { ...poster.headers, ...headers } })
    const key = { 'idempotency-key': randomUUID() }
    const first = await cancel(key)
    await harness.platform.forgetAnswers('marketplace')

    const [retried, other] = [await cancel(key), await cancel()]

    assert.deepEqual([retried.status, retried.body], [200, first.body])
    assert.deepEqual([other.status, other.body.code], [409, 'INVALID_STATE'])
  })

  it('are delivered once, by the assignee, with a URL or a note that only those concerned see', async () => {
    const { poster: owner, worker, gigId } = await assignedGig(harness)
    const path = `/api/gigs/${gigId}/submit-deliverable`
    const delivery = { deliverableUrl: 'https://example.org/report' }

    assert.deepEqual(statusAndCode(await as(owner, 'POST', path, delivery)), [403, 'NOT_ASSIGNEE'])
    const empty = await as(worker, 'POST', path, {})
    assert.deepEqual([empty.status, empty.body.errors[0].path], [400, 'deliverableUrl'])
    const answers = await Promise.all([as(worker, 'POST', path, delivery), as(worker, 'POST', path, delivery)])

    assert.deepEqual(answers.map(answer => answer.status).sort(), [200, 409])
    assert.equal(answers.find(answer => answer.status === 200)!.body.status, 'pending_validation')
    assert.equal((await gigAs(harness, gigId, owner)).deliverable.url, delivery.deliverableUrl)
    assert.equal((await gigAs(harness, gigId)).deliverable, null)
    assert.deepEqual(statusAndCode(await as(worker, 'POST', path, delivery)), [409, 'INVALID_STATE'])
  })

  it('are not delivered before the assignment', async () => {
    const { id } = await postGig(harness, poster)
    assert.deepEqual(statusAndCode(await as(poster, 'POST', `/api/gigs/${id}/submit-deliverable`, { deliverableNote: 'done' })), [
      403,
      'NOT_ASSIGNEE',
    ])
  })

  it('end as the escrow decides: paid, refunded or held, and a late word changes nothing', async () => {
    const [paid, refunded, held] = [await deliveredGig(harness), await deliveredGig(harness), await assignedGig(harness)]

    await decide(harness, paid, 'release')
    await decide(harness, refunded, 'refund')
    await decide(harness, held, 'hold')
    await gigIs(harness, paid.gigId, 'completed')
    await gigIs(harness, refunded.gigId, 'cancelled')
    await gigIs(harness, held.gigId, 'disputed')
    await decide(harness, paid, 'refund', 2)

    const into = await as(held.worker, 'POST', `/api/gigs/${held.gigId}/submit-deliverable`, { deliverableNote: 'see here' })
    assert.deepEqual([into.status, into.body.status], [200, 'disputed'])
    assert.equal((await gigAs(harness, refunded.gigId)).closeReason, 'rejected')
    assert.equal((await gigAs(harness, paid.gigId)).status, 'completed')
  })

  it('have a fee estimate for the caller that adds up', async () => {
    const { id } = await postGig(harness, poster, { budget: 33.333333 })

    const { body } = await as(newAgent(harness), 'GET', `/api/gigs/${id}/fee-estimate`)

    assert.deepEqual([body.effectiveFee, body.estimatedFeeUSDC, body.netAmountUSDC], [3, 1, 32.333333])
    assert.deepEqual(statusAndCode(await harness.call('GET', `/api/gigs/${id}/fee-estimate`)), [401, 'AUTH_REQUIRED'])
  })

  it('of an agent are listed by its role', async () => {
    const { poster: owner, worker, gigId } = await assignedGig(harness)
    const ids = async (caller: TestAgent, query: string) =>
      (await harness.call('GET', `/api/agents/${caller.id}/gigs${query}`)).body.gigs.map((gig: { id: string }) => gig.id)

    assert.deepEqual(await ids(owner, ''), [gigId])
    assert.deepEqual(await ids(owner, '?role=assignee'), [])
    assert.deepEqual(await ids(worker, '?role=assignee&status=assigned'), [gigId])
    assert.deepEqual((await harness.call('GET', `/api/agents/${worker.handle}/gigs`)).body.agent.id, worker.id)
    assert.deepEqual(statusAndCode(await harness.call('GET', `/api/agents/${stranger}/gigs`)), [404, 'NOT_FOUND'])
  })

  const unknown: [string, string, object?][] = [
    ['GET', `/api/gigs/${stranger}`],
    ['POST', `/api/gigs/${stranger}/cancel`],
    ['POST', `/api/gigs/${stranger}/submit-deliverable`, { deliverableNote: 'x' }],
    ['GET', `/api/gigs/${stranger}/fee-estimate`],
    ['GET', `/api/gigs/${stranger}/comments`],
    ['GET', `/api/gigs/${stranger}/work-log`],
    ['GET', `/api/gigs/${stranger}/applicants`],
    ['POST', `/api/gigs/${stranger}/apply`, { proposal: 'x' }],
    ['POST', `/api/gigs/${stranger}/accept-applicant`, { applicantAgentId: stranger }],
    ['POST', `/api/gigs/${stranger}/comments`, { content: 'x' }],
    ['PATCH', `/api/gigs/${stranger}/plan`, { gigPlan: 'x' }],
    ['POST', `/api/gigs/${stranger}/work-log`, { subtask: 'x', action: 'claimed' }],
  ]
  for (const [method, path, body] of unknown) {
    it(`${method} ${path.replace(stranger, ':id')} says that an unknown gig is not found, and that a malformed id is none`, async () => {
      assert.deepEqual(statusAndCode(await as(poster, method, path, body)), [404, 'NOT_FOUND'])
      assert.deepEqual(statusAndCode(await as(poster, method, path.replace(stranger, 'a%20b'), body)), [400, 'VALIDATION_ERROR'])
    })
  }

  it('expire by time alone: open ones after 30 days, assigned ones a day after their deadline', async () => {
    const { id } = await postGig(harness, poster)
    const missed = await assignedGig(harness, { deadlineHours: 1 })

    await harness.platform.advance(26 * 3600)
    await gigIs(harness, missed.gigId, 'cancelled')
    assert.equal((await gigAs(harness, missed.gigId)).closeReason, 'deadline_missed')
    const late = await as(missed.worker, 'POST', `/api/gigs/${missed.gigId}/submit-deliverable`, { deliverableNote: 'sorry' })
    assert.deepEqual(statusAndCode(late), [409, 'INVALID_STATE'])

    await harness.platform.advance(30 * 86_400)
    await gigIs(harness, id, 'cancelled')
    assert.equal((await gigAs(harness, id)).closeReason, 'expired')
  })

  it('answer an unchanged gig with 304', async () => {
    const { id } = await postGig(harness, poster)
    const { headers } = await harness.call('GET', `/api/gigs/${id}`)

    assert.equal((await harness.call('GET', `/api/gigs/${id}`, { headers: { 'if-none-match': headers.get('etag')! } })).status, 304)
    await done(harness, poster, 'POST', `/api/gigs/${id}/cancel`)
    assert.equal((await harness.call('GET', `/api/gigs/${id}`, { headers: { 'if-none-match': headers.get('etag')! } })).status, 200)
  })
})
