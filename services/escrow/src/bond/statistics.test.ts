import assert from 'node:assert/strict'
import { acquireMongo, daySeconds, type TestAgent } from '@carapace/testing'
import { type Harness, newAgent, oracle, startHarness, until, usdc } from '../testing/harness.ts'

describe('statistics of bonds', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const bonded = async (amount: number, of = harness): Promise<TestAgent> => {
    const agent = await newAgent(of)
    of.balances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(1_000))
    of.allowances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(1_000))
    const { status } = await of.platform.call('POST', `/api/bond/${agent.id}/deposit`, { body: { amount }, headers: agent.headers })
    assert.equal(status, 200)
    return agent
  }
  const slash = (agent: TestAgent, amount: number, of = harness) =>
    of.platform.call('POST', `/api/bond/${agent.id}/slash`, { body: { amount, reason: 'Fraud' }, headers: oracle })
  const statistics = async (of = harness) => (await of.platform.call('GET', '/api/bond/network/stats')).body
  const status = async (agent: TestAgent, of: Harness) => (await of.platform.call('GET', `/api/bond/${agent.id}/status`)).body
  const reverse = async (id: string, of: Harness) => {
    const answer = await of.platform.call('POST', `/api/admin/slashes/${id}/reverse`, { body: { reason: 'Wrong agent' }, headers: oracle })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  it('follow each deposit and slash; a slash counts against health for 90 days to the moment', async () => {
    const none = { totalBonded: 0, avgBond: 0, bondedAgents: 0, slashedTotal: 0, healthyBonds: 0, highBondAgents: 0 }
    assert.deepEqual(await statistics(), none)
    const agents = await Promise.all([500, 20, 20, 12].map(amount => bonded(amount)))
    assert.deepEqual(await statistics(), { ...none, totalBonded: 552, avgBond: 138, bondedAgents: 4, healthyBonds: 4, highBondAgents: 1 })

    const answers = await Promise.all([slash(agents[1]!, 5), slash(agents[3]!, 5)])

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    const slashed = { totalBonded: 542, avgBond: 180.666667, bondedAgents: 3, slashedTotal: 10, healthyBonds: 2, highBondAgents: 1 }
    assert.deepEqual(await statistics(), slashed)
    await harness.platform.advance(90 * daySeconds - 600)
    assert.deepEqual(await statistics(), slashed)
    await harness.platform.advance(1_200)
    await until('the slash is forgotten', async () => (await statistics()).healthyBonds === 3)
  })

  it('count a bond as healthy again once its slash is reversed, also where that was recorded before slashes were stored with the bond', async () => {
    const mongo = await acquireMongo()
    const before = await startHarness({ mongo })
    const [agent, old] = [await bonded(50, before), await bonded(50, before)]
    const row = async (of: TestAgent) => (await slash(of, 5, before)).body.slash.id as string
    const first = await row(agent)
    const { lastSlashAt } = await status(agent, before)
    const [second, recorded] = [await row(agent), await row(old)]
    const { connection } = before.platform.service('escrow').platform.db
    const [bonds, forms] = [connection.collection('bonds'), connection.collection('data_form')]
    await bonds.updateOne({ _id: old.id as never }, { $unset: { slashes: 1 } })
    const slashed = await statistics(before)

    await reverse(second, before)
    const earlier = (await status(agent, before)).lastSlashAt
    await reverse(first, before)
    await reverse(recorded, before)
    const reversed = [(await statistics(before)).healthyBonds, (await status(agent, before)).lastSlashAt]
    await forms.updateOne({ _id: 'form' as never }, { $set: { version: 0 } })
    await before.close()
    const after = await startHarness({ mongo })
    const restarted = [(await statistics(after)).healthyBonds, (await status(old, after)).lastSlashAt]
    await after.close()
    await mongo.close()

    assert.deepEqual([slashed.bondedAgents, slashed.healthyBonds], [2, 0])
    assert.deepEqual([earlier, reversed, restarted], [lastSlashAt, [1, null], [2, null]])
  })
})
