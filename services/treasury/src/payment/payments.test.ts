import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'

import { agentStatusChanged, chainOutcome } from '@carapace/api'
import { newHash, type TestAgent, until } from '@carapace/testing'
import { balance, call, type FundedAgent, fundedAgent, newAgent } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { balanceOf, deposit, move, publishTransfer, usdc } from '../testing/token.ts'

describe('treasury payments', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  beforeEach(() => {
    harness.chain = () => 'confirm'
  })
  after(() => harness.close())

  const pay = (from: TestAgent, to: TestAgent, whole: number, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    call(harness, from, 'POST', 'pay', { recipientAgentId: to.id, amount: Number(usdc(whole)), ...more }, headers)
  const commandsOf = (agent: FundedAgent) => harness.commands.filter(({ args }) => args.from === agent.address)
  const history = async (agent: TestAgent) => (await call(harness, agent, 'GET', 'history')).body.transactions
  const outcome = (paymentId: string) => harness.platform.call('GET', `/api/circle/transaction/${paymentId}`).then(({ body }) => body.state)

  it('pays immediately below 25 USDC, into the treasury wallet of the recipient', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(30)), await fundedAgent(harness, 0n)]

    const { status, body } = await pay(sender, recipient, 24.5, { note: 'thanks' })

    assert.deepEqual(
      [status, body.status, body.amountFormatted, body.newBalance, body.recipient, body.note],
      [200, 'executed', '24.50 USDC', 5_500_000, { agentId: recipient.id, handle: recipient.handle, address: recipient.address }, 'thanks'],
    )
    assert.match(body.txHash, /^0x[0-9a-f]{64}$/)
    await until('it has arrived', async () => (await balance(harness, recipient)).balance === 24_500_000)
    assert.equal(balanceOf(harness, 'BASE_SEPOLIA', recipient.address), 24_500_000n)
    const [credit] = await history(recipient)
    assert.deepEqual([credit.type, credit.counterpartyHandle, credit.description], ['credit', sender.handle, 'thanks'])
  })

  it('pays a recipient without a treasury wallet into its registered one', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(2)), await newAgent(harness)]

    const { body } = await pay(sender, recipient, 1)

    assert.equal(body.recipient.address, recipient.wallet)
    assert.equal(balanceOf(harness, 'BASE_SEPOLIA', recipient.wallet), 1_000_000n)
  })

  it('books what leaves a wallet once, by its command, though its transfer log is published too', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(10)), await newAgent(harness)]

    const { body } = await pay(sender, recipient, 4)
    for (let n = 0; n < 3; n++) await publishTransfer(harness, { from: sender.address, to: recipient.wallet, amount: usdc(4), txHash: body.txHash })
    await deposit(harness, sender.address, 1n)

    await until('a later deposit', async () => (await balance(harness, sender)).balance === 6_000_001)
    assert.equal((await history(sender)).length, 3)
  })

  it('pays once for one key, immediately, later and with two equal requests together', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(30)), await newAgent(harness)]
    const key = { 'idempotency-key': randomUUID() }

    const together = await Promise.all([pay(sender, recipient, 3, {}, key), pay(sender, recipient, 3, {}, key)])
    const later = await pay(sender, recipient, 3, {}, key)

    const done = [...together, later].filter(({ status }) => status === 200)
    assert.ok(together.every(({ status, body }) => status === 200 || body.code === 'IDEMPOTENCY_IN_PROGRESS'))
    assert.equal(new Set(done.map(({ body }) => body.paymentId)).size, 1)
    assert.equal((await balance(harness, sender)).balance, 27_000_000)
    assert.equal(commandsOf(sender).length, 1)
    assert.equal((await pay(sender, recipient, 4, {}, key)).body.code, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('answers a repeat as what was accepted, also where its parties could not pay any more', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(30)), await newAgent(harness)]
    const keys = { pay: { 'idempotency-key': randomUUID() }, withdraw: { 'idempotency-key': randomUUID() } }
    const withdraw = () => call(harness, sender, 'POST', 'withdraw', { amount: Number(usdc(2)) }, keys.withdraw)
    const first = [await pay(sender, recipient, 3, {}, keys.pay), await withdraw()]
    // the process ended before it stored its answers
    await harness.platform.service('treasury').platform.db.connection.collection('idempotency').deleteMany({})
    const suspended = { status: 'suspended' as const, formerWallet: null, cause: 'admin' as const, reason: 'a test' }
    for (const { id: agentId, handle, wallet } of [sender, recipient])
      await harness.platform.publish(agentStatusChanged.of({ agentId, handle, wallet, ...suspended }), 2)
    await until('the sender is known as suspended', async () => (await pay(sender, recipient, 1)).status === 403)

    const again = [await pay(sender, recipient, 3, {}, keys.pay), await withdraw()]

    assert.deepEqual(
      again.map(({ status, body }) => [status, body.paymentId]),
      first.map(({ body }) => [200, body.paymentId]),
    )
    assert.equal((await pay(sender, recipient, 4, {}, keys.pay)).body.code, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('frees money and limit when a payment fails for good, and sends nothing again for its key', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(30)), await newAgent(harness)]
    const key = { 'idempotency-key': randomUUID() }
    harness.chain = () => 'fail'

    const refused = await pay(sender, recipient, 20, {}, key)
    harness.chain = () => 'confirm'
    const again = await pay(sender, recipient, 20, {}, key)

    for (const { status, body } of [refused, again]) assert.deepEqual([status, body.code, body.details.state], [409, 'INVALID_STATE', 'failed'])
    assert.equal(commandsOf(sender).length, 1)
    assert.equal((await balance(harness, sender)).balance, 30_000_000)
    assert.equal((await call(harness, sender, 'GET', 'limits')).body.spentToday, 0)
    assert.equal((await history(sender))[0].status, 'failed')
  })

  it('says when the relayer is polled next, when a queued one is sent, and nothing once it has ended', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(40)), await newAgent(harness)]
    const { clock } = harness.platform.service('treasury').platform
    harness.chain = () => 'wait'

    const before = clock.now().getTime()
    const { body: sent } = await pay(sender, recipient, 5, {}, { prefer: 'respond-async' })
    const after = clock.now().getTime()
    const { body: queued } = await pay(sender, recipient, 30)

    assert.equal(sent.nextDeadline.action, 'poll')
    const firstPoll = Date.parse(sent.nextDeadline.at) - 30_000
    assert.ok(firstPoll >= before && firstPoll <= after, sent.nextDeadline.at)
    assert.deepEqual(queued.nextDeadline, { at: queued.executeAfter, action: 'execute' })
    await harness.outcome(await until('the command', () => commandsOf(sender)[0]), 'confirm')
    const ended = await until('executed', async () => {
      const { body } = await harness.platform.call('GET', sent.statusUrl, { headers: sender.headers })
      return body.status === 'executed' && body
    })
    assert.equal(ended.nextDeadline, null)
  })

  it('a failure that is not terminal frees nothing', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(5)), await newAgent(harness)]
    harness.chain = () => 'wait'
    const { status, body } = await pay(sender, recipient, 5, {}, { prefer: 'respond-async' })
    const command = await until('the command', () => commandsOf(sender)[0])

    await harness.outcome(command, 'fail', { terminal: false, code: 'IDEMPOTENCY_MISMATCH', seq: 3 })
    await deposit(harness, sender.address, 1n)

    assert.deepEqual([status, body.status, body.txHash], [202, 'processing', null])
    await until('what came after it', async () => (await balance(harness, sender)).balance === 1)
    assert.equal((await balance(harness, sender)).reserved, 5_000_000)
    await harness.outcome(command, 'fail', { seq: 4 })
    await until('freed', async () => (await balance(harness, sender)).balance === 5_000_001)
  })

  it('checks in the order: oneself, wallet, recipient, limit, balance', async () => {
    const [rich, poor, none, other] = [
      await fundedAgent(harness, usdc(60)),
      await fundedAgent(harness, usdc(1)),
      await newAgent(harness),
      await newAgent(harness),
    ]
    const stranger = { ...other, id: randomUUID() }
    const cases: [TestAgent, TestAgent, number, number, string][] = [
      [none, none, 1, 400, 'SELF_ACTION'],
      [none, stranger, 1, 400, 'NO_TREASURY_WALLET'],
      [poor, stranger, 51, 404, 'NOT_FOUND'],
      [poor, other, 51, 429, 'DAILY_LIMIT_REACHED'],
      [rich, other, 50.000001, 429, 'DAILY_LIMIT_REACHED'],
      [poor, other, 50, 402, 'INSUFFICIENT_BALANCE'],
      [poor, other, 0.0009, 400, 'VALIDATION_ERROR'],
    ]
    for (const [from, to, amount, status, code] of cases) {
      const answer = await pay(from, to, amount)
      assert.deepEqual([answer.status, answer.body.code], [status, code], `${amount}`)
    }
    const { body, headers } = await pay(poor, other, 2)
    assert.deepEqual(body.details, { chain: 'BASE_SEPOLIA', available: 1_000_000, required: 2_000_000, availableFormatted: '1.00 USDC' })
    assert.equal(headers.get('retry-after'), null)
    assert.ok(Number((await pay(rich, other, 51)).headers.get('retry-after')) > 0)
    assert.equal((await pay(rich, other, 1, { gigId: randomUUID() })).status, 404)
    assert.equal((await call(harness, rich, 'GET', 'limits')).body.spentToday, 0)
  })

  it('never spends more than balance and limit when many pay at the same time', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(40)), await newAgent(harness)]

    const answers = await Promise.all(Array.from({ length: 8 }, () => pay(sender, recipient, 9)))

    const paid = answers.filter(({ status }) => status === 200).length
    assert.equal(paid, 4)
    for (const { status, body } of answers) assert.ok(status === 200 || ['INSUFFICIENT_BALANCE', 'CONFLICT'].includes(body.code), body.code)
    assert.equal((await balance(harness, sender)).balance, 4_000_000)
    assert.equal((await call(harness, sender, 'GET', 'limits')).body.spentToday, 36_000_000)
  })

  it('withdraws to the registered wallet', async () => {
    const agent = await fundedAgent(harness, usdc(10))

    const { status, body } = await call(harness, agent, 'POST', 'withdraw', { amount: 4_000_000 })

    assert.deepEqual([status, body.status, body.recipient.address, body.newBalance], [200, 'executed', agent.wallet, 6_000_000])
    assert.equal(balanceOf(harness, 'BASE_SEPOLIA', agent.wallet), 4_000_000n)
  })

  it('withdraws the money of an agent that lost its wallet, to that wallet, for the agent that proved it alone', async () => {
    const [lost, heir, other] = [await fundedAgent(harness, usdc(10)), await newAgent(harness), await newAgent(harness)]
    const withdraw = (agent: TestAgent) => call(harness, agent, 'POST', 'withdraw', { amount: 4_000_000, fromAgentId: lost.id })
    assert.equal((await withdraw(heir)).body.code, 'FORBIDDEN')
    harness.agents.set(lost.id, { ...harness.agents.get(lost.id)!, status: 'suspended', wallet: null, formerWallet: heir.wallet })

    const { status, body } = await withdraw(heir)

    assert.deepEqual([status, body.status, body.newBalance], [200, 'executed', 6_000_000], JSON.stringify(body))
    assert.equal(balanceOf(harness, 'BASE_SEPOLIA', heir.wallet), 4_000_000n)
    assert.equal((await withdraw(other)).body.code, 'FORBIDDEN')
    harness.agents.set(lost.id, { ...harness.agents.get(lost.id)!, heldByOperator: true })
    assert.equal((await withdraw(heir)).body.code, 'ACCOUNT_SUSPENDED')
    const nonsense = await call(harness, heir, 'POST', 'withdraw', { amount: 1_000_000, fromAgentId: '\ud800' })
    assert.deepEqual([nonsense.status, nonsense.body.code], [400, 'VALIDATION_ERROR'])
  })

  it('follows a reorganisation: another hash, or the money back', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(10)), await newAgent(harness)]
    const first = (await pay(sender, recipient, 3)).body
    const [command] = commandsOf(sender)

    const txHash = await harness.outcome(command!, 'confirm', { seq: 1_000_001 })
    await until('the new hash', async () => (await history(sender))[0].txHash === txHash)
    await harness.outcome(command!, 'fail', { seq: 1_000_002 })
    await until('the money is back', async () => (await balance(harness, sender)).balance === 10_000_000)
    move(harness, 'BASE_SEPOLIA', recipient.wallet, sender.address, usdc(3))

    assert.equal(await outcome(first.paymentId), 'FAILED')
  })

  it('shows the hash of a transaction that is signed and not yet confirmed', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(5)), await newAgent(harness)]
    harness.chain = () => 'wait'
    const { paymentId } = (await pay(sender, recipient, 5, {}, { prefer: 'respond-async' })).body
    const { opKey, round, kind, network, aggregateKey } = await until('the command', () => commandsOf(sender)[0])

    await harness.platform.publish(chainOutcome(kind).submitted.of({ opKey, round, kind, network, aggregateKey, seq: 1, txHash: newHash() }))

    await until('it is sent', async () => (await outcome(paymentId)) === 'SENT')
    assert.match((await history(sender))[0].txHash, /^0x/)
  })

  it('books a payment that an operator had sent again after its failure', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(10)), await newAgent(harness)]
    harness.chain = () => 'fail'
    const { paymentId } = (await pay(sender, recipient, 4)).body.details
    const [command] = commandsOf(sender)

    move(harness, 'BASE_SEPOLIA', sender.address, recipient.wallet, usdc(4))
    for (const seq of [5, 5]) await harness.outcome({ ...command!, round: 2 }, 'confirm', { seq })

    await until('executed', async () => (await outcome(paymentId)) === 'CONFIRMED')
    await deposit(harness, sender.address, 1n)
    await until('booked once', async () => (await balance(harness, sender)).balance === 6_000_001)
    const spentToday = async () => (await call(harness, sender, 'GET', 'limits')).body.spentToday
    assert.equal(await spentToday(), 4_000_000)

    await harness.outcome({ ...command!, round: 2 }, 'fail', { seq: 6 })
    move(harness, 'BASE_SEPOLIA', recipient.wallet, sender.address, usdc(4))

    await until('reversed', async () => (await outcome(paymentId)) === 'FAILED')
    assert.deepEqual([await spentToday(), (await balance(harness, sender)).balance], [0, 10_000_001])
  })

  it('answers the present and final status of a payment or withdrawal at its statusUrl, to its sender only', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(40)), await newAgent(harness)]
    const read = (statusUrl: string, { headers }: TestAgent = sender) => harness.platform.call('GET', statusUrl, { headers })
    const standing = async (statusUrl: string) => {
      const { status, failure } = (await read(statusUrl)).body
      return [status, failure]
    }
    harness.chain = () => 'wait'
    const paid = (await pay(sender, recipient, 5, {}, { prefer: 'respond-async' })).body
    const withdrawn = (await call(harness, sender, 'POST', 'withdraw', { amount: 3_000_000 }, { prefer: 'respond-async' })).body
    const queued = (await pay(sender, recipient, 25)).body

    assert.deepEqual(
      [await standing(paid.statusUrl), await standing(queued.statusUrl)],
      [
        ['processing', null],
        ['queued', null],
      ],
    )
    const command = async ({ paymentId }: { paymentId: string }) =>
      until('the command', () => harness.commands.find(({ args }) => args.paymentId === paymentId))
    await harness.outcome(await command(paid), 'fail')
    const sent = await command(withdrawn)
    move(harness, 'BASE_SEPOLIA', sender.address, sender.wallet, usdc(3))
    await harness.outcome(sent, 'confirm')
    await harness.platform.call('POST', queued.cancelUrl, { headers: sender.headers })

    await until('failed', async () => String(await standing(paid.statusUrl)) === 'failed,REVERTED')
    await until('executed', async () => String(await standing(withdrawn.statusUrl)) === 'executed,')
    assert.deepEqual(await standing(queued.statusUrl), ['cancelled', null])
    const { body } = await read(paid.statusUrl)
    assert.deepEqual([body.paymentId, body.recipient.handle, body.amount], [paid.paymentId, recipient.handle, 5_000_000])
    const others = [await read(paid.statusUrl, recipient), await read(`/api/treasury/payments/${randomUUID()}`)]
    assert.deepEqual(
      others.map(({ status }) => status),
      [403, 404],
    )
  })

  it('lets 16 calls of one agent wait for the chain; the next ones answer with what is accepted', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(20)), await newAgent(harness)]
    harness.chain = () => 'wait'
    let answered = 0
    const calls = Array.from({ length: 20 }, async () => {
      const { status, body } = await pay(sender, recipient, 1)
      answered += 1
      return [status, body.status, typeof body.statusUrl]
    })
    await until('four have their answer', () => answered >= 4)
    for (const command of await until('all are sent', () => (commandsOf(sender).length === 20 ? commandsOf(sender) : undefined)))
      await harness.outcome(command, 'confirm')

    const answers = (await Promise.all(calls)).map(answer => answer.join())
    assert.deepEqual(new Set(answers), new Set(['200,processing,string', '200,executed,string']))
  })

  it('gives each of 200 concurrent payments from one wallet its final answer', async function () {
    this.timeout(120_000)
    const [sender, recipient] = [await fundedAgent(harness, usdc(150)), await newAgent(harness)]
    assert.equal((await call(harness, sender, 'PATCH', 'limits', { dailyLimit: 200_000_000 })).status, 200)

    const answers = await Promise.all(Array.from({ length: 200 }, () => pay(sender, recipient, 1)))

    const counts = new Map<string, number>()
    for (const { status, body } of answers) {
      const name = `${status} ${body.code ?? (['executed', 'processing'].includes(body.status) ? 'accepted' : body.status)}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    assert.deepEqual(Object.fromEntries(counts), { '200 accepted': 150, '402 INSUFFICIENT_BALANCE': 50 })
    await until('all are paid', () => balanceOf(harness, 'BASE_SEPOLIA', recipient.wallet) === usdc(150))
    await until('nothing is reserved', async () => (await balance(harness, sender)).reserved === 0)
    assert.equal((await call(harness, sender, 'GET', 'limits')).body.spentToday, 150_000_000)
  })

  it('reads an agent a few times for many concurrent payments to it', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(50)), await newAgent(harness)]
    let reads = 0
    const agents = harness.agents
    harness.agents = new Map(agents)
    harness.agents.get = id => {
      if (id === recipient.id) reads += 1
      return agents.get(id)
    }

    const answers = await Promise.all(Array.from({ length: 40 }, () => pay(sender, recipient, 1)))

    harness.agents = agents
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.ok(reads > 0 && reads <= 20, `${reads} reads`)
  })

  it('holds every invariant through all of this', () => assertHealthy(harness))

  it('refuses malformed amounts, chains and notes', async () => {
    const [sender, recipient] = [await fundedAgent(harness, usdc(1)), await newAgent(harness)]
    const bad = [
      { amount: 1.5 },
      { amount: '1000' },
      { amount: -1000 },
      { amount: 100_000_000_001 },
      { amount: 1e300 },
      { amount: 5000, chain: 'BOTH' },
      { amount: 5000, note: 'x'.repeat(201) },
      { amount: 5000, recipientAgentId: 'nobody' },
      {},
    ]
    for (const body of bad) {
      const answer = await call(harness, sender, 'POST', 'pay', { recipientAgentId: recipient.id, ...body })
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'], JSON.stringify(body))
    }
    for (const dailyLimit of [999_999, 500_000_001, 1.5, null])
      assert.equal((await call(harness, sender, 'PATCH', 'limits', { dailyLimit })).status, 400)
    assert.equal((await call(harness, sender, 'GET', 'history?page=0')).status, 400)
  })
})
