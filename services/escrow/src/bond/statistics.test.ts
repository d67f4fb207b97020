import assert from 'node:assert/strict'
import type { TestAgent } from '@carapace/testing'
import { newAgent, oracle, startWorld, until, usdc, type World } from '../testing/world.ts'

const daySeconds = 24 * 3_600

describe('statistics of bonds', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  const bonded = async (amount: number): Promise<TestAgent> => {
    const agent = await newAgent(world)
    world.balances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(1_000))
    world.allowances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(1_000))
    const { status } = await world.platform.call('POST', `/api/bond/${agent.id}/deposit`, { body: { amount }, headers: agent.headers })
    assert.equal(status, 200)
    return agent
  }
  const slash = (agent: TestAgent, amount: number) =>
    world.platform.call('POST', `/api/bond/${agent.id}/slash`, { body: { amount, reason: 'Fraud' }, headers: oracle })
  const statistics = async () => (await world.platform.call('GET', '/api/bond/network/stats')).body

  it('follow each deposit and slash; a slash counts against health for 90 days to the moment', async () => {
    const none = { totalBonded: 0, avgBond: 0, bondedAgents: 0, slashedTotal: 0, healthyBonds: 0, highBondAgents: 0 }
    assert.deepEqual(await statistics(), none)
    const agents = await Promise.all([500, 20, 20, 12].map(bonded))
    assert.deepEqual(await statistics(), { ...none, totalBonded: 552, avgBond: 138, bondedAgents: 4, healthyBonds: 4, highBondAgents: 1 })

    const answers = await Promise.all([slash(agents[1]!, 5), slash(agents[3]!, 5)])

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    const slashed = { totalBonded: 542, avgBond: 180.666667, bondedAgents: 3, slashedTotal: 10, healthyBonds: 2, highBondAgents: 1 }
    assert.deepEqual(await statistics(), slashed)
    await world.platform.advance(90 * daySeconds - 600)
    assert.deepEqual(await statistics(), slashed)
    await world.platform.advance(1_200)
    await until('the slash is forgotten', async () => (await statistics()).healthyBonds === 3)
  })
})
