import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type ErrorCode, type Refusal, treasuryApi } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { newHash, newWallet, type TestAgent, until } from '@carapace/testing'
import fc from 'fast-check'
import { balance, call, type FundedAgent, fundedAgent, newAgent, peers } from './testing/agents.ts'
import { assertHealthy } from './testing/healthy.ts'
import { balanceOf, contracts, deposit, move, tellTransfer, usdc } from './testing/token.ts'
import { startWorld, type World } from './testing/world.ts'

const chain = 'BASE_SEPOLIA' as const
const { reserveFunds, getReservation } = treasuryApi.internal

describe('treasury reservations', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

  const lockKey = (gigId: string = randomUUID()) => `escrow.lock:${gigId}`
  const reserve = (agent: TestAgent, key: string, amount: bigint, more: { round?: number; owner?: 'escrow' | 'commerce' } = {}) =>
    peers(world).call('treasury', reserveFunds, {
      body: { owner: 'escrow', key, round: 1, agentId: agent.id, amount: String(amount), chain, purpose: 'Escrow of a gig', ...more },
      timeoutMs: 20_000,
    })
  const refused = async (work: Promise<unknown>): Promise<ErrorCode | 'none'> =>
    work.then(
      () => 'none' as const,
      (error: unknown) => (error as Refusal).code,
    )
  const statusOf = async (id: string) => (await peers(world).call('treasury', getReservation, { params: { id } })).status
  const command = (opKey: string, round = 1) => ({ opKey, round, kind: opKey.split(':')[0]!, network: chain })
  /** The chain takes the money to the escrow contract. */
  const spend = (agent: FundedAgent, amount: bigint) => move(world, chain, agent.address, contracts.escrow, amount)
  const ledger = async (account: string): Promise<bigint> => {
    const { db } = world.platform.service('treasury').platform
    const row = await db.connection.collection<{ _id: string; balance: bigint }>('ledger_accounts').findOne({ _id: `${chain}/${account}` })
    return row?.balance ?? 0n
  }

  it('sets money aside once for a round of a command, however often and at once it is asked', async () => {
    const agent = await fundedAgent(world, usdc(10))
    const key = lockKey()

    const answers = await Promise.all([1, 2, 3].map(() => reserve(agent, key, usdc(4))))
    const again = await reserve(agent, key, usdc(4))

    assert.equal(new Set([...answers, again].map(({ reservationId }) => reservationId)).size, 1)
    assert.deepEqual([again.status, again.address, again.amount], ['held', agent.address, '4000000'])
    const { balance: available, reserved } = await balance(world, agent)
    assert.deepEqual([available, reserved], [6_000_000, 4_000_000])
    assert.equal((await call(world, agent, 'GET', 'limits')).body.spentToday, 4_000_000)
  })

  it('says what could be set aside now, of balance and limit, and sets nothing aside', async () => {
    const agent = await fundedAgent(world, usdc(60))
    await reserve(agent, lockKey(), usdc(20))
    const spendable = (agentId: string) => peers(world).call('treasury', treasuryApi.internal.getSpendable, { params: { agentId }, query: { chain } })

    const { address, available, debt, dailyLimit, remaining, resetsAt } = await spendable(agent.id)
    const none = await spendable(randomUUID())

    assert.deepEqual([address, available, debt, dailyLimit, remaining], [agent.address, '40000000', '0', '50000000', '30000000'])
    assert.match(resetsAt, /T00:00:00\.000Z$/)
    assert.deepEqual([none.address, none.available, none.remaining], [null, '0', '50000000'])
  })

  it('gives all who ask at once the same, also when it is the whole balance or the rest of the limit', async () => {
    for (const [balanceOfAll, amount] of [
      [usdc(10), usdc(10)],
      [usdc(90), usdc(30)],
    ] as const) {
      const agent = await fundedAgent(world, balanceOfAll)
      const key = lockKey()

      const answers = await Promise.all([1, 2, 3].map(() => reserve(agent, key, amount)))

      assert.equal(new Set(answers.map(({ reservationId }) => reservationId)).size, 1)
      assert.equal((await balance(world, agent)).reserved, Number(amount))
    }
  })

  it('takes other terms for the same round as another wish', async () => {
    const agent = await fundedAgent(world, usdc(10))
    const key = lockKey()
    await reserve(agent, key, usdc(4))

    assert.equal(await refused(reserve(agent, key, usdc(5))), 'IDEMPOTENCY_KEY_REUSED')
    assert.equal(await refused(reserve(agent, key, usdc(4), { owner: 'commerce' })), 'IDEMPOTENCY_KEY_REUSED')
  })

  it('refuses without a wallet, above the limit and above the balance, and changes nothing', async () => {
    const [none, agent] = [await newAgent(world), await fundedAgent(world, usdc(10))]

    assert.equal(await refused(reserve(none, lockKey(), 1n)), 'NO_TREASURY_WALLET')
    assert.equal(await refused(reserve(agent, lockKey(), usdc(50.000001))), 'DAILY_LIMIT_REACHED')
    assert.equal(await refused(reserve(agent, lockKey(), usdc(11))), 'INSUFFICIENT_BALANCE')
    assert.equal(await refused(reserve(agent, lockKey(), 0n)), 'VALIDATION_ERROR')
    assert.equal((await call(world, agent, 'GET', 'limits')).body.spentToday, 0)
    assert.equal((await balance(world, agent)).balance, 10_000_000)
  })

  it('is captured by the confirmation of its command, once, against the clearing account of that command', async () => {
    const agent = await fundedAgent(world, usdc(10))
    const gigId = randomUUID()
    const { reservationId } = await reserve(agent, lockKey(gigId), usdc(4))

    spend(agent, usdc(4))
    for (const seq of [2, 2, 3]) await world.outcome(command(lockKey(gigId)), 'confirm', { seq })

    await until('captured', async () => (await statusOf(reservationId)) === 'captured')
    await deposit(world, agent.address, 1n)
    await until('what came after', async () => (await balance(world, agent)).balance === 6_000_001)
    assert.equal((await balance(world, agent)).reserved, 0)
    assert.equal(await ledger(`clearing:escrow.lock:${gigId}`), usdc(4))
    const [, debit] = (await call(world, agent, 'GET', 'history')).body.transactions
    assert.deepEqual([debit.type, debit.status, debit.gigId, debit.description], ['debit', 'executed', gigId, 'Escrow of a gig'])
  })

  it('is freed by the terminal failure of its own round only', async () => {
    const agent = await fundedAgent(world, usdc(10))
    const key = lockKey()
    const first = await reserve(agent, key, usdc(4))

    await world.outcome(command(key, 2), 'fail', { seq: 9 })
    await world.outcome(command(key), 'fail', { seq: 2, terminal: false, code: 'ROUND_REFUSED' })
    await world.outcome(command(key), 'fail', { seq: 3, code: 'EXPIRED' })
    await until('freed', async () => (await statusOf(first.reservationId)) === 'voided')
    const second = await reserve(agent, key, usdc(5), { round: 2 })

    assert.notEqual(second.reservationId, first.reservationId)
    assert.equal((await reserve(agent, key, usdc(4))).status, 'voided')
    assert.deepEqual([(await balance(world, agent)).balance, (await balance(world, agent)).reserved], [5_000_000, 5_000_000])
  })

  it('asks to come again while an earlier round still holds what a later one needs', async () => {
    const agent = await fundedAgent(world, usdc(10))
    const key = lockKey()
    await reserve(agent, key, usdc(8))

    assert.equal(await refused(reserve(agent, key, usdc(8), { round: 2 })), 'CONFLICT')
    await world.outcome(command(key), 'fail', { seq: 2 })
    const second = await until('the first is freed', () => reserve(agent, key, usdc(8), { round: 2 }))

    assert.equal(second.status, 'held')
  })

  it('gives the limit back on the day of acceptance and not on the next', async () => {
    const own = await startWorld()
    try {
      const agent = await fundedAgent(own, usdc(100))
      const ask = (key: string, amount: bigint) =>
        peers(own).call('treasury', reserveFunds, {
          body: { owner: 'escrow', key, round: 1, agentId: agent.id, amount: String(amount), chain, purpose: 'test' },
        })
      const key = lockKey()
      await ask(key, usdc(50))
      assert.equal(await refused(ask(lockKey(), 1n)), 'DAILY_LIMIT_REACHED')

      await own.platform.advance(24 * 3600)
      await ask(lockKey(), usdc(30))
      await own.outcome(command(key), 'fail', { seq: 2 })

      await until('freed', async () => (await balance(own, agent)).balance === 70_000_000)
      assert.equal((await call(own, agent, 'GET', 'limits')).body.spentToday, 30_000_000)
    } finally {
      await own.close()
    }
  })

  it('credits a gig payout and a refund against the clearing account of the settlement, once', async () => {
    const agent = await fundedAgent(world, 0n)
    const [released, refunded] = [randomUUID(), randomUUID()]
    const log = (event: string, args: Record<string, unknown>, logIndex: number) => ({
      contract: 'Escrow',
      event,
      args,
      address: contracts.escrow,
      logIndex,
    })
    const txHash = newHash()
    const payout = { key: onChainKey(released), payee: newWallet(), net: '11', fee: '1', splitTo: agent.address, splitAmount: '5' }
    world.transactions.set(txHash, [
      log('EscrowReleased', payout, 0),
      log('EscrowRefunded', { key: onChainKey(refunded), refundTo: agent.address, amount: '7' }, 3),
    ])
    const seen = { from: contracts.escrow, to: agent.address, txHash }
    world.balances.set(`${chain}/${agent.address}`, 12n)

    for (let n = 0; n < 2; n++) {
      await tellTransfer(world, { ...seen, amount: 5n, logIndex: 1 })
      await tellTransfer(world, { ...seen, amount: 7n, logIndex: 4 })
    }

    await until('both credited', async () => (await balance(world, agent)).balance === 12)
    assert.deepEqual([await ledger(`clearing:escrow.settle:${released}`), await ledger(`clearing:escrow.settle:${refunded}`)], [-5n, -7n])
    const rows: { description: string; gigId: string }[] = (await call(world, agent, 'GET', 'history')).body.transactions
    assert.deepEqual(
      new Map(rows.map(({ description, gigId }) => [description, gigId])),
      new Map([
        ['Gig payout', released],
        ['Refund', refunded],
      ]),
    )
  })

  it('keeps every invariant through all of this', () => assertHealthy(world))

  it('agrees with the chain after random sequences, outcomes repeated and in any order', async () => {
    const step = fc.record({
      amount: fc.bigInt({ min: 1n, max: 6_000_000n }),
      end: fc.constantFrom('confirm', 'fail', 'open'),
      repeats: fc.integer({ min: 1, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), fc.infiniteStream(fc.nat(1_000)), async (steps, order) => {
        const agent = await fundedAgent(world, usdc(20))
        const made: { amount: bigint; end: string; repeats: number; key: string; id: string }[] = []
        for (const next of steps) {
          const key = lockKey()
          const answer = await reserve(agent, key, next.amount).catch((error: Refusal) => error.code)
          if (typeof answer !== 'string') made.push({ ...next, key, id: answer.reservationId })
          else assert.ok(['INSUFFICIENT_BALANCE', 'DAILY_LIMIT_REACHED'].includes(answer))
        }
        const told = made
          .filter(({ end }) => end !== 'open')
          .flatMap(row => Array.from({ length: row.repeats }, (_, n) => ({ row, seq: 2 + (row.end === 'fail' ? 0 : n) })))
        const shuffled = told.map(outcome => ({ outcome, at: order.next().value })).sort((a, b) => a.at - b.at)
        for (const { amount, end } of made) if (end === 'confirm') spend(agent, amount)
        for (const { outcome } of shuffled) await world.outcome(command(outcome.row.key), outcome.row.end as 'confirm', { seq: outcome.seq })

        const sum = (end: string) => made.filter(row => row.end === end).reduce((total, { amount }) => total + amount, 0n)
        const expected = [Number(usdc(20) - sum('confirm') - sum('open')), Number(sum('open'))]
        await until('all outcomes followed', async () => {
          const { balance: available, reserved } = await balance(world, agent)
          return available === expected[0] && reserved === expected[1]
        })
        assert.equal(balanceOf(world, chain, agent.address), usdc(20) - sum('confirm'))
        assert.equal((await call(world, agent, 'GET', 'limits')).body.spentToday, Number(sum('confirm') + sum('open')))
        await assertHealthy(world)
      }),
      { numRuns: 6 },
    )
  })
})
