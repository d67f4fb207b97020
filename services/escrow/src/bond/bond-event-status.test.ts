import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { newWallet, type TestAgent } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { newAgent, oracle, until, usdc } from '../testing/harness.ts'
import { lockFunds, newGig } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

describe('a money operation past its first durable step', () => {
  const harness = sharedHarness()
  const { bonded, call, deposit, status } = bondsIn(harness)
  const at = async (url: string, headers: Record<string, string>) => harness.platform.call('GET', url, { headers })
  const outcome = async (url: string, headers: Record<string, string>) => {
    const { status: code, body } = await at(url, headers)
    return [code, body.event?.eventType, body.onChain?.status, body.onChain?.error]
  }
  /** An agent whose money is in its custodial wallet alone. */
  const custodial = async (): Promise<TestAgent> => {
    const agent = await newAgent(harness)
    const wallet = newWallet()
    harness.custodial.set(agent.id, wallet)
    harness.balances.set(`BASE_SEPOLIA/${wallet}`, usdc(1_000))
    return agent
  }
  const carryOn = async () => {
    harness.treasuryRefuses = undefined
    await harness.platform.advance(60)
  }

  it('answers a deposit 202 with its status URL when treasury is away, and carries it out once', async () => {
    const agent = await custodial()
    const key = { 'idempotency-key': randomUUID() }
    harness.treasuryRefuses = 'DEPENDENCY_UNAVAILABLE'

    const accepted = await deposit(agent, 20, { ...key, prefer: 'respond-async' })

    const { statusUrl, event } = accepted.body
    assert.deepEqual([accepted.status, statusUrl], [202, `/api/bond/${agent.id}/events/${event.id}`])
    assert.deepEqual(await outcome(statusUrl, agent.headers), [200, 'DEPOSIT', 'pending', null])
    await carryOn()
    await until('it is confirmed', async () => (await outcome(statusUrl, agent.headers))[2] === 'confirmed')
    const replayed = await deposit(agent, 20, { ...key, prefer: 'respond-async' })
    assert.deepEqual([replayed.status, replayed.body.statusUrl], [202, statusUrl])
    assert.equal((await status(agent)).totalBonded, 20)
  })

  it('shows the reason of one that failed', async () => {
    const agent = await bonded(100)
    harness.chain = ({ kind }) => (kind === 'bond.withdraw' ? 'wait' : 'confirm')

    const { body } = await call(`/api/bond/${agent.id}/withdraw`, { amount: 40 }, { ...agent.headers, prefer: 'respond-async' })
    assert.deepEqual(await outcome(body.statusUrl, agent.headers), [200, 'WITHDRAW', 'pending', null])
    const command = await until('the command is sent', () =>
      harness.commands.findLast(({ kind, args }) => kind === 'bond.withdraw' && args.agent === agent.wallet),
    )
    await harness.outcome(command, 'fail', 'REVERTED')

    await until('it has failed', async () => (await outcome(body.statusUrl, agent.headers))[2] === 'failed')
    assert.deepEqual(await outcome(body.statusUrl, agent.headers), [200, 'WITHDRAW', 'failed', 'REVERTED'])
  })

  it('says when the relayer is polled next, and nothing once it is confirmed', async () => {
    const agent = await bonded(100)
    harness.chain = ({ kind }) => (kind === 'bond.withdraw' ? 'wait' : 'confirm')

    const { body } = await call(`/api/bond/${agent.id}/withdraw`, { amount: 40 }, { ...agent.headers, prefer: 'respond-async' })
    const { event, nextDeadline } = (await at(body.statusUrl, agent.headers)).body

    const firstPoll = { at: new Date(Date.parse(event.createdAt) + 30_000).toISOString(), action: 'poll' }
    assert.deepEqual([nextDeadline, body.nextDeadline], [firstPoll, firstPoll])
    const command = await until('the command is sent', () =>
      harness.commands.findLast(({ kind, args }) => kind === 'bond.withdraw' && args.agent === agent.wallet),
    )
    await harness.outcome(command, 'confirm')
    await until('it is confirmed', async () => (await outcome(body.statusUrl, agent.headers))[2] === 'confirmed')
    assert.equal((await at(body.statusUrl, agent.headers)).body.nextDeadline, null)
  })

  it('says when treasury is queried next', async () => {
    const agent = await custodial()
    harness.treasuryRefuses = 'DEPENDENCY_UNAVAILABLE'

    const { body } = await deposit(agent, 20, { prefer: 'respond-async' })

    const { event, nextDeadline } = (await at(body.statusUrl, agent.headers)).body
    assert.equal(nextDeadline.action, 'retry')
    assert.ok(Date.parse(nextDeadline.at) >= Date.parse(event.createdAt) + 30_000, nextDeadline.at)
    await carryOn()
    await until('it is confirmed', async () => (await outcome(body.statusUrl, agent.headers))[2] === 'confirmed')
  })

  it('shows its outcome to the agent and the oracle only, under its own agent', async () => {
    const [agent, other] = [await bonded(100), await bonded(100)]
    const { body } = await call(`/api/bond/${agent.id}/withdraw`, { amount: 1 }, { ...agent.headers, prefer: 'respond-async' })
    const url: string = body.statusUrl ?? `/api/bond/${agent.id}/events/${body.event.id}`

    assert.equal((await at(url, agent.headers)).status, 200)
    assert.equal((await at(url, oracle)).status, 200)
    assert.equal((await at(url, {})).status, 401)
    assert.equal((await at(url, other.headers)).status, 403)
    assert.equal((await at(url.replace(agent.id, other.id), other.headers)).status, 404)
  })

  it('gives the oracle the status URL of a slash', async () => {
    const agent = await bonded(100)
    harness.chain = ({ kind }) => (kind === 'bond.slash' ? 'wait' : 'confirm')

    const slashed = await call(`/api/bond/${agent.id}/slash`, { amount: 5, reason: 'Fraud' }, { ...oracle, prefer: 'respond-async' })

    assert.equal(slashed.status, 202)
    assert.deepEqual(await outcome(slashed.body.statusUrl, oracle), [200, 'SLASH', 'pending', null])
  })

  it('answers an escrow 202 with its status URL when treasury is away, and locks it later', async () => {
    const scenario = await newGig(harness)
    const wallet = newWallet()
    harness.balances.delete(`${scenario.chain}/${scenario.poster.wallet}`)
    harness.custodial.set(scenario.poster.id, wallet)
    harness.balances.set(`${scenario.chain}/${wallet}`, usdc(40))
    harness.treasuryRefuses = 'DEPENDENCY_UNAVAILABLE'

    const accepted = await lockFunds(harness, scenario, { prefer: 'respond-async' })

    assert.deepEqual([accepted.status, accepted.body.statusUrl], [202, `/api/escrow/${scenario.gigId}`])
    assert.equal((await at(accepted.body.statusUrl, {})).body.status, 'funding')
    await carryOn()
    await until('it is locked', async () => (await at(accepted.body.statusUrl, {})).body.status === 'locked')
  })
})
