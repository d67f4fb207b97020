import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestAgent, until } from '@carapace/testing'
import { deliveredGig, openCase, read, seated, submitted, validationsOf, vote, votes } from '../testing/cases.ts'
import { type Harness, newAgent, oracle, startHarness, stranger } from '../testing/harness.ts'

const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('validations over HTTP', () => {
  let harness: Harness & { validators: TestAgent[] }
  before(async () => {
    harness = await startHarness(9)
  })
  after(() => harness.close())

  const as = (caller: TestAgent, path: string, body: unknown, headers: object = {}) =>
    harness.call('POST', path, { body, headers: { ...caller.headers, ...headers } })
  const validate = (caller: TestAgent, body: object, headers: object = {}) => as(caller, '/api/swarm/validate', body, headers)

  describe('opening', () => {
    it('follows the submission with the quorum of the budget, once however often it is published', async () => {
      const { gigId, poster, assignee, validationId, panel } = await openCase(harness)
      await harness.platform.publish(submitted(harness.gigs.get(gigId)!))

      const { status, threshold, candidateCount, weak, round } = await read(harness, validationId)

      assert.deepEqual([status, threshold, candidateCount, weak, round, panel.length], ['pending', 2, 3, false, 1, 3])
      assert.ok(!panel.includes(poster.id) && !panel.includes(assignee.id))
      assert.equal((await validationsOf(harness, gigId)).length, 1)
    })

    it('accepts other numbers once: of two concurrent ones one wins, and after a vote none', async () => {
      const { gigId, poster, validationId } = await openCase(harness)
      const numbers = { gigId, candidateCount: 5, threshold: 3 }

      const answers = await Promise.all([validate(poster, numbers), validate(poster, numbers)])

      assert.deepEqual(answers.map(statusAndCode).sort(), [
        [201, undefined],
        [409, 'ALREADY_EXISTS'],
      ])
      const { body } = answers.find(answer => answer.status === 201)!
      assert.deepEqual(
        [body.validationId, body.selectedValidators.length, body.threshold, body.rewards],
        [validationId, 5, 3, { perValidator: 0.1, currency: 'USDC' }],
      )
      const voted = await openCase(harness)
      await votes(harness, voted, 1, 'approve')
      assert.deepEqual(statusAndCode(await validate(voted.poster, { gigId: voted.gigId })), [409, 'ALREADY_EXISTS'])
    })

    it('is opened by the request itself when that comes before the event, with a default threshold above half', async () => {
      const [poster, assignee] = [await newAgent(harness), await newAgent(harness)]
      const gig = deliveredGig(harness, poster, assignee)

      const { status, body } = await validate(poster, { gigId: gig.gigId, candidateCount: 4 })
      await harness.platform.publish(submitted(gig))

      assert.deepEqual([status, body.candidateCount, body.threshold], [201, 4, 3])
      assert.equal((await validationsOf(harness, gig.gigId)).length, 1)
    })

    it('finds its numbers set by a retry whose first answer was never stored', async () => {
      const { gigId, poster } = await openCase(harness)
      const headers = { 'idempotency-key': randomUUID() }
      const first = await validate(poster, { gigId, candidateCount: 5, threshold: 3 }, headers)
      await harness.platform.forgetAnswers('swarm')

      const retried = await validate(poster, { gigId, candidateCount: 5, threshold: 3 }, headers)

      assert.deepEqual([retried.status, retried.body], [201, first.body])
    })

    it('replays with the idempotency key', async () => {
      const { gigId, poster } = await openCase(harness)
      const headers = { 'idempotency-key': randomUUID() }
      const first = await validate(poster, { gigId }, headers)
      const again = await validate(poster, { gigId }, headers)

      assert.deepEqual([first.status, again.body, again.headers.get('idempotency-replayed')], [201, first.body, 'true'])
      assert.deepEqual(statusAndCode(await validate(poster, { gigId, threshold: 2 }, headers)), [409, 'IDEMPOTENCY_KEY_REUSED'])
    })

    it('is for the poster and the oracle', async () => {
      const { gigId, assignee } = await openCase(harness)

      assert.deepEqual(statusAndCode(await validate(assignee, { gigId })), [403, 'NOT_POSTER'])
      assert.deepEqual(statusAndCode(await harness.call('POST', '/api/swarm/validate', { body: { gigId } })), [401, 'AUTH_REQUIRED'])
      assert.equal((await harness.call('POST', '/api/swarm/validate', { body: { gigId }, headers: oracle })).status, 201)
    })

    it('refuses gigs that are not delivered or not known, numbers out of bounds, and a panel that cannot be had', async () => {
      const { gigId, poster } = await openCase(harness)
      const other = deliveredGig(harness, poster, await newAgent(harness), { status: 'assigned' })

      const early = await validate(poster, { gigId: other.gigId })
      assert.deepEqual([...statusAndCode(early), early.body.details.state], [409, 'INVALID_STATE', 'assigned'])
      assert.deepEqual(statusAndCode(await validate(poster, { gigId: stranger })), [404, 'NOT_FOUND'])
      const wrong: [string, object][] = [
        ['gigId', { gigId: 'x' }],
        ['candidateCount', { candidateCount: 16 }],
        ['candidateCount', { candidateCount: 1.5 }],
        ['threshold', { threshold: 0 }],
        ['threshold', { candidateCount: 3, threshold: 4 }],
      ]
      for (const [field, fault] of wrong) {
        const { status, body } = await validate(poster, { gigId, ...fault })
        assert.deepEqual([status, body.errors[0].path], [400, field], JSON.stringify(fault))
      }
    })
  })

  describe('a vote', () => {
    it('is counted once and recorded on chain, its reasoning hidden until the verdict', async () => {
      const { validationId, panel } = await openCase(harness)

      const answers = await Promise.all([1, 2].map(() => vote(harness, validationId, panel[0]!, 'approve')))

      assert.deepEqual(answers.map(statusAndCode).sort(), [
        [200, undefined],
        [409, 'ALREADY_VOTED'],
      ])
      const { body } = answers.find(answer => answer.status === 200)!
      assert.deepEqual([body.validation.voteCount, body.vote.reasoning, body.resolution, body.onChain.status], [1, null, null, 'confirmed'])
      assert.equal(harness.commands.filter(command => command.opKey.startsWith(`swarm.vote:${validationId}`)).length, 1)
      await votes(harness, { validationId, panel: panel.slice(1) }, 1, 'approve')
      const listed = (await harness.call('GET', `/api/validations/${validationId}/votes`)).body
      assert.deepEqual([listed.validation.status, listed.votes.length, listed.votes[0].reasoning], ['approved', 2, 'because'])
      assert.deepEqual((await harness.call('GET', `/api/swarm/validations/${validationId}/votes`)).body, listed)
      assert.deepEqual(statusAndCode(await vote(harness, validationId, panel[2]!, 'reject')), [409, 'VALIDATION_RESOLVED'])
    })

    it('replays with its idempotency key, also when the first answer was never stored', async () => {
      const { validationId, panel } = await openCase(harness)
      const headers = { 'idempotency-key': randomUUID() }
      const first = await vote(harness, validationId, panel[0]!, 'approve', headers)
      await harness.platform.forgetAnswers('swarm')
      const retried = await vote(harness, validationId, panel[0]!, 'approve', headers)
      const replayed = await vote(harness, validationId, panel[0]!, 'approve', headers)

      assert.deepEqual([retried.status, retried.body.vote.id], [200, first.body.vote.id])
      assert.equal(replayed.headers.get('idempotency-replayed'), 'true')
      assert.equal((await read(harness, validationId)).voteCount, 1)
    })

    it('does not wait for the chain when the caller prefers that', async () => {
      const { validationId, panel } = await openCase(harness)
      harness.chain = () => 'wait'
      const { status, body } = await vote(harness, validationId, panel[0]!, 'approve', { prefer: 'respond-async' })
      harness.chain = () => 'confirm'

      assert.deepEqual([status, body.onChain.status, body.validation.voteCount], [202, 'pending', 1])
      assert.equal((await harness.platform.call('get', body.statusUrl)).body.id, validationId)
    })

    it('is for the panel, in its own name, and is one of two words', async () => {
      const { validationId, panel, poster } = await openCase(harness)

      assert.deepEqual(statusAndCode(await vote(harness, validationId, poster.id, 'approve')), [403, 'NOT_VALIDATOR'])
      assert.deepEqual(statusAndCode(await vote(harness, validationId, panel[0]!, 'approve', { 'x-agent-id': panel[1]! })), [403, 'FORBIDDEN'])
      assert.deepEqual(statusAndCode(await vote(harness, stranger, panel[0]!, 'approve')), [404, 'NOT_FOUND'])
      const bad = await vote(harness, validationId, panel[0]!, 'pass' as never)
      assert.deepEqual([bad.status, bad.body.errors[0].path], [400, 'vote'])
      const alias = await harness.call('POST', '/api/validations/vote', {
        body: { validationId, voterId: panel[0]!, vote: 'reject' },
        headers: { 'x-agent-id': panel[0]!, 'x-wallet-address': '0x1' },
      })
      assert.equal(alias.status, 200)
    })

    it('of all at the same time is lost by none', async () => {
      const { gigId, poster } = await openCase(harness)
      const { body } = await validate(poster, { gigId, candidateCount: 5, threshold: 5 })

      const panel = body.selectedValidators.map((agent: { id: string }) => agent.id)
      const answers = await Promise.all(panel.map((id: string) => vote(harness, body.validationId, id, 'approve')))

      assert.deepEqual(
        answers.map(answer => answer.status),
        [200, 200, 200, 200, 200],
      )
      assert.equal((await read(harness, body.validationId)).status, 'approved')
    })
  })

  describe('time alone', () => {
    it('replaces the silent, then opens a second round with a fresh panel, then ends without a verdict', async () => {
      const { gigId, validationId, panel } = await openCase(harness)
      await harness.platform.advance(36 * 3600 + 1)
      const replaced = await until('the silent are replaced', async () => {
        const now = await read(harness, validationId)
        return seated(now).every(id => !panel.includes(id)) && now
      })
      assert.equal(replaced.candidateCount, 3)
      assert.deepEqual(statusAndCode(await vote(harness, validationId, panel[0]!, 'approve')), [403, 'NOT_VALIDATOR'])

      await harness.platform.advance(36 * 3600 + 1)
      const second = await until('the second round is open', async () =>
        (await validationsOf(harness, gigId)).find((one: { round: number }) => one.round === 2),
      )
      assert.equal((await read(harness, validationId)).status, 'expired')
      assert.equal(second.parentValidationId, validationId)

      await harness.platform.advance(72 * 3600 + 1)
      await until('it has expired, too', async () => (await read(harness, second.id)).status === 'expired')
      assert.equal((await validationsOf(harness, gigId)).length, 2)
    })
  })

  it('are listed by gig, agent and status, and unknown or malformed ids say so', async () => {
    const { gigId, validationId, panel } = await openCase(harness)
    const list = async (path: string) => (await harness.call('GET', path)).body

    assert.deepEqual((await list(`/api/swarm/validations?gigId=${gigId}&status=pending`)).total, 1)
    assert.deepEqual((await list(`/api/swarm/validations?gigId=${gigId}&status=expired`)).total, 0)
    const own = await list(`/api/swarm/validations/agent/${panel[0]}?status=pending`)
    assert.ok(own.validations.some((one: { id: string }) => one.id === validationId))
    const pending = await list(`/api/agents/${panel[0]}/swarm/pending-votes`)
    assert.ok(pending.pendingVotes.some((one: { validationId: string }) => one.validationId === validationId))
    await vote(harness, validationId, panel[0]!, 'reject')
    const after = await Promise.all(panel.map(id => list(`/api/agents/${id}/swarm/pending-votes`)))
    assert.deepEqual(
      after.map(({ pendingVotes }) => pendingVotes.some((one: { validationId: string }) => one.validationId === validationId)),
      panel.map((_, seat) => seat > 0),
    )
    for (const path of [
      `/api/swarm/validations/${stranger}`,
      `/api/validations/${stranger}/votes`,
      `/api/agents/${stranger}/swarm/pending-votes`,
      `/api/swarm/validations/agent/${stranger}`,
      `/api/swarm/claimable-rewards/${stranger}`,
    ])
      assert.deepEqual(statusAndCode(await harness.call('GET', path)), [404, 'NOT_FOUND'], path)
    for (const path of ['/api/swarm/validations?status=x', '/api/swarm/validations?limit=0', '/api/swarm/validations/a%20b'])
      assert.deepEqual(statusAndCode(await harness.call('GET', path)), [400, 'VALIDATION_ERROR'], path)
  })
})
