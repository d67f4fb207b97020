import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { identityApi } from '@carapace/api'
import { corrected, released, until } from '@carapace/testing'
import { type Harness, startHarness, type TestAgent } from '../testing/harness.ts'
import { challengeFor } from './challenges.ts'

describe('skills', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const attach = (agent: TestAgent, skillName: string, more: object = {}) =>
    harness.call('POST', '/api/agent-skills', { body: { agentId: agent.id, skillName, ...more }, headers: agent.headers })
  const skillsOf = async (agent: TestAgent) => (await harness.call('GET', `/api/agents/${agent.id}/skills`)).body
  const good = () => {
    const { keywords } = challengeFor('solidity')!
    return `# Plan\n\n- ${keywords.join(' ')}\n\n${Array.from({ length: 160 }, () => 'word').join(' ')}`
  }

  it('named at registration are declared; attaching one says more of it, twice is 409', async () => {
    const agent = await harness.agent({ skills: ['rust'] })

    const first = await attach(agent, 'Rust', { mcpEndpoint: 'https://example.org/mcp' })
    const second = await attach(agent, 'rust')

    assert.equal(first.status, 201)
    assert.equal(first.body.mcpEndpoint, 'https://example.org/mcp')
    assert.equal(second.status, 409)
    assert.equal(second.body.code, 'ALREADY_EXISTS')
    const { skills, total, agent: ref } = await skillsOf(agent)
    assert.equal(total, 1)
    assert.equal(ref.id, agent.id)
    assert.deepEqual([skills[0].status, skills[0].tier, skills[0].trustScore], ['unverified', 0, 0])
    assert.deepEqual((await harness.call('GET', `/api/agent-skills/${agent.handle}`)).body.skills, skills)
  })

  it('are read with the profile by one call, by id or handle, as the public reads answer', async () => {
    const agent = await harness.agent({ skills: ['rust'] })
    const { peers } = harness.platform.service('identity').platform
    const read = (id: string) => peers.find('identity', identityApi.internal.getProfileWithSkills, { params: { id } })

    const found = await read(agent.id)

    assert.deepEqual(found?.agent, (await harness.call('GET', `/api/agents/handle/${agent.handle}`)).body)
    assert.deepEqual(found?.skills, (await skillsOf(agent)).skills)
    assert.equal(found?.skills.length, 1)
    assert.deepEqual(await read(agent.handle.toUpperCase()), found)
    assert.equal(await read(randomUUID()), undefined)
  })

  it('of equal concurrent requests one attaches, and 20 is the most', async () => {
    const agent = await harness.agent()
    const answers = await Promise.all([1, 2, 3].map(() => attach(agent, 'go')))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    await harness.call('PATCH', `/api/agents/${agent.id}`, {
      body: { skills: Array.from({ length: 20 }, (_, at) => `s${at}`) },
      headers: agent.headers,
    })
    assert.equal((await attach(agent, 'one-more')).status, 400)
  })

  it('are removed by their owner only', async () => {
    const [owner, other] = [await harness.agent(), await harness.agent()]
    const { id } = (await attach(owner, 'go')).body

    const foreign = await harness.call('DELETE', `/api/agent-skills/${id}`, { headers: other.headers })
    const own = await harness.call('DELETE', `/api/agent-skills/${id}`, { headers: owner.headers })
    const again = await harness.call('DELETE', `/api/agent-skills/${id}`, { headers: owner.headers })

    assert.deepEqual([foreign.status, foreign.body.code], [403, 'NOT_OWNER'])
    assert.deepEqual([own.status, own.body.id], [200, id])
    assert.deepEqual([again.status, again.body], [own.status, own.body])
    assert.equal((await harness.call('DELETE', `/api/agent-skills/${id}`, { headers: other.headers })).status, 404)
    assert.equal((await skillsOf(owner)).total, 0)
  })

  it('gain trust once per kind of evidence, up to partial without a proof', async () => {
    const agent = await harness.agent({ skills: ['rust'] })
    const portfolio = () =>
      harness.call('POST', `/api/agents/${agent.id}/skills/rust/portfolio`, {
        body: { portfolioUrl: 'https://example.org/me' },
        headers: agent.headers,
      })
    await portfolio()
    const twice = await portfolio()
    const linked = await harness.call('POST', `/api/agents/${agent.id}/skills/rust/github`, {
      body: { repoUrl: 'https://github.com/someone/thing' },
      headers: agent.headers,
    })

    assert.deepEqual([twice.body.trustScore, twice.body.status], [15, 'partial'])
    assert.deepEqual([linked.body.trustScore, linked.body.checked], [35, false])
    const missing = await harness.call('POST', `/api/agents/${agent.id}/skills/cobol/portfolio`, {
      body: { portfolioUrl: 'https://example.org' },
      headers: agent.headers,
    })
    assert.equal(missing.status, 404)
    const review = await harness.call('POST', `/api/agents/${agent.id}/skills/submit-portfolio`, {
      body: { skill: 'rust', portfolioUrl: 'https://example.org/me' },
      headers: agent.headers,
    })
    assert.equal(review.body.status, 'pending_review')
    const { verifications } = (await harness.call('GET', `/api/agents/${agent.id}/skills/verifications`)).body
    assert.deepEqual(verifications.map(({ method }: { method: string }) => method).sort(), ['github', 'portfolio', 'portfolio', 'portfolio'])
    assert.deepEqual((await harness.call('GET', `/api/agents/${agent.id}/verified-skills`)).body, { agentId: agent.id, verifiedSkills: [], count: 0 })
  })

  it('are proven by a challenge: an open attempt is given again, a graded one rests for a day', async () => {
    const agent = await harness.agent()
    const attempt = () => harness.call('POST', '/api/skill-challenges/solidity/attempt', { body: { agentId: agent.id }, headers: agent.headers })
    const submit = (answer: string) =>
      harness.call('POST', '/api/skill-challenges/solidity/submit', { body: { agentId: agent.id, answer }, headers: agent.headers })

    assert.equal((await submit(good())).status, 409)
    const [first, second] = await Promise.all([attempt(), attempt()])
    assert.deepEqual([first.status, second.status].sort(), [200, 201])
    assert.equal(first.body.attemptId, second.body.attemptId)
    const graded = await Promise.all([submit(good()), submit(good())])
    const passed = graded.find(({ status }) => status === 200)!

    assert.deepEqual(graded.map(({ status }) => status).sort(), [200, 409])
    assert.deepEqual([passed.body.passed, passed.body.score, passed.body.trustScore, passed.body.status], [true, 100, 60, 'verified'])
    assert.deepEqual((await harness.call('GET', `/api/agents/${agent.id}`)).body.verifiedSkills, ['solidity'])
    const resting = await attempt()
    assert.deepEqual([resting.status, resting.body.code], [429, 'COOLDOWN_ACTIVE'])
    assert.ok(Number(resting.headers.get('retry-after')) > 0)
    const unknown = await harness.call('POST', '/api/skill-challenges/juggling/attempt', { body: { agentId: agent.id }, headers: agent.headers })
    assert.equal(unknown.status, 404)
  })

  it('reach the highest tier by paid gigs for three posters of standing, each gig counted once', async () => {
    const agent = await harness.agent({ skills: ['audit'] })
    const paid = (posterScore: number, gigId: string = randomUUID()) =>
      released({ gigId, assigneeId: agent.id, skillsRequired: ['audit', 'other'], posterScore })
    const tier = async () => (await skillsOf(agent)).skills[0].tier

    const same = randomUUID()
    await harness.platform.publish(paid(60, same))
    await harness.platform.publish(paid(60, same))
    await until('used once', async () => (await tier()) === 3)
    await harness.platform.publish(paid(70))
    await harness.platform.publish(paid(15))
    await harness.platform.publish(paid(50))
    await until('used for three of standing', async () => (await tier()) === 4)
    assert.equal((await skillsOf(agent)).skills[0].trustScore, 10)
  })

  it('lose the gig whose payment is reversed for good, and with the last one the trust of gigs', async () => {
    const agent = await harness.agent({ skills: ['audit'] })
    const [early, lost, remade] = [randomUUID(), randomUUID(), randomUUID()]
    const paid = (gigId: string) => released({ gigId, assigneeId: agent.id, skillsRequired: ['audit'], posterScore: 60 })
    const reversed = (gigId: string, unpaid: boolean) => corrected({ gigId, assigneeId: agent.id, status: unpaid ? 'refunded' : 'locked', unpaid })
    const skill = async () => {
      const { tier, trustScore, status } = (await skillsOf(agent)).skills[0]
      return [tier, trustScore, status]
    }
    const verified = async () => (await harness.call('GET', `/api/agents/${agent.id}`)).body.verifiedSkills

    // events come in any order
    await harness.platform.publish(reversed(early, true))
    for (const gigId of [early, lost, remade]) await harness.platform.publish(paid(gigId))
    await until('used', async () => (await skill())[0] === 3)
    await harness.platform.publish(reversed(remade, false))
    await harness.platform.publish(reversed(lost, true))
    assert.deepEqual([await skill(), await verified()], [[3, 10, 'verified'], ['audit']])
    await harness.platform.publish(reversed(remade, true))
    await until('it is verified no more', async () => (await skill())[0] === 0)

    assert.deepEqual([await skill(), await verified()], [[0, 0, 'unverified'], []])
  })

  it('are not checked at GitHub unless that is allowed', async () => {
    const agent = await harness.agent({ skills: ['rust'] })
    await harness.call('POST', `/api/agents/${agent.id}/skills/link-github`, { body: { githubHandle: 'octo-cat' }, headers: agent.headers })
    await harness.call('POST', `/api/agents/${agent.id}/skills/rust/github`, {
      body: { repoUrl: 'https://github.com/octo-cat/x' },
      headers: agent.headers,
    })
    const sync = () => harness.call('POST', '/api/github/sync-all', { body: { agentId: agent.id } })

    const stranger = await harness.agent()
    const foreign = await harness.call('POST', '/api/github/sync-all', { body: { agentId: agent.id }, headers: stranger.headers })
    const first = await sync()
    const second = await sync()

    assert.deepEqual([foreign.status, foreign.body.code], [403, 'FORBIDDEN'])
    assert.equal(first.status, 202)
    assert.deepEqual([first.body.queued, first.body.synced, first.body.results], [1, 0, [{ skill: 'rust', status: 'unchecked' }]])
    assert.equal(second.status, 429)
  })
})
