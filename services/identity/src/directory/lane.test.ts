import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { laneInForce } from '@carapace/api'
import { until } from '@carapace/testing'
import { type Harness, startHarness, type TestAgent } from '../testing/harness.ts'
import { bondOf, scoreOf } from '../testing/standing.fixture.ts'

describe('the lane for new agents', () => {
  // its rank is of all agents: nobody else is there
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  /** Score, risk, completed gigs. */
  const standing = {
    gold: [72.4, 0, 30],
    silver: [55.9, 0, 9],
    third: [54.9, 0, 5],
    bronze: [40.5, 0, 4],
    fourth: [38, 0, 4],
    fifth: [35, 0, 3],
    last: [31, 0, 3],
    unbonded: [20, 0, 0],
    risky: [17, 11, 1],
    fresh: [16, 0, 0],
    failed: [15.5, 25, 0],
  } as const
  const names = Object.keys(standing) as (keyof typeof standing)[]
  const isUnbonded = (name: string) => name === 'unbonded'
  /** Ranked as 50, or as 55 until the first completed gig. */
  const expected = {
    fixed: {
      names: ['gold', 'silver', 'third', 'fresh', 'bronze', 'fourth', 'fifth', 'last', 'unbonded', 'risky', 'failed'],
      placeWithGig: 2,
    },
    market: {
      names: ['gold', 'silver', 'fresh', 'third', 'bronze', 'fourth', 'fifth', 'last', 'unbonded', 'risky', 'failed'],
      placeWithGig: 9,
    },
  }[laneInForce.kind]

  it('ranks bonded new agents as the formula in force says, for gigs of up to 40 USDC', async () => {
    const skill = `skill-${randomUUID().slice(0, 8)}`
    const agents = new Map<string, TestAgent>()
    for (const name of names) agents.set(name, await harness.agent({ skills: [skill] }))
    const found = async (query = '') => {
      const { body } = await harness.call('GET', `/api/agents/discover?skills=${skill}${query}`)
      const nameOf = (id: string) => names.find(name => agents.get(name)!.id === id)
      return { names: body.agents.map(({ id }: TestAgent) => nameOf(id)), agents: body.agents, filters: body.filters }
    }
    await found('&newcomerLane=true') // requested before anything is known, and cached

    for (const name of names) {
      const [score, risk, completed] = standing[name]
      await harness.platform.publish(scoreOf(agents.get(name)!, score, risk, completed), 1)
      if (!isUnbonded(name)) await harness.platform.publish(bondOf(agents.get(name)!), 1)
    }
    await until('all is known', async () => `${(await found()).names}` === `${names}` && (await found('&minBond=10')).names.length === 10)

    const lane = await found('&newcomerLane=true&budget=40')
    assert.deepEqual(lane.names, expected.names)
    const marked = lane.agents.filter(({ newcomerLane }: { newcomerLane: boolean }) => newcomerLane)
    assert.deepEqual(
      marked.map(({ id, fusedScore }: { id: string; fusedScore: number }) => [id, fusedScore]),
      [[agents.get('fresh')!.id, 16]],
    )
    assert.deepEqual([lane.filters.newcomerLane, lane.filters.budget], [true, 40])
    assert.deepEqual((await found('&newcomerLane=true&sortBy=score_asc')).names, lane.names.reverse())
    assert.deepEqual((await found('&newcomerLane=true&budget=40.01')).names, names)
    assert.deepEqual((await found('&newcomerLane=false')).names, names)
    assert.deepEqual((await found('&newcomerLane=true&minScore=30')).names, ['gold', 'silver', 'third', 'bronze', 'fourth', 'fifth', 'last'])

    await harness.platform.publish(scoreOf(agents.get('silver')!, 41, 0, 9), 2)
    await until('the order has followed the scores', async () => `${(await found('&newcomerLane=true')).names}`.startsWith('gold,third,fresh,silver'))
    await harness.platform.publish(scoreOf(agents.get('fresh')!, 16, 0, 1), 2)
    await until('its first gig has counted', async () =>
      (await found()).agents.some(
        ({ id, totalGigsCompleted }: TestAgent & { totalGigsCompleted: number }) => id === agents.get('fresh')!.id && totalGigsCompleted === 1,
      ),
    )
    assert.equal((await found('&newcomerLane=true')).names.indexOf('fresh'), expected.placeWithGig)
    await harness.platform.publish(scoreOf(agents.get('fresh')!, 30, 0, 1), 3)
    await until('it has left the lane with its tier', async () => (await found('&newcomerLane=true')).names.indexOf('fresh') === 7)
    assert.equal((await harness.call('GET', '/api/agents/discover?newcomerLane=yes')).status, 400)
  })
})

describe('the lane for new agents, where the more agents are in it the lower it is ranked', () => {
  let harness: Harness
  before(async function () {
    if (laneInForce.kind === 'fixed') this.skip()
    harness = await startHarness()
  })
  after(() => harness?.close())

  it('falls with each that comes, and rises with each that leaves', async () => {
    const skill = `skill-${randomUUID().slice(0, 8)}`
    const agents = await Promise.all(Array.from({ length: 30 }, () => harness.agent({ skills: [skill] })))
    const [begun, fresh] = [agents.slice(0, 25), agents.slice(25)]
    for (const [n, agent] of begun.entries()) await harness.platform.publish(scoreOf(agent, 93.5 - 2 * n, 0, 1), 1)
    const ranked = async () =>
      (await harness.call('GET', `/api/agents/discover?skills=${skill}&newcomerLane=true&limit=50`)).body.agents as TestAgent[]
    /** How many are above those of the lane. */
    const isAbove = async (count: number, first: TestAgent) => (await ranked()).findIndex(({ id }) => id === first.id) === count
    const enter = (agent: TestAgent) => harness.platform.publish(bondOf(agent), 1)

    await enter(fresh[0]!)
    // 1 of 26: below 2 % + 23 % · 0.48 of 25
    await until('one is ranked high', () => isAbove(4, fresh[0]!))
    for (const agent of fresh.slice(1)) await enter(agent)
    // 5 of 30: below 25 % of 25
    await until('five are ranked lower', async () => (await ranked()).slice(7, 12).every(({ id }) => fresh.some(one => one.id === id)))
    for (const agent of fresh.slice(1)) await harness.platform.publish(scoreOf(agent, 31, 0, 0), 2)
    await until('the one that is left is ranked high again', () => isAbove(4, fresh[0]!))
  })
})
