import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'

import { chainCommandSubmitted } from '@carapace/api'
import { newHash, type TestAgent, until } from '@carapace/testing'
import { balance, call, type FundedAgent, fundedAgent, newAgent } from './testing/agents.ts'
import { assertHealthy } from './testing/healthy.ts'
import { balanceOf, deposit, move, tellTransfer, usdc } from './testing/token.ts'
import { startWorld, type World } from './testing/world.ts'

describe('treasury payments', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  beforeEach(() => {
    world.chain = () => 'confirm'
  })
  after(() => world.close())

  const pay = (from: TestAgent, to: TestAgent, whole: number, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    call(world, from, 'POST', 'pay', { recipientAgentId: to.id, amount: Number(usdc(whole)), ...more }, headers)
  const commandsOf = (agent: FundedAgent) => world.commands.filter(({ args }) => args.from === agent.address)
  const history = async (agent: TestAgent) => (await call(world, agent, 'GET', 'history')).body.transactions
  const outcome = (paymentId: string) => world.platform.call('GET', `/api/circle/transaction/${paymentId}`).then(({ body }) => body.state)

  it('pays at once below 25 USDC, into the treasury wallet of the recipient', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(30)), await fundedAgent(world, 0n)]

    const { status, body } = await pay(sender, recipient, 24.5, { note: 'thanks' })

    assert.deepEqual(
      [status, body.status, body.amountFormatted, body.newBalance, body.recipient, body.note],
      [200, 'executed', '24.50 USDC', 5_500_000, { agentId: recipient.id, handle: recipient.handle, address: recipient.address }, 'thanks'],
    )
    assert.match(body.txHash, /^0x[0-9a-f]{64}$/)
    await until('it has arrived', async () => (await balance(world, recipient)).balance === 24_500_000)
    assert.equal(balanceOf(world, 'BASE_SEPOLIA', recipient.address), 24_500_000n)
    const [credit] = await history(recipient)
    assert.deepEqual([credit.type, credit.counterpartyHandle, credit.description], ['credit', sender.handle, 'thanks'])
  })

  it('pays a recipient without a treasury wallet into its registered one', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(2)), await newAgent(world)]

    const { body } = await pay(sender, recipient, 1)

    assert.equal(body.recipient.address, recipient.wallet)
    assert.equal(balanceOf(world, 'BASE_SEPOLIA', recipient.wallet), 1_000_000n)
  })

  it('books what leaves a wallet once, by its command, though its transfer log is told too', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(10)), await newAgent(world)]

    const { body } = await pay(sender, recipient, 4)
    for (let n = 0; n < 3; n++) await tellTransfer(world, { from: sender.address, to: recipient.wallet, amount: usdc(4), txHash: body.txHash })
    await deposit(world, sender.address, 1n)

    await until('a later deposit', async () => (await balance(world, sender)).balance === 6_000_001)
    assert.equal((await history(sender)).length, 3)
  })

  it('pays once for one key, at once, later and with two equal requests together', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(30)), await newAgent(world)]
    const key = { 'idempotency-key': randomUUID() }

    const together = await Promise.all([pay(sender, recipient, 3, {}, key), pay(sender, recipient, 3, {}, key)])
    const later = await pay(sender, recipient, 3, {}, key)

    const done = [...together, later].filter(({ status }) => status === 200)
    assert.ok(together.every(({ status, body }) => status === 200 || body.code === 'IDEMPOTENCY_IN_PROGRESS'))
    assert.equal(new Set(done.map(({ body }) => body.paymentId)).size, 1)
    assert.equal((await balance(world, sender)).balance, 27_000_000)
    assert.equal(commandsOf(sender).length, 1)
    assert.equal((await pay(sender, recipient, 4, {}, key)).body.code, 'IDEMPOTENCY_KEY_REUSED')
  })

  it('frees money and limit when a payment fails for good, and sends nothing anew for its key', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(30)), await newAgent(world)]
    const key = { 'idempotency-key': randomUUID() }
    world.chain = () => 'fail'

    const refused = await pay(sender, recipient, 20, {}, key)
    world.chain = () => 'confirm'
    const again = await pay(sender, recipient, 20, {}, key)

    for (const { status, body } of [refused, again]) assert.deepEqual([status, body.code, body.details.state], [409, 'INVALID_STATE', 'failed'])
    assert.equal(commandsOf(sender).length, 1)
    assert.equal((await balance(world, sender)).balance, 30_000_000)
    assert.equal((await call(world, sender, 'GET', 'limits')).body.spentToday, 0)
    assert.equal((await history(sender))[0].status, 'failed')
  })

  it('a failure that is not terminal frees nothing', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(5)), await newAgent(world)]
    world.chain = () => 'wait'
    const { status, body } = await pay(sender, recipient, 5, {}, { prefer: 'respond-async' })
    const command = await until('the command', () => commandsOf(sender)[0])

    await world.outcome(command, 'fail', { terminal: false, code: 'IDEMPOTENCY_MISMATCH', seq: 3 })
    await deposit(world, sender.address, 1n)

    assert.deepEqual([status, body.status, body.txHash], [202, 'processing', null])
    await until('what came after it', async () => (await balance(world, sender)).balance === 1)
    assert.equal((await balance(world, sender)).reserved, 5_000_000)
    await world.outcome(command, 'fail', { seq: 4 })
    await until('freed', async () => (await balance(world, sender)).balance === 5_000_001)
  })

  it('checks in the order: oneself, wallet, recipient, limit, balance', async () => {
    const [rich, poor, none, other] = [
      await fundedAgent(world, usdc(60)),
      await fundedAgent(world, usdc(1)),
      await newAgent(world),
      await newAgent(world),
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
    assert.equal((await call(world, rich, 'GET', 'limits')).body.spentToday, 0)
  })

  it('never spends more than balance and limit when many pay at once', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(40)), await newAgent(world)]

    const answers = await Promise.all(Array.from({ length: 8 }, () => pay(sender, recipient, 9)))

    const paid = answers.filter(({ status }) => status === 200).length
    assert.equal(paid, 4)
    for (const { status, body } of answers) assert.ok(status === 200 || ['INSUFFICIENT_BALANCE', 'CONFLICT'].includes(body.code), body.code)
    assert.equal((await balance(world, sender)).balance, 4_000_000)
    assert.equal((await call(world, sender, 'GET', 'limits')).body.spentToday, 36_000_000)
  })

  it('withdraws to the registered wallet', async () => {
    const agent = await fundedAgent(world, usdc(10))

    const { status, body } = await call(world, agent, 'POST', 'withdraw', { amount: 4_000_000 })

    assert.deepEqual([status, body.status, body.recipient.address, body.newBalance], [200, 'executed', agent.wallet, 6_000_000])
    assert.equal(balanceOf(world, 'BASE_SEPOLIA', agent.wallet), 4_000_000n)
  })

  it('follows a reorganisation: another hash, or the money back', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(10)), await newAgent(world)]
    const first = (await pay(sender, recipient, 3)).body
    const [command] = commandsOf(sender)

    const txHash = await world.outcome(command!, 'confirm', { seq: 1_000_001 })
    await until('the new hash', async () => (await history(sender))[0].txHash === txHash)
    await world.outcome(command!, 'fail', { seq: 1_000_002 })
    await until('the money is back', async () => (await balance(world, sender)).balance === 10_000_000)
    move(world, 'BASE_SEPOLIA', recipient.wallet, sender.address, usdc(3))

    assert.equal(await outcome(first.paymentId), 'FAILED')
  })

  it('shows the hash of a transaction that is signed and not yet confirmed', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(5)), await newAgent(world)]
    world.chain = () => 'wait'
    const { paymentId } = (await pay(sender, recipient, 5, {}, { prefer: 'respond-async' })).body
    const { opKey, round, kind, network, aggregateKey } = await until('the command', () => commandsOf(sender)[0])

    await world.platform.publish(chainCommandSubmitted.of({ opKey, round, kind, network, aggregateKey, seq: 1, txHash: newHash() }))

    await until('it is sent', async () => (await outcome(paymentId)) === 'SENT')
    assert.match((await history(sender))[0].txHash, /^0x/)
  })

  it('books a payment that an operator had sent again after its failure', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(10)), await newAgent(world)]
    world.chain = () => 'fail'
    const { paymentId } = (await pay(sender, recipient, 4)).body.details
    const [command] = commandsOf(sender)

    move(world, 'BASE_SEPOLIA', sender.address, recipient.wallet, usdc(4))
    for (const seq of [5, 5]) await world.outcome({ ...command!, round: 2 }, 'confirm', { seq })

    await until('executed', async () => (await outcome(paymentId)) === 'CONFIRMED')
    await deposit(world, sender.address, 1n)
    await until('booked once', async () => (await balance(world, sender)).balance === 6_000_001)
    const spentToday = async () => (await call(world, sender, 'GET', 'limits')).body.spentToday
    assert.equal(await spentToday(), 4_000_000)

    await world.outcome({ ...command!, round: 2 }, 'fail', { seq: 6 })
    move(world, 'BASE_SEPOLIA', recipient.wallet, sender.address, usdc(4))

    await until('undone', async () => (await outcome(paymentId)) === 'FAILED')
    assert.deepEqual([await spentToday(), (await balance(world, sender)).balance], [0, 10_000_001])
  })

  it('answers how a payment or withdrawal stands and ended at its statusUrl, to its sender only', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(40)), await newAgent(world)]
    const read = (statusUrl: string, { headers }: TestAgent = sender) => world.platform.call('GET', statusUrl, { headers })
    const standing = async (statusUrl: string) => {
      const { status, failure } = (await read(statusUrl)).body
      return [status, failure]
    }
    world.chain = () => 'wait'
    const paid = (await pay(sender, recipient, 5, {}, { prefer: 'respond-async' })).body
    const withdrawn = (await call(world, sender, 'POST', 'withdraw', { amount: 3_000_000 }, { prefer: 'respond-async' })).body
    const queued = (await pay(sender, recipient, 25)).body

    assert.deepEqual(
      [await standing(paid.statusUrl), await standing(queued.statusUrl)],
      [
        ['processing', null],
        ['queued', null],
      ],
    )
    const command = async ({ paymentId }: { paymentId: string }) =>
      until('the command', () => world.commands.find(({ args }) => args.paymentId === paymentId))
    await world.outcome(await command(paid), 'fail')
    const sent = await command(withdrawn)
    move(world, 'BASE_SEPOLIA', sender.address, sender.wallet, usdc(3))
    await world.outcome(sent, 'confirm')
    await world.platform.call('POST', queued.cancelUrl, { headers: sender.headers })

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

  it('gives each of 200 payments at once from one wallet its final answer', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(150)), await newAgent(world)]
    assert.equal((await call(world, sender, 'PATCH', 'limits', { dailyLimit: 200_000_000 })).status, 200)

    const answers = await Promise.all(Array.from({ length: 200 }, () => pay(sender, recipient, 1)))

    const counts = new Map<string, number>()
    for (const { status, body } of answers) {
      const name = `${status} ${body.code ?? (['executed', 'processing'].includes(body.status) ? 'accepted' : body.status)}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    assert.deepEqual(Object.fromEntries(counts), { '200 accepted': 150, '402 INSUFFICIENT_BALANCE': 50 })
    await until('all are paid', () => balanceOf(world, 'BASE_SEPOLIA', recipient.wallet) === usdc(150))
    await until('nothing is reserved', async () => (await balance(world, sender)).reserved === 0)
    assert.equal((await call(world, sender, 'GET', 'limits')).body.spentToday, 150_000_000)
  })

  it('keeps every invariant through all of this', () => assertHealthy(world))

  it('refuses malformed amounts, chains and notes', async () => {
    const [sender, recipient] = [await fundedAgent(world, usdc(1)), await newAgent(world)]
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
      const answer = await call(world, sender, 'POST', 'pay', { recipientAgentId: recipient.id, ...body })
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'], JSON.stringify(body))
    }
    for (const dailyLimit of [999_999, 500_000_001, 1.5, null])
      assert.equal((await call(world, sender, 'PATCH', 'limits', { dailyLimit })).status, 400)
    assert.equal((await call(world, sender, 'GET', 'history?page=0')).status, 400)
  })
})
