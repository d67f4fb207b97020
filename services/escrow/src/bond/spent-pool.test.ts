import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, newAgent, oracle, startHarness, until, usdc } from '../testing/harness.ts'
import { deliveredGig, eventOf, type Scenario, untilStatus } from '../testing/scenario.ts'

/** A slash is reversed with its block when the pool has paid its money out. */
describe('a reversed slash whose money the pool has spent', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await startHarness()
  })
  afterEach(() => harness.close())

  const call = (path: string, body: object, headers: Record<string, string>) => harness.platform.call('POST', path, { body, headers })
  const stakeOf = async (agentId: string) => {
    const { availableBond, slashedBond } = (await harness.platform.call('GET', `/api/bond/${agentId}/status`)).body
    return [availableBond, slashedBond]
  }
  const accrued = (scenario: Scenario, amount: bigint) => {
    const { validationId, gigId, amount: budget, chain, poster, worker } = scenario
    const facts = { validationId, gigId, jobId: null, title: 'Audit', posterId: poster.id, assigneeId: worker.id, budget, chain }
    return api.rewardAccrued.of({ ...facts, round: 1, appealOf: null, rewards: [{ validatorId: randomUUID(), amount }] })
  }
  const topUp = ({ validationId }: Scenario, amount: number) => call(`/api/admin/rewards/${validationId}/top-up`, { amount, reason: 'Fair' }, oracle)
  const refundedGig = async () => {
    const scenario = await deliveredGig(harness)
    await harness.platform.publish(eventOf.resolved(scenario, 'rejected'))
    await untilStatus(harness, scenario.gigId, 'refunded')
    await harness.platform.publish(accrued(scenario, usdc(70)))
    return scenario
  }

  it('gives the stake back at the loss of the pool, which spends nothing of its own before that is made good', async () => {
    const agent = await newAgent(harness)
    for (const at of [harness.balances, harness.allowances]) at.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(100))
    await call(`/api/bond/${agent.id}/deposit`, { amount: 100 }, agent.headers)
    await until('it is staked', async () => (await stakeOf(agent.id))[0] === 100)
    const { body } = await call(`/api/bond/${agent.id}/slash`, { amount: 70, reason: 'Fraud' }, oracle)
    const spent = await refundedGig()
    await until('the pool is spent', async () => (await topUp(spent, 70)).status === 200)
    const slash = harness.commands.find(({ kind, args }) => kind === 'bond.slash' && args.agent === agent.wallet)!

    await harness.outcome(slash, 'reorg', undefined, 2)
    await harness.outcome(slash, 'fail', 'REVERTED', 3)

    assert.deepEqual(await stakeOf(agent.id), [100, 0])
    await assertHealthy(harness)
    const paid = await deliveredGig(harness)
    await harness.platform.publish(eventOf.resolved(paid, 'approved'))
    await untilStatus(harness, paid.gigId, 'released')
    const refused = await topUp(await refundedGig(), 1)
    assert.deepEqual([refused.status, refused.body.code], [409, 'INVALID_STATE'])
    const again = await call(`/api/admin/slashes/${body.slash.id}/reverse`, { reason: 'Wrong agent' }, oracle)
    assert.ok(again.status === 200 || again.status === 409, JSON.stringify(again.body))
    assert.deepEqual(await stakeOf(agent.id), [100, 0])
    await assertHealthy(harness)
  })

  it('is not spent by two concurrent reversals either', async () => {
    const slashed = async () => {
      const agent = await newAgent(harness)
      for (const at of [harness.balances, harness.allowances]) at.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(100))
      await call(`/api/bond/${agent.id}/deposit`, { amount: 100 }, agent.headers)
      await until('it is staked', async () => (await stakeOf(agent.id))[0] === 100)
      const { body } = await call(`/api/bond/${agent.id}/slash`, { amount: 70, reason: 'Fraud' }, oracle)
      return { agent, slashId: body.slash.id as string }
    }
    const [lost, ...others] = [await slashed(), await slashed(), await slashed()]
    const slash = harness.commands.find(({ kind, args }) => kind === 'bond.slash' && args.agent === lost.agent.wallet)!
    await harness.outcome(slash, 'reorg', undefined, 2)
    await harness.outcome(slash, 'fail', 'REVERTED', 3)
    const spent = await refundedGig()
    assert.equal((await topUp(spent, 70)).status, 200)

    const reversals = await Promise.all(others.map(({ slashId }) => call(`/api/admin/slashes/${slashId}/reverse`, { reason: 'Wrong agent' }, oracle)))

    assert.deepEqual(reversals.map(({ status }) => status).sort(), [200, 409])
    const stakes = await Promise.all(others.map(({ agent }) => stakeOf(agent.id)))
    assert.deepEqual(stakes.map(([free]) => free).sort(), [100, 30])
    await assertHealthy(harness)
  })
})
