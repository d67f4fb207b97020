import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentUpdated } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { apply, assignedGig, decide, done, gigIs, postGig, type Work } from '../testing/gigs.ts'
import { type Harness, newAgent, startHarness, stranger } from '../testing/harness.ts'

describe('crews, comments and work logs over HTTP', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const as = (caller: TestAgent, method: string, path: string, body?: unknown, headers: object = {}) =>
    harness.call(method, path, { headers: { ...caller.headers, ...headers }, ...(body === undefined ? {} : { body }) })
  const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
  const newHandle = () => `crew-${randomUUID().slice(0, 8)}`

  /** A crew of a lead and a coder that have both joined. */
  const newCrew = async () => {
    const [lead, coder] = [newAgent(harness, { fusedScore: 36 }), newAgent(harness)]
    const crew = await done(harness, lead, 'POST', '/api/crews', {
      name: 'Shells',
      handle: newHandle(),
      members: [{ agentId: coder.id, role: 'CODER' }],
    })
    await done(harness, coder, 'POST', `/api/crews/${crew.id}/join`)
    return { lead, coder, crewId: crew.id as string }
  }
  const crewAtWork = async (): Promise<Work & Awaited<ReturnType<typeof newCrew>>> => {
    const crew = await newCrew()
    const poster = newAgent(harness)
    const { id: gigId } = await postGig(harness, poster, { crewGig: true, agencyMode: true, requiredRoles: ['CODER'] })
    await apply(harness, crew.lead, gigId, { crewId: crew.crewId })
    await done(harness, poster, 'POST', `/api/gigs/${gigId}/accept-applicant`, { applicantAgentId: crew.lead.id })
    return { ...crew, poster, worker: crew.lead, gigId }
  }

  describe('a crew', () => {
    it('is founded once for a handle, also by two concurrent requests, and once for an idempotency key', async () => {
      const handle = newHandle()
      const founders = [newAgent(harness), newAgent(harness)]
      const answers = await Promise.all(founders.map(founder => as(founder, 'POST', '/api/crews', { name: 'Shells', handle })))
      assert.deepEqual(answers.map(statusAndCode).sort(), [
        [201, undefined],
        [409, 'DUPLICATE_HANDLE'],
      ])

      const headers = { 'idempotency-key': randomUUID() }
      const body = { name: 'Shells', handle: newHandle() }
      const first = await as(founders[0]!, 'POST', '/api/crews', body, headers)
      const again = await as(founders[0]!, 'POST', '/api/crews', body, headers)
      assert.deepEqual([again.status, again.body.id], [201, first.body.id])
    })

    const wrong: [string, object][] = [
      ['name', { name: '' }],
      ['handle', { handle: 'A B' }],
      ['members.0.role', { members: [{ agentId: stranger, role: 'LEAD' }] }],
      ['members', { members: Array.from({ length: 10 }, () => ({ agentId: randomUUID(), role: 'CODER' })) }],
    ]
    for (const [field, fault] of wrong) {
      it(`is refused with a wrong ${field}`, async () => {
        const { status, body } = await as(newAgent(harness), 'POST', '/api/crews', { name: 'Shells', handle: newHandle(), ...fault })
        assert.deepEqual([status, body.errors[0].path], [400, field])
      })
    }

    it('names only agents that are there, and not its founder or one twice', async () => {
      const lead = newAgent(harness)
      const other = newAgent(harness)
      const found = (...ids: string[]) =>
        as(lead, 'POST', '/api/crews', { name: 'Shells', handle: newHandle(), members: ids.map(agentId => ({ agentId, role: 'CODER' })) })

      assert.deepEqual(statusAndCode(await found(stranger)), [404, 'NOT_FOUND'])
      assert.deepEqual(statusAndCode(await found(lead.id)), [400, 'SELF_ACTION'])
      assert.deepEqual(statusAndCode(await found(other.id, other.id)), [400, 'VALIDATION_ERROR'])
    })

    it('counts and scores only those who joined by themselves', async () => {
      const { lead, coder, crewId } = await newCrew()
      const invited = newAgent(harness)
      await done(harness, lead, 'POST', `/api/crews/${crewId}/invite`, { agentId: invited.id, role: 'DESIGNER' })

      const { body } = await harness.call('GET', `/api/crews/${crewId}`)

      assert.deepEqual([body.memberCount, body.crewScore, body.members.length], [2, 25.5, 3])
      assert.equal((await harness.call('GET', `/api/agents/${coder.id}/crews`)).body.total, 1)
      assert.equal((await harness.call('GET', `/api/agents/${invited.id}/crews`)).body.total, 0)
      const strong = (await harness.call('GET', '/api/crews?minScore=25&role=CODER')).body
      assert.ok(strong.crews.some((crew: { id: string }) => crew.id === crewId))
      assert.equal((await harness.call('GET', '/api/crews?role=DESIGNER')).body.total, 0)
      await done(harness, invited, 'POST', `/api/crews/${crewId}/join`, {})
      assert.equal((await harness.call('GET', '/api/crews?role=DESIGNER')).body.crews[0].id, crewId)
      assert.deepEqual(statusAndCode(await harness.call('GET', '/api/crews?minScore=x')), [400, 'VALIDATION_ERROR'])
    })

    it('is led by one: only the lead invites and removes, only the invited join', async () => {
      const { lead, coder, crewId } = await newCrew()
      const [other, outsider] = [newAgent(harness), newAgent(harness)]
      const invitation = { agentId: other.id, role: 'RESEARCHER' }

      assert.deepEqual(statusAndCode(await as(coder, 'POST', `/api/crews/${crewId}/invite`, invitation)), [403, 'NOT_CREW_LEAD'])
      const invitations = await Promise.all([1, 2].map(() => as(lead, 'POST', `/api/crews/${crewId}/invite`, invitation)))
      assert.deepEqual(
        invitations.map(({ status, body }) => [status, body.agentId]),
        [1, 2].map(() => [201, other.id]),
      )
      assert.deepEqual(statusAndCode(await as(lead, 'POST', `/api/crews/${crewId}/invite`, { ...invitation, role: 'DESIGNER' })), [
        409,
        'ALREADY_EXISTS',
      ])
      assert.deepEqual(statusAndCode(await as(outsider, 'POST', `/api/crews/${crewId}/join`)), [403, 'FORBIDDEN'])
      const joins = await Promise.all([1, 2].map(() => as(other, 'POST', `/api/crews/${crewId}/join`)))
      assert.deepEqual(
        joins.map(({ status, body }) => [status, body.memberCount]),
        [1, 2].map(() => [200, 3]),
      )
      assert.deepEqual(statusAndCode(await as(lead, 'POST', `/api/crews/${crewId}/invite`, invitation)), [409, 'ALREADY_EXISTS'])
      assert.deepEqual(statusAndCode(await as(coder, 'POST', `/api/crews/${crewId}/leave`, { agentId: other.id })), [403, 'NOT_CREW_LEAD'])
      assert.deepEqual(statusAndCode(await as(outsider, 'POST', `/api/crews/${crewId}/leave`, {})), [403, 'NOT_CREW_MEMBER'])
      for (const caller of [lead, lead, other])
        assert.equal((await as(caller, 'POST', `/api/crews/${crewId}/leave`, { agentId: other.id })).body.memberCount, 2)
      assert.deepEqual(statusAndCode(await as(other, 'POST', `/api/crews/${crewId}/join`)), [403, 'FORBIDDEN'])
      assert.deepEqual(statusAndCode(await as(lead, 'POST', `/api/crews/${stranger}/join`)), [404, 'NOT_FOUND'])
    })

    it('is joined and left once, however often that is requested, with a key or without', async () => {
      const { lead, crewId } = await newCrew()
      const other = newAgent(harness)
      /** Sends it with a key, again with that key when the first answer was never stored, and without one. */
      const thrice = async (caller: TestAgent, what: string, body: object) => {
        const say = (headers = {}) => as(caller, 'POST', `/api/crews/${crewId}/${what}`, body, headers)
        const key = { 'idempotency-key': randomUUID() }
        const first = await say(key)
        await harness.platform.forgetAnswers('marketplace')
        const again = await say(key)
        const once = await say()
        for (const { status, body } of [again, once]) assert.deepEqual([status, body], [first.status, first.body])
        return first.status
      }

      assert.equal(await thrice(lead, 'invite', { agentId: other.id, role: 'DESIGNER' }), 201)
      assert.equal(await thrice(other, 'join', {}), 200)
      assert.equal(await thrice(other, 'leave', {}), 200)
      assert.equal(await thrice(lead, 'leave', {}), 200)
    })

    it('is dissolved when its lead leaves, but nobody leaves while a gig runs', async () => {
      const { lead, coder, crewId } = await crewAtWork()
      assert.deepEqual(statusAndCode(await as(lead, 'POST', `/api/crews/${crewId}/leave`, {})), [409, 'INVALID_STATE'])
      assert.deepEqual(statusAndCode(await as(coder, 'POST', `/api/crews/${crewId}/leave`, {})), [409, 'INVALID_STATE'])

      const idle = await newCrew()
      await done(harness, idle.lead, 'POST', `/api/crews/${idle.crewId}/leave`, {})
      assert.deepEqual(statusAndCode(await as(idle.coder, 'POST', `/api/crews/${idle.crewId}/join`)), [409, 'INVALID_STATE'])
    })

    it('withdraws an invitation that nobody answers for 7 days', async () => {
      const { lead, crewId } = await newCrew()
      const invited = newAgent(harness)
      await done(harness, lead, 'POST', `/api/crews/${crewId}/invite`, { agentId: invited.id, role: 'CODER' })

      await harness.platform.advance(7 * 86_400 + 1)

      assert.deepEqual(statusAndCode(await as(invited, 'POST', `/api/crews/${crewId}/join`)), [403, 'FORBIDDEN'])
    })

    it('is hired for a crew gig only by its lead and with the required roles', async () => {
      const { lead, coder, crewId } = await newCrew()
      const { id } = await postGig(harness, newAgent(harness), { crewGig: true, requiredRoles: ['DESIGNER'] })
      const apply_ = (caller: TestAgent, body: object = { crewId }) => as(caller, 'POST', `/api/gigs/${id}/apply`, { proposal: 'we do it', ...body })

      for (const answer of [await apply_(coder), await apply_(lead), await apply_(lead, {}), await apply_(lead, { crewId: stranger })])
        assert.deepEqual(statusAndCode(answer), [403, 'CREW_NOT_ELIGIBLE'])
    })
  })

  describe('a comment', () => {
    it('is for parties and applicants; internal ones are for the parties alone', async () => {
      const { poster, worker, gigId } = await assignedGig(harness)
      const path = `/api/gigs/${gigId}/comments`
      await done(harness, poster, 'POST', path, { content: 'how far are you?' })
      await done(harness, worker, 'POST', path, { content: 'half', isInternal: true })

      assert.deepEqual(statusAndCode(await as(newAgent(harness), 'POST', path, { content: 'me too' })), [403, 'NOT_PARTY'])
      const empty = await as(poster, 'POST', path, { content: '' })
      assert.deepEqual([empty.status, empty.body.errors[0].path], [400, 'content'])
      const { body, headers } = await as(poster, 'GET', path)
      assert.deepEqual(
        body.map((comment: { content: string }) => comment.content),
        ['half', 'how far are you?'],
      )
      assert.equal(headers.get('x-total-count'), '2')
      assert.equal((await harness.call('GET', path)).body.length, 1)
      assert.equal((await as(newAgent(harness), 'GET', path)).body.length, 1)
    })

    it('is not internal by a member of the crew, who reads those of poster and lead', async () => {
      const { poster, lead, coder, gigId } = await crewAtWork()
      const path = `/api/gigs/${gigId}/comments`
      for (const agent of [poster, lead]) await done(harness, agent, 'POST', path, { content: 'between us', isInternal: true })

      assert.deepEqual(statusAndCode(await as(coder, 'POST', path, { content: 'me too', isInternal: true })), [403, 'NOT_PARTY'])
      await done(harness, coder, 'POST', path, { content: 'me too' })
      assert.equal((await as(coder, 'GET', path)).body.length, 3)
    })

    it('shows the handle and the avatar of its author, the new one too', async () => {
      const [poster, worker, avatar] = [newAgent(harness), newAgent(harness), 'https://example.org/me.png']
      harness.agents.get(poster.id)!.avatar = 'https://example.org/poster.png'
      const { id: gigId } = await postGig(harness, poster)
      await apply(harness, worker, gigId)
      await done(harness, poster, 'POST', `/api/gigs/${gigId}/accept-applicant`, { applicantAgentId: worker.id })
      // an application of its own has this service read the poster, whose registration no event reports here
      await apply(harness, poster, (await postGig(harness, newAgent(harness))).id)
      const path = `/api/gigs/${gigId}/comments`
      const profile = { handle: worker.handle, description: null, skills: [], verifiedSkills: [], externalLink: null, avatar }
      await harness.platform.publish(agentUpdated.of({ agentId: worker.id, ...profile }), 2)
      for (const agent of [poster, worker]) await done(harness, agent, 'POST', path, { content: 'hello' })

      const { body } = await harness.call('GET', path)

      assert.deepEqual(
        body.map(({ agent }: { agent: object }) => agent),
        [
          { handle: worker.handle, avatar },
          { handle: poster.handle, avatar: 'https://example.org/poster.png' },
        ],
      )
    })

    it('is written once for an idempotency key, also when the first answer was never stored, and deleted by its author alone, who may repeat the request', async () => {
      const { poster, worker, gigId } = await assignedGig(harness)
      const path = `/api/gigs/${gigId}/comments`
      const headers = { 'idempotency-key': randomUUID() }
      const first = await as(poster, 'POST', path, { content: 'hello' }, headers)
      await harness.platform.forgetAnswers('marketplace')
      const again = await as(poster, 'POST', path, { content: 'hello' }, headers)
      assert.equal(again.body.id, first.body.id)
      assert.equal((await as(poster, 'GET', path)).body.length, 1)

      const own = `${path}/${first.body.id}`
      assert.deepEqual(statusAndCode(await as(worker, 'DELETE', own)), [403, 'NOT_OWNER'])
      assert.deepEqual(statusAndCode(await as(poster, 'DELETE', own.replace(gigId, stranger))), [404, 'NOT_FOUND'])
      assert.equal((await as(poster, 'DELETE', own)).status, 200)
      assert.deepEqual([(await as(poster, 'GET', path)).body, (await as(poster, 'DELETE', own)).status], [[], 200])
      assert.deepEqual(statusAndCode(await as(worker, 'DELETE', own)), [404, 'NOT_FOUND'])
    })
  })

  describe('the plan and the work log of a crew gig', () => {
    it('are written by the crew, the plan and the judgement by its lead, without an agent id in the log', async () => {
      const { poster, lead, coder, gigId } = await crewAtWork()
      const plan = `/api/gigs/${gigId}/plan`
      const log = `/api/gigs/${gigId}/work-log`

      assert.deepEqual(statusAndCode(await as(coder, 'PATCH', plan, { gigPlan: 'mine' })), [403, 'NOT_CREW_LEAD'])
      assert.equal((await as(lead, 'PATCH', plan, { gigPlan: 'first read' })).body.gigPlan, 'first read')
      const long = await as(lead, 'PATCH', plan, { gigPlan: 'x'.repeat(10_001) })
      assert.deepEqual([long.status, long.body.errors[0].path], [400, 'gigPlan'])
      assert.deepEqual(statusAndCode(await as(poster, 'POST', log, { subtask: 'read', action: 'claimed' })), [403, 'NOT_CREW_MEMBER'])
      assert.deepEqual(statusAndCode(await as(coder, 'POST', log, { subtask: 'read', action: 'approved' })), [403, 'NOT_CREW_LEAD'])
      const bad = await as(coder, 'POST', log, { subtask: 'read', action: 'slept' })
      assert.deepEqual([bad.status, bad.body.errors[0].path], [400, 'action'])
      await done(harness, coder, 'POST', log, { subtask: 'read', action: 'claimed' })
      await done(harness, lead, 'POST', log, { subtask: 'read', action: 'approved' })

      const { body } = await harness.call('GET', log)

      assert.deepEqual(
        body.entries.map(({ identifier, action }: { identifier: string; action: string }) => [identifier, action]),
        [
          ['CODER#1', 'claimed'],
          [`@${lead.handle}`, 'approved'],
        ],
      )
      for (const id of [lead.id, coder.id]) assert.ok(!JSON.stringify(body).includes(id))
    })

    it('are closed when the gig has ended; in a dispute the log goes on and the plan, which is evidence, does not', async () => {
      const written = async ({ gigId, lead }: Awaited<ReturnType<typeof crewAtWork>>) => [
        (await as(lead, 'PATCH', `/api/gigs/${gigId}/plan`, { gigPlan: 'other' })).status,
        (await as(lead, 'POST', `/api/gigs/${gigId}/work-log`, { subtask: 'read', action: 'claimed' })).status,
      ]
      const gigs = await Promise.all([crewAtWork(), crewAtWork(), crewAtWork()])
      for (const { gigId, lead } of gigs) await done(harness, lead, 'POST', `/api/gigs/${gigId}/submit-deliverable`, { deliverableNote: 'done' })
      const [delivered, disputed, completed] = gigs
      await decide(harness, disputed, 'hold')
      await decide(harness, completed, 'release')
      await gigIs(harness, disputed.gigId, 'disputed')
      await gigIs(harness, completed.gigId, 'completed')

      assert.deepEqual(await written(delivered), [200, 201])
      assert.deepEqual(await written(disputed), [409, 201])
      assert.deepEqual(await written(completed), [409, 409])
    })

    it('are for assigned crew gigs only', async () => {
      const { worker, gigId } = await assignedGig(harness)

      assert.deepEqual(statusAndCode(await as(worker, 'PATCH', `/api/gigs/${gigId}/plan`, { gigPlan: 'x' })), [409, 'INVALID_STATE'])
      assert.deepEqual(statusAndCode(await as(worker, 'POST', `/api/gigs/${gigId}/work-log`, { subtask: 'x', action: 'claimed' })), [
        409,
        'INVALID_STATE',
      ])
    })
  })
})
