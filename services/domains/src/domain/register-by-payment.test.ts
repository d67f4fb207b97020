import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { domainsApi, x402Arrived } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { account } from '../ledger.ts'
import { intake, sharedHarness, usdc } from '../testing/harness.ts'

describe('a payment for a name', () => {
  const harness = sharedHarness()

  let names = 0
  const newName = () => `paid-${++names}-name`
  const newPayment = ({ wallet }: Pick<TestAgent, 'wallet'>, subject: string, amount = usdc(25)) =>
    x402Arrived.of({ paymentId: randomUUID(), service: 'domains', subject, payer: wallet, amount, chain: 'BASE_SEPOLIA' })
  type Payment = ReturnType<typeof newPayment>
  const arrive = (payment: Payment) => harness.platform.publish(payment)
  const idOf = ({ data }: Payment) => String(data.paymentId)
  const read = async (full: string) => (await harness.platform.call('GET', `/api/domains/${full}`)).body
  const returnedReason = (payment: Payment) => harness.returned.find(({ id }) => id === idOf(payment))?.reason
  const income = async () => {
    const { db } = harness.platform.service('domains').platform
    const row = await db.connection.collection('ledger_accounts').findOne({ account: account.income })
    return (row?.balance as bigint | undefined) ?? 0n
  }

  it('that is announced twice at the same time registers it once, with the money of the intake', async () => {
    const agent = await harness.newAgent()
    const full = `${newName()}.pinch`
    const payment = newPayment(agent, full)
    const before = await income()

    await Promise.all([arrive(payment), arrive(payment)])

    await until('the name is registered', async () => (await read(full)).owner === agent.wallet)
    const args = harness.commands.map(({ args: { sale } }) => sale)
    assert.deepEqual(args, [{ price: String(usdc(25)), source: { kind: 'custodial', from: intake } }])
    assert.deepEqual([(await income()) - before, harness.returned], [usdc(25), []])
  })

  it('waits until its arrival is final', async () => {
    const agent = await harness.newAgent()
    const full = `${newName()}.pinch`
    const payment = newPayment(agent, full)
    harness.holds.set(idOf(payment), 'pending')
    await arrive(payment)
    await until('the name is reserved', async () => !(await check(full)).available)
    assert.deepEqual([harness.commands, harness.returned], [[], []])

    harness.holds.delete(idOf(payment))
    await harness.platform.advance(60)

    await until('the name is registered', async () => (await read(full)).owner === agent.wallet)
  })

  it('frees the name where the money is not at the intake any more', async () => {
    const agent = await harness.newAgent()
    const full = `${newName()}.pinch`
    const payment = newPayment(agent, full)
    harness.holds.set(idOf(payment), 'refused')

    await arrive(payment)
    await arrive(newPayment(agent, full))

    await until('the next payment has registered it', async () => (await read(full)).owner === agent.wallet)
    assert.equal(harness.commands.length, 1)
  })

  it('goes back where the name costs another price, is invalid, belongs to somebody, or the payer is no agent', async () => {
    const agent = await harness.newAgent()
    const full = `${newName()}.pinch`
    await arrive(newPayment(agent, full))
    await until('the name is registered', async () => (await read(full)).owner === agent.wallet)
    const wrong = {
      price_mismatch: newPayment(agent, `${newName()}.pinch`, usdc(24)),
      name_reserved: newPayment(agent, 'oracle.pinch'),
      name_taken: newPayment(await harness.newAgent(), full),
      not_found: newPayment({ wallet: intake }, `${newName()}.pinch`),
    }
    for (const [reason, payment] of Object.entries(wrong)) {
      await arrive(payment)
      await until(`it goes back: ${reason}`, () => returnedReason(payment) === reason)
    }
    assert.deepEqual([harness.commands.length, harness.returned.length], [1, 4])
  })

  it('goes back where the score of its agent gives it the name without payment', async () => {
    const agent = await harness.newAgent({ score: 40 })
    const full = `${newName()}.pinch`
    const payment = newPayment(agent, full)

    await arrive(payment)

    await until('it goes back', () => returnedReason(payment) === 'free_by_score')
    await until('the name is registered', async () => (await read(full)).owner === agent.wallet)
    assert.equal((await read(full)).record.free, true)
  })

  it('registers nothing after its mint has failed: treasury sends it back by the outcome', async () => {
    const agent = await harness.newAgent()
    const full = `${newName()}.pinch`
    const payment = newPayment(agent, full)
    harness.chain = () => 'fail'
    await arrive(payment)
    await until('the name is free again', async () => harness.commands.length === 1 && (await check(full)).available)
    harness.chain = () => 'confirm'

    await arrive(payment)
    const other = newPayment(agent, full)
    await arrive(other)

    await until('another payment has registered it', async () => (await read(full)).owner === agent.wallet)
    assert.deepEqual([harness.commands.map(({ args }) => args.n), harness.returned], [[1, 2], []])
  })

  it('is quoted at the full price to the agent alone, next to why a new one would be for nothing', async () => {
    const agent = await harness.newAgent()
    const name = newName()
    const quote = async ({ id: agentId, wallet }: TestAgent) => {
      const body = { request: { name, tld: 'pinch', pricePaid: 25 }, caller: { agentId, wallet } }
      return harness.platform.service('domains').platform.peers.call('domains', domainsApi.internal.quoteName, { body })
    }
    const facts = { subject: `${name}.pinch`, price: String(usdc(25)), chain: 'BASE_SEPOLIA', payTo: intake }
    const early = await quote(agent)
    assert.deepEqual([early.quote, early.refusal], [{ ...facts, payer: agent.wallet, agentId: agent.id }, null])

    await arrive(newPayment(agent, `${name}.pinch`))
    await until('the name is registered', async () => (await read(`${name}.pinch`)).owner === agent.wallet)
    const { quote: late, refusal } = await quote(agent)
    assert.deepEqual([late?.price, refusal?.code], [facts.price, 'NAME_TAKEN'])
  })

  async function check(full: string) {
    const [name, tld] = full.split('.')
    return (await harness.platform.call('POST', '/api/domains/check', { body: { name, tld } })).body
  }
})
