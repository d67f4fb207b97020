import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AgentRow } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { balance, call, type FundedAgent, fundedAgent, newAgent } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { balanceOf, usdc } from '../testing/token.ts'

describe('queued payments', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const pay = (from: TestAgent, to: TestAgent, whole: number) =>
    call(harness, from, 'POST', 'pay', { recipientAgentId: to.id, amount: Number(usdc(whole)) })
  const commandsOf = (agent: FundedAgent) => harness.commands.filter(({ args }) => args.from === agent.address)
  const richAgent = async () => {
    const agent = await fundedAgent(harness, usdc(400))
    assert.equal((await call(harness, agent, 'PATCH', 'limits', { dailyLimit: 500_000_000 })).status, 200)
    return agent
  }
  const withStatus = ({ id }: TestAgent, status: AgentRow['status']) => {
    const row = harness.agents.get(id)!
    harness.agents.set(id, { ...row, status, version: row.version + 1 })
  }
  const suspend = (agent: TestAgent) => withStatus(agent, 'suspended')
  const outcome = (paymentId: string) => harness.platform.call('GET', `/api/circle/transaction/${paymentId}`).then(({ body }) => body.state)

  it('queues from 25 USDC, lists it, and executes it after ten minutes', async () => {
    const [sender, recipient] = [await richAgent(), await newAgent(harness)]

    const { status, body } = await pay(sender, recipient, 25)
    const { pending, total } = (await call(harness, sender, 'GET', 'pending')).body

    assert.deepEqual([status, body.status, body.txHash, body.cancelUrl], [202, 'queued', null, `/api/treasury/payments/${body.paymentId}/cancel`])
    assert.deepEqual([total, pending[0].id, pending[0].status, pending[0].executeAfter], [1, body.paymentId, 'pending', body.executeAfter])
    assert.equal(await outcome(body.paymentId), 'QUEUED')
    assert.deepEqual([(await balance(harness, sender)).balance, (await balance(harness, sender)).reserved], [375_000_000, 25_000_000])
    await harness.platform.advance(599)
    assert.equal(commandsOf(sender).length, 0)
    await harness.platform.advance(2)
    await until('executed', async () => (await outcome(body.paymentId)) === 'CONFIRMED')
    assert.equal(balanceOf(harness, 'BASE_SEPOLIA', recipient.wallet), usdc(25))
    assert.equal((await call(harness, sender, 'GET', 'pending')).body.total, 0)
  })

  it('is cancelled by its sender only, while it waits', async () => {
    const [sender, recipient] = [await richAgent(), await newAgent(harness)]
    const cancel = (paymentId: string, by: TestAgent) =>
      harness.platform.call('POST', `/api/treasury/payments/${paymentId}/cancel`, { headers: by.headers })
    const { paymentId } = (await pay(sender, recipient, 100)).body

    const answers = [
      await cancel(paymentId, recipient),
      await cancel(randomUUID(), sender),
      await cancel(paymentId, sender),
      await cancel(paymentId, sender),
    ]

    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code ?? body.status]),
      [
        [403, 'FORBIDDEN'],
        [404, 'NOT_FOUND'],
        [200, 'cancelled'],
        [409, 'INVALID_STATE'],
      ],
    )
    assert.equal((await balance(harness, sender)).balance, 400_000_000)
    assert.equal((await call(harness, sender, 'GET', 'limits')).body.spentToday, 0)
    await harness.platform.advance(700)
    assert.equal(commandsOf(sender).length, 0)
  })

  it('is cancelled once by a request that is made again because its answer was lost', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(40)), await newAgent(harness)]
    const { paymentId } = (await pay(sender, recipient, 30)).body
    const headers = { ...sender.headers, 'idempotency-key': randomUUID() }
    const cancel = () => harness.platform.call('POST', `/api/treasury/payments/${paymentId}/cancel`, { headers })
    const first = await cancel()
    await harness.platform.forgetAnswers('treasury')

    const retried = await cancel()

    assert.deepEqual([first.status, retried.status, retried.body], [200, 200, first.body])
    assert.equal((await balance(harness, sender)).balance, 40_000_000)
  })

  it('is not sent while its sender is suspended, and fails ten minutes later with its money free again', async () => {
    const [sender, recipient] = [await richAgent(), await newAgent(harness)]
    const { paymentId } = (await pay(sender, recipient, 50)).body
    suspend(sender)

    await harness.platform.advance(605)

    assert.deepEqual([await outcome(paymentId), commandsOf(sender).length], ['QUEUED', 0])
    assert.equal((await balance(harness, sender)).reserved, 50_000_000)
    await harness.platform.advance(600)
    const { body } = await harness.platform.call('GET', `/api/treasury/payments/${paymentId}`, { headers: sender.headers })
    assert.deepEqual([body.status, body.failure, commandsOf(sender).length], ['failed', 'ACCOUNT_SUSPENDED', 0])
    const { balance: available, reserved } = await balance(harness, sender)
    assert.deepEqual([available, reserved, (await call(harness, sender, 'GET', 'limits')).body.spentToday], [400_000_000, 0, 0])
  })

  it('is sent once its sender is active again', async () => {
    const [sender, recipient] = [await richAgent(), await newAgent(harness)]
    const { paymentId } = (await pay(sender, recipient, 50)).body
    suspend(sender)
    await harness.platform.advance(605)
    assert.equal(commandsOf(sender).length, 0)

    withStatus(sender, 'active')
    await harness.platform.advance(5)

    await until('executed', async () => (await outcome(paymentId)) === 'CONFIRMED')
  })

  it('is sent for a sender that has migrated', async () => {
    const [sender, recipient] = [await richAgent(), await newAgent(harness)]
    const { paymentId } = (await pay(sender, recipient, 50)).body
    withStatus(sender, 'migrated')

    await harness.platform.advance(605)

    await until('executed', async () => (await outcome(paymentId)) === 'CONFIRMED')
  })

  it('is sent, read and cancelled for the agent that proved the wallet of the one whose money it is', async () => {
    const [lost, heir] = [await richAgent(), await newAgent(harness)]
    const row = harness.agents.get(lost.id)!
    harness.agents.set(lost.id, { ...row, status: 'suspended', wallet: null, formerWallet: heir.wallet, version: row.version + 1 })
    const order = async () => (await call(harness, heir, 'POST', 'withdraw', { amount: Number(usdc(50)), fromAgentId: lost.id })).body
    const cancelled = await order()
    const cancel = (agent: TestAgent) => harness.platform.call('POST', cancelled.cancelUrl, { headers: agent.headers })
    assert.deepEqual([(await cancel(lost)).status, (await cancel(heir)).status], [403, 200])
    const { paymentId, statusUrl } = await order()
    suspend(heir)
    await harness.platform.advance(605)
    assert.equal(await outcome(paymentId), 'QUEUED')
    assert.equal((await harness.platform.call('GET', statusUrl, { headers: heir.headers })).body.status, 'queued')

    withStatus(heir, 'active')
    await harness.platform.advance(5)

    await until('executed', async () => (await outcome(paymentId)) === 'CONFIRMED')
    assert.equal(balanceOf(harness, 'BASE_SEPOLIA', heir.wallet), usdc(50))
  })

  it('waits while identity does not answer, and is sent when it does', async () => {
    const [sender, recipient] = [await richAgent(), await newAgent(harness)]
    const { paymentId } = (await pay(sender, recipient, 50)).body
    harness.away.add('identity')

    await harness.platform.advance(1_300)
    const waiting = [await outcome(paymentId), commandsOf(sender).length]
    harness.away.delete('identity')
    await harness.platform.advance(5)

    assert.deepEqual(waiting, ['QUEUED', 0])
    await until('executed', async () => (await outcome(paymentId)) === 'CONFIRMED')
  })

  it('has exactly one winner when cancellation and executor meet', async () => {
    const [sender, recipient] = [await richAgent(), await newAgent(harness)]
    const ids: string[] = []
    for (let n = 0; n < 8; n++) ids.push((await pay(sender, recipient, 25)).body.paymentId)
    const cancel = (paymentId: string) => harness.platform.call('POST', `/api/treasury/payments/${paymentId}/cancel`, { headers: sender.headers })

    const [, ...answers] = await Promise.all([
      harness.platform.advance(601),
      ...ids.map(async (id, n) => {
        await new Promise(resolve => setTimeout(resolve, n * 4))
        return cancel(id)
      }),
    ])

    const cancelled = ids.filter((_, n) => answers[n]!.status === 200)
    const executed = ids.filter((_, n) => answers[n]!.body.code === 'INVALID_STATE')
    assert.equal(cancelled.length + executed.length, ids.length)
    for (const id of executed) await until('executed', async () => (await outcome(id)) === 'CONFIRMED')
    for (const id of cancelled) assert.equal(await outcome(id), 'CANCELLED')
    assert.deepEqual(new Set(commandsOf(sender).map(({ args }) => args.paymentId)), new Set(executed))
    assert.equal((await balance(harness, sender)).balance, 400_000_000 - 25_000_000 * executed.length)
  })

  it('holds every invariant through all of this', () => assertHealthy(harness))
})
