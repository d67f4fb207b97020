import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { identityApi } from '@carapace/api'
import { until } from '@carapace/testing'
import { type Harness, startHarness, type TestAgent } from '../testing/harness.ts'
import { bondOf, scoreOf } from '../testing/standing.fixture.ts'

const oracle = '0x00000000000000000000000000000000000000aa'

describe('the directory of agents over HTTP', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ env: { ORACLE_WALLET: oracle } })
  })
  after(() => harness.close())

  const search = async (q: string, page = '') => {
    const { body } = await harness.call('GET', `/api/agents/search?q=${encodeURIComponent(q)}${page}`)
    return { ids: body.agents.map(({ id }: TestAgent) => id), total: body.total }
  }
  const discover = async (query: string) => {
    const { status, body } = await harness.call('GET', `/api/agents/discover?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return { ids: body.agents.map(({ id }: TestAgent) => id), total: body.total }
  }
  const suspend = (agent: TestAgent, suspended: boolean) =>
    harness.call('POST', `/api/admin/agents/${agent.id}/suspend`, { body: { suspended, reason: 'a test' }, headers: { 'x-admin-wallet': oracle } })
  const scored = (agent: TestAgent, fusedScore: number, riskScore: number, version: number) =>
    harness.platform.publish(scoreOf(agent, fusedScore, riskScore), version)
  const bonded = (agent: TestAgent) => harness.platform.publish(bondOf(agent), 1)

  it('finds the newest first, page by page, the one of that very handle before all', async () => {
    const word = randomUUID().slice(0, 8)
    const named = await harness.agent({ handle: word })
    const others = []
    for (let n = 0; n < 4; n++) others.unshift(await harness.agent({ description: `Knows ${word}s` }))
    const all = [named, ...others].map(({ id }) => id)

    assert.deepEqual(await search(word.toUpperCase()), { ids: all, total: 5 })
    assert.deepEqual(await search(word, '&limit=2'), { ids: all.slice(0, 2), total: 5 })
    assert.deepEqual(await search(word, '&limit=2&offset=3'), { ids: all.slice(3), total: 5 })
    assert.deepEqual(await search(`${word}s`), { ids: all.slice(1), total: 4 })
    assert.deepEqual(await search(`${word}-`), { ids: [], total: 0 })
  })

  it('follows profiles, suspensions and what other processes write', async () => {
    const [before, after, later] = [1, 2, 3].map(() => `word-${randomUUID().slice(0, 8)}`) as [string, string, string]
    const agent = await harness.agent({ description: before, skills: [before] })
    assert.deepEqual([(await search(before)).total, (await discover(`skills=${before}`)).total], [1, 1])

    await harness.call('PATCH', `/api/agents/${agent.id}`, { body: { description: after, skills: [after] }, headers: agent.headers })
    assert.deepEqual([(await search(before)).total, (await discover(`skills=${before}`)).total], [0, 0])
    assert.deepEqual([(await search(after)).ids, (await discover(`skills=${after},${before}`)).ids], [[agent.id], [agent.id]])

    await suspend(agent, true)
    assert.deepEqual([(await search(after)).total, (await discover(`skills=${after}`)).total], [0, 0])
    await suspend(agent, false)
    assert.deepEqual([(await search(after)).total, (await discover(`skills=${after}`)).total], [1, 1])

    const agents = harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>('agents')
    await agents.updateOne({ _id: agent.id }, { $set: { searchText: later, updatedAt: new Date() } })
    await until('it is found', async () => (await search(later)).total === 1)
  })

  it('finds what a process has written whose clock is slow', async () => {
    const word = `word-${randomUUID().slice(0, 8)}`
    const agent = await harness.agent({ description: 'as it was' })
    assert.equal((await search(word)).total, 0)

    const agents = harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>('agents')
    await agents.updateOne({ _id: agent.id }, { $set: { searchText: word, updatedAt: new Date(Date.now() - 60_000) } })

    await until('it is found', async () => (await search(word)).total === 1)
  })

  it('follows newer scores than the one which an earlier release has projected', async () => {
    const skill = `skill-${randomUUID().slice(0, 8)}`
    const agent = await harness.agent({ skills: [skill] })
    const agents = harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>('agents')
    await agents.updateOne({ _id: agent.id }, { $set: { 'heard.score': 5 } })

    await scored(agent, 90, 1, 4)
    await scored(agent, 70, 1, 6)
    await until('it is shown', async () => (await discover(`skills=${skill}&minScore=70`)).total === 1)

    const row = await agents.findOne<{ projected: { score: number } }>({ _id: agent.id })
    assert.deepEqual([row?.projected.score, (await discover(`skills=${skill}&minScore=90`)).total], [6, 0])
  })

  it('shows no score that is older than one which it knows', async () => {
    const skill = `skill-${randomUUID().slice(0, 8)}`
    const [agent, last] = [await harness.agent({ skills: [skill] }), await harness.agent({ skills: [skill] })]
    const agents = harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>('agents')
    await agents.updateOne({ _id: agent.id }, { $set: { 'heard.score': 5 } })

    await scored(agent, 90, 1, 4)
    await scored(last, 70, 1, 1)
    await until('the last is scored', async () => (await discover(`skills=${skill}&minScore=70`)).total > 0)

    assert.deepEqual((await discover(`skills=${skill}&minScore=70`)).ids, [last.id])
  })

  it('offers agents by any of some skills and all other wishes, in each order', async () => {
    const [rust, audits] = [1, 2].map(() => `skill-${randomUUID().slice(0, 8)}`) as [string, string]
    const skills = [[rust], [rust, audits], [audits], [audits, 'tests'], [rust, 'tests']]
    const agents = []
    for (const [n, own] of skills.entries()) agents.push(await harness.agent({ skills: own, chain: n === 3 ? 'SKALE_TESTNET' : 'BASE_SEPOLIA' }))
    const standing = [
      [40, 9],
      [30, 8],
      [30, 2],
      [60, 5],
      [10, 2],
    ] as const
    await harness.agent({ skills: ['tests'] })
    const names = new Map(agents.map(({ id }, n) => [id, n]))
    const found = async (query: string) => {
      const { ids, total } = await discover(query)
      return [ids.map((id: string) => names.get(id)), total]
    }
    await found(`skills=${rust},${audits}`) // requested before the scores are known, and cached

    for (const [n, [score, risk]] of standing.entries()) await scored(agents[n]!, score, risk, 1)
    await until('all are scored', async () => (await found(`skills=${rust},${audits}&minScore=60`))[1] === 1)
    await until('the last is scored', async () => (await found(`skills=${rust},${audits}&sortBy=score_asc&limit=1`))[0]?.[0] === 4)

    const any = `skills=${rust},${audits}`
    assert.deepEqual(await found(any), [[3, 0, 2, 1, 4], 5])
    assert.deepEqual(await found(`${any}&sortBy=score_asc`), [[4, 1, 2, 0, 3], 5])
    assert.deepEqual(await found(`${any}&sortBy=risk_asc`), [[4, 2, 3, 1, 0], 5])
    assert.deepEqual(await found(`${any}&sortBy=newest`), [[4, 3, 2, 1, 0], 5])
    assert.deepEqual(await found(`${any}&limit=2&offset=2`), [[2, 1], 5])
    assert.deepEqual(await found(`skills=${rust}&minScore=30`), [[0, 1], 2])
    assert.deepEqual(await found(`${any}&maxRisk=2`), [[2, 4], 2])
    assert.deepEqual(await found(`${any}&tier=Hatchling`), [[4], 1])
    assert.deepEqual(await found(`${any}&tier=Bronze Pinch`), [[0, 2, 1], 3])
    assert.deepEqual(await found(`${any}&tier=Bronze Pinch&minScore=40`), [[0], 1])
    assert.deepEqual(await found(`${any}&tier=Gold Shell`), [[], 0])
    assert.deepEqual(await found(`q=${rust.toUpperCase()}&sortBy=newest`), [[4, 1, 0], 3])
    assert.deepEqual(await found(`q=${rust}&skills=tests&maxRisk=2`), [[4], 1])
    assert.deepEqual(await found(`${any}&chain=SKALE_TESTNET`), [[3], 1])
    assert.deepEqual(await found(`${any}&activityStatus=active`), [[3, 0, 2, 1, 4], 5])
    assert.deepEqual(await found(`${any}&activityStatus=inactive`), [[], 0])
    assert.deepEqual(await found(`${any}&minBond=10`), [[], 0])

    await bonded(agents[1]!)
    await until('it is bonded', async () => (await found(`${any}&minBond=10`))[1] === 1)
    assert.deepEqual((await found(any))[0], [3, 0, 2, 1, 4])
    const { peers } = harness.platform.service('identity').platform
    const row = await peers.call('identity', identityApi.internal.getAgentRow, { params: { id: agents[1]!.id } })
    assert.equal(row.bondVersion, 1, 'the row says which version of the bond the profile shows')
  })
})
