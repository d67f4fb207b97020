import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { daySeconds, newWallet } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { newAgent, oracle, until } from '../testing/harness.ts'
import { newGig } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

describe('bonds', () => {
  const harness = sharedHarness()
  const { call, deposit, status, history, rich, bonded } = bondsIn(harness)

  it('deposit from an allowance and show it', async () => {
    const agent = await bonded(500)

    const shown = await status(agent)
    assert.deepEqual([shown.bonded, shown.bondTier, shown.totalBonded, shown.availableBond, shown.lockedBond], [true, 'HIGH_BOND', 500, 500, 0])
    assert.deepEqual(await history(agent), [['DEPOSIT', 500]])
    assert.equal((await harness.platform.call('GET', `/api/bonds/status/${agent.wallet}`)).body.agentId, agent.id)
  })

  it('are zero for an agent that never had any, and unknown for a stranger', async () => {
    const shown = await status(await newAgent(harness))

    assert.deepEqual([shown.bonded, shown.bondTier, shown.totalBonded], [false, 'UNBONDED', 0])
    assert.notEqual((await harness.platform.call('GET', `/api/bond/${randomUUID()}/status`)).status, 200)
  })

  it('refuse too little, no money and a foreign wallet', async () => {
    const [agent, poor] = [await rich(), await newAgent(harness)]

    const answers = [
      await deposit(agent, 9.999999),
      await deposit(poor, 10),
      await call(`/api/bond/${agent.id}/deposit`, { amount: 10, walletAddress: newWallet() }, agent.headers),
      await call(`/api/bond/${agent.id}/deposit`, { amount: 10 }, poor.headers),
    ]

    assert.deepEqual(
      answers.map(({ status: code, body }) => [code, body.code]),
      [
        [400, 'BELOW_MINIMUM'],
        [402, 'FUNDS_REQUIRED'],
        [403, 'WALLET_MISMATCH'],
        [403, 'FORBIDDEN'],
      ],
    )
  })

  it('count a deposit that is sent twice with one key once', async () => {
    const agent = await rich()
    const key = { 'idempotency-key': `"${randomUUID()}"` }

    await Promise.all([deposit(agent, 20, key), deposit(agent, 20, key)])
    await deposit(agent, 20, key)

    assert.equal((await status(agent)).totalBonded, 20)
  })

  it('pay free stake back, never more, and give it back when the chain refuses', async () => {
    const agent = await bonded(100)
    const withdraw = (amount: number) => call(`/api/bond/${agent.id}/withdraw`, { amount }, agent.headers)

    const both = await Promise.all([withdraw(60), withdraw(60)])
    harness.chain = ({ kind }) => (kind === 'bond.withdraw' ? 'fail' : 'confirm')
    const failed = await withdraw(40)

    assert.deepEqual(both.map(({ status: code }) => code).sort(), [200, 409])
    const refused = both.find(({ status: code }) => code === 409)!
    assert.deepEqual([refused.body.code, refused.body.details.available], ['INVALID_STATE', 40])
    assert.deepEqual([failed.status, failed.body.code], [409, 'CONFLICT'])
    assert.equal((await status(agent)).availableBond, 40)
  })

  it('reverse once what was published of a command that failed after its block was reorganised away', async () => {
    const agent = await rich()
    const sent = (kind: string) => harness.commands.findLast(command => command.kind === kind)!
    await deposit(agent, 100)
    const stake = sent('bond.deposit')
    await call(`/api/bond/${agent.id}/withdraw`, { amount: 60 }, agent.headers)
    assert.equal((await status(agent)).availableBond, 40)
    const withdrawal = sent('bond.withdraw')

    await harness.outcome(stake, 'fail', 'REVERTED', 3)
    for (let times = 0; times < 2; times++) {
      await harness.outcome(withdrawal, 'reorg', '', 2)
      await harness.outcome(withdrawal, 'fail', 'REVERTED', 3)
    }

    await until('nothing is bonded', async () => (await status(agent)).totalBonded === 0, 20)
    assert.deepEqual(await history(agent), [
      ['WITHDRAW', 100],
      ['DEPOSIT', 60],
      ['WITHDRAW', 60],
      ['DEPOSIT', 100],
    ])
  })

  it('send withdrawals to another wallet 24 hours after it was set', async () => {
    const agent = await bonded(100)
    const wallet = newWallet()
    await call(`/api/bond/${agent.id}/wallet`, { walletAddress: wallet }, agent.headers)
    const target = () =>
      harness.commands.filter(({ kind, args }) => kind === 'bond.withdraw' && args.agent === agent.wallet).map(({ args }) => args.to)

    await call(`/api/bond/${agent.id}/withdraw`, { amount: 1 }, agent.headers)
    await harness.platform.advance(daySeconds)
    await call(`/api/bond/${agent.id}/withdraw`, { amount: 1 }, agent.headers)

    assert.deepEqual(target(), [agent.wallet, wallet])
  })

  it('refuse what a deposit under way will cover as retryable, and the same key succeeds once it is confirmed', async () => {
    const agent = await rich()
    const headers = { ...agent.headers, 'idempotency-key': randomUUID() }
    const withdraw = () => call(`/api/bond/${agent.id}/withdraw`, { amount: 5 }, headers)
    const { chain } = harness
    harness.chain = () => 'wait'
    await deposit(agent, 20, { prefer: 'respond-async' })
    const stake = await until('its command is sent', () =>
      harness.commands.findLast(({ kind, args }) => kind === 'bond.deposit' && args.agent === agent.wallet),
    )

    const early = await withdraw()
    harness.chain = chain
    await harness.outcome(stake, 'confirm')
    await until('it is bonded', async () => (await status(agent)).availableBond === 20)

    assert.deepEqual([early.status, early.body.code, early.body.retryable], [409, 'INVALID_STATE', true])
    assert.equal((await withdraw()).status, 200)
    assert.equal((await call(`/api/bond/${agent.id}/withdraw`, { amount: 500 }, agent.headers)).body.retryable, undefined)
  })

  it('are slashed with an answer that waits until the lists hold the slash', async () => {
    const agent = await bonded(100)
    let isListed = false
    let requests = 0
    harness.listed = () => {
      requests++
      return isListed ? 'APPLIED' : undefined
    }
    let isAnswered = false

    const slashing = call(`/api/bond/${agent.id}/slash`, { amount: 20, reason: 'Fraud' }, oracle).finally(() => {
      isAnswered = true
    })
    await until('the lists were read again', () => requests > 1)
    const early = isAnswered
    isListed = true
    await slashing
    harness.listed = () => api.refuse('DEPENDENCY_UNAVAILABLE')

    assert.deepEqual([early, (await slashing).status], [false, 200])
  })

  it('are listed and summed', async () => {
    const [slashed] = [await bonded(300), await bonded(200), await bonded(100)]
    await call(`/api/bond/${slashed.id}/slash`, { amount: 20, reason: 'Fraud' }, oracle)

    const list = (await harness.platform.call('GET', '/api/bonds?limit=3')).body
    const stats = (await harness.platform.call('GET', '/api/bond/network/stats')).body

    assert.ok(list.total >= 3 && list.bonds.length === 3 && list.bonds[0].totalBonded >= list.bonds[1].totalBonded)
    assert.ok(stats.bondedAgents >= 3 && stats.totalBonded >= 580 && stats.slashedTotal >= 20)
  })

  it('say whether an agent may work a gig', async () => {
    const agent = await bonded(100)
    const eligibility = async (query: string) => (await harness.platform.call('GET', `/api/bond/${agent.id}/eligibility?${query}`)).body
    const { gigId } = await newGig(harness, { bond: 100.5 })

    assert.deepEqual([(await eligibility('required=100')).eligible, (await eligibility('required=100.000001')).eligible], [true, false])
    assert.deepEqual([(await eligibility(`gigId=${gigId}`)).eligible, (await eligibility(`gigId=${gigId}`)).required], [false, 100.5])
  })
})
