import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type ErrorCode, type Refusal, treasuryApi } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { transact } from '@carapace/store'
import { commandConfirmed, newHash, newWallet, type TestAgent, until } from '@carapace/testing'
import fc from 'fast-check'
import { stores } from '../parts.ts'
import { balance, call, type FundedAgent, fundedAgent, newAgent, peers } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { balanceOf, contracts, deposit, move, publishTransfer, transferLogs, usdc } from '../testing/token.ts'
import { settleReservation } from './reservation.ts'

const chain = 'BASE_SEPOLIA' as const
const { reserveFunds, getReservation } = treasuryApi.internal

describe('treasury reservations', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const lockKey = (gigId: string = randomUUID()) => `escrow.lock:${gigId}`
  const reserve = (agent: TestAgent, key: string, amount: bigint, more: { round?: number; owner?: 'escrow' | 'commerce' } = {}) =>
    peers(harness).call('treasury', reserveFunds, {
      body: { owner: 'escrow', key, round: 1, agentId: agent.id, amount: String(amount), chain, purpose: 'Escrow of a gig', ...more },
      timeoutMs: 20_000,
    })
  const refused = async (work: Promise<unknown>): Promise<ErrorCode | 'none'> =>
    work.then(
      () => 'none' as const,
      (error: unknown) => (error as Refusal).code,
    )
  const statusOf = async (id: string) => (await peers(harness).call('treasury', getReservation, { params: { id } })).status
  const command = (opKey: string, round = 1) => ({ opKey, round, kind: opKey.split(':')[0]!, network: chain })
  /** The chain moves the money to the escrow contract. */
  const spend = (agent: FundedAgent, amount: bigint) => move(harness, chain, agent.address, contracts.escrow, amount)
  const ledger = async (account: string): Promise<bigint> => {
    const { db } = harness.platform.service('treasury').platform
    const row = await db.connection.collection<{ _id: string; balance: bigint }>('ledger_accounts').findOne({ _id: `${chain}/${account}` })
    return row?.balance ?? 0n
  }

  it('sets money aside once for a round of a command, however often and concurrently it is requested', async () => {
    const agent = await fundedAgent(harness, usdc(10))
    const key = lockKey()

    const answers = await Promise.all([1, 2, 3].map(() => reserve(agent, key, usdc(4))))
    const again = await reserve(agent, key, usdc(4))

    assert.equal(new Set([...answers, again].map(({ reservationId }) => reservationId)).size, 1)
    assert.deepEqual([again.status, again.address, again.amount], ['held', agent.address, '4000000'])
    const { balance: available, reserved } = await balance(harness, agent)
    assert.deepEqual([available, reserved], [6_000_000, 4_000_000])
    assert.equal((await call(harness, agent, 'GET', 'limits')).body.spentToday, 4_000_000)
  })

  it('says what could be set aside now, of balance and limit, and sets nothing aside', async () => {
    const agent = await fundedAgent(harness, usdc(60))
    await reserve(agent, lockKey(), usdc(20))
    const spendable = (agentId: string) =>
      peers(harness).call('treasury', treasuryApi.internal.getSpendable, { params: { agentId }, query: { chain } })

    const { address, available, debt, dailyLimit, remaining, resetsAt } = await spendable(agent.id)
    const none = await spendable(randomUUID())

    assert.deepEqual([address, available, debt, dailyLimit, remaining], [agent.address, '40000000', '0', '50000000', '30000000'])
    assert.match(resetsAt, /T00:00:00\.000Z$/)
    assert.deepEqual([none.address, none.available, none.remaining], [null, '0', '50000000'])
  })

  it('answers concurrent requests with the same one, also when it is the whole balance or the rest of the limit', async () => {
    for (const [balanceOfAll, amount] of [
      [usdc(10), usdc(10)],
      [usdc(90), usdc(30)],
    ] as const) {
      const agent = await fundedAgent(harness, balanceOfAll)
      const key = lockKey()

      const answers = await Promise.all([1, 2, 3].map(() => reserve(agent, key, amount)))

      assert.equal(new Set(answers.map(({ reservationId }) => reservationId)).size, 1)
      assert.equal((await balance(harness, agent)).reserved, Number(amount))
    }
  })

  it('refuses other terms for the same round', async () => {
    const agent = await fundedAgent(harness, usdc(10))
    const key = lockKey()
    await reserve(agent, key, usdc(4))

    assert.equal(await refused(reserve(agent, key, usdc(5))), 'IDEMPOTENCY_KEY_REUSED')
    assert.equal(await refused(reserve(agent, key, usdc(4), { owner: 'commerce' })), 'IDEMPOTENCY_KEY_REUSED')
  })

  it('refuses without a wallet, above the limit and above the balance, and changes nothing', async () => {
    const [none, agent] = [await newAgent(harness), await fundedAgent(harness, usdc(10))]

    assert.equal(await refused(reserve(none, lockKey(), 1n)), 'NO_TREASURY_WALLET')
    assert.equal(await refused(reserve(agent, lockKey(), usdc(50.000001))), 'DAILY_LIMIT_REACHED')
    assert.equal(await refused(reserve(agent, lockKey(), usdc(11))), 'INSUFFICIENT_BALANCE')
    assert.equal(await refused(reserve(agent, lockKey(), 0n)), 'VALIDATION_ERROR')
    assert.equal((await call(harness, agent, 'GET', 'limits')).body.spentToday, 0)
    assert.equal((await balance(harness, agent)).balance, 10_000_000)
  })

  it('is captured by the confirmation of its command, once, against the clearing account of that command', async () => {
    const agent = await fundedAgent(harness, usdc(10))
    const gigId = randomUUID()
    const { reservationId } = await reserve(agent, lockKey(gigId), usdc(4))

    spend(agent, usdc(4))
    for (const seq of [2, 2, 3]) await harness.outcome(command(lockKey(gigId)), 'confirm', { seq })

    await until('captured', async () => (await statusOf(reservationId)) === 'captured')
    await deposit(harness, agent.address, 1n)
    await until('what came after', async () => (await balance(harness, agent)).balance === 6_000_001)
    assert.equal((await balance(harness, agent)).reserved, 0)
    assert.equal(await ledger(`clearing:escrow.lock:${gigId}`), usdc(4))
    const [, debit] = (await call(harness, agent, 'GET', 'history')).body.transactions
    assert.deepEqual([debit.type, debit.status, debit.gigId, debit.description], ['debit', 'executed', gigId, 'Escrow of a gig'])
  })

  it('is freed by the terminal failure of its round', async () => {
    const agent = await fundedAgent(harness, usdc(10))
    const key = lockKey()
    const first = await reserve(agent, key, usdc(4))

    await harness.outcome(command(key), 'fail', { seq: 2, terminal: false, code: 'ROUND_REFUSED' })
    await harness.outcome(command(key), 'fail', { seq: 3, code: 'EXPIRED' })
    await until('freed', async () => (await statusOf(first.reservationId)) === 'voided')
    const second = await reserve(agent, key, usdc(5), { round: 2 })

    assert.notEqual(second.reservationId, first.reservationId)
    assert.equal((await reserve(agent, key, usdc(4))).status, 'voided')
    assert.deepEqual([(await balance(harness, agent)).balance, (await balance(harness, agent)).reserved], [5_000_000, 5_000_000])
  })

  it('is freed by the end of a later round when the failure of its own was never received', async () => {
    const agent = await fundedAgent(harness, usdc(10))
    const [alone, reservedTwice] = [lockKey(), lockKey()]
    const first = await reserve(agent, alone, usdc(2))
    const earlier = await reserve(agent, reservedTwice, usdc(3))
    const later = await reserve(agent, reservedTwice, usdc(3), { round: 2 })

    await harness.outcome(command(alone, 2), 'fail', { seq: 9 })
    spend(agent, usdc(3))
    await harness.outcome(command(reservedTwice, 2), 'confirm', { seq: 9 })

    await until(
      'both are freed',
      async () => (await statusOf(first.reservationId)) === 'voided' && (await statusOf(earlier.reservationId)) === 'voided',
    )
    assert.equal(await statusOf(later.reservationId), 'captured')
    const { balance: available, reserved } = await balance(harness, agent)
    assert.deepEqual([available, reserved], [7_000_000, 0])
  })

  it('is refused as retryable while an earlier round still holds what a later one needs', async () => {
    const agent = await fundedAgent(harness, usdc(10))
    const key = lockKey()
    await reserve(agent, key, usdc(8))

    assert.equal(await refused(reserve(agent, key, usdc(8), { round: 2 })), 'CONFLICT')
    await harness.outcome(command(key), 'fail', { seq: 2 })
    const second = await until('the first is freed', () => reserve(agent, key, usdc(8), { round: 2 }))

    assert.equal(second.status, 'held')
  })

  it('gives the limit back on the day of acceptance and not on the next', async () => {
    const own = await startHarness()
    try {
      const agent = await fundedAgent(own, usdc(100))
      const request = (key: string, amount: bigint) =>
        peers(own).call('treasury', reserveFunds, {
          body: { owner: 'escrow', key, round: 1, agentId: agent.id, amount: String(amount), chain, purpose: 'test' },
        })
      const key = lockKey()
      await request(key, usdc(50))
      assert.equal(await refused(request(lockKey(), 1n)), 'DAILY_LIMIT_REACHED')

      await own.platform.advance(24 * 3600)
      await request(lockKey(), usdc(30))
      await own.outcome(command(key), 'fail', { seq: 2 })

      await until('freed', async () => (await balance(own, agent)).balance === 70_000_000)
      assert.equal((await call(own, agent, 'GET', 'limits')).body.spentToday, 30_000_000)
    } finally {
      await own.close()
    }
  })

  it('is spent late from what comes in at the same moment, so that nobody has a debt and money together', async () => {
    const agent = await fundedAgent(harness, usdc(4))
    const { db } = harness.platform.service('treasury').platform
    const { reservations } = stores(harness.platform.service('treasury').platform)
    const freed = lockKey()
    const { reservationId } = await reserve(agent, freed, usdc(4))
    await harness.outcome(command(freed), 'fail')
    await until('it is freed', async () => (await statusOf(reservationId)) === 'voided')
    const other = lockKey()
    const { reservationId: second } = await reserve(agent, other, usdc(4))
    spend(agent, usdc(4))
    await harness.outcome(command(other), 'confirm')
    await until('all is spent', async () => (await statusOf(second)) === 'captured')

    spend(agent, usdc(4))
    const spent = [{ from: agent.address, amount: usdc(4) }]
    const late = { key: freed, round: 1, seq: 2, is: 'confirmed' as const, txHash: newHash(), blockNumber: 9, spent }
    let hasCome = false
    await transact({ db }, async session => {
      // what this transaction reads is as of now
      assert.equal((await reservations.get(reservationId, session))?.status, 'voided')
      // another process credits meanwhile
      if (!hasCome) await deposit(harness, agent.address, usdc(6))
      await until('it has come in', async () => hasCome || (await balance(harness, agent)).balance === Number(usdc(6)))
      hasCome = true
      await reservations.change(reservationId, present => settleReservation(present, late), { session })
    })

    const { balance: available, debt } = await balance(harness, agent)
    assert.deepEqual([available, debt], [Number(usdc(2)), 0])
  })

  it('credits a gig payout and a refund against the clearing account of the settlement, once', async () => {
    const agent = await fundedAgent(harness, 0n)
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
    harness.transactions.set(txHash, [
      log('EscrowReleased', payout, 0),
      log('EscrowRefunded', { key: onChainKey(refunded), refundTo: agent.address, amount: '7' }, 3),
    ])
    const seen = { from: contracts.escrow, to: agent.address, txHash }
    harness.balances.set(`${chain}/${agent.address}`, 12n)

    for (let n = 0; n < 2; n++) {
      await publishTransfer(harness, { ...seen, amount: 5n, logIndex: 1 })
      await publishTransfer(harness, { ...seen, amount: 7n, logIndex: 4 })
    }

    await until('both credited', async () => (await balance(harness, agent)).balance === 12)
    assert.deepEqual([await ledger(`clearing:escrow.settle:${released}`), await ledger(`clearing:escrow.settle:${refunded}`)], [-5n, -7n])
    const rows: { description: string; gigId: string }[] = (await call(harness, agent, 'GET', 'history')).body.transactions
    assert.deepEqual(
      new Map(rows.map(({ description, gigId }) => [description, gigId])),
      new Map([
        ['Gig payout', released],
        ['Refund', refunded],
      ]),
    )
  })

  it('holds every invariant through all of this', () => assertHealthy(harness))

  it('agrees with the chain after random sequences, outcomes repeated and in any order', async () => {
    const step = fc.record({
      amount: fc.bigInt({ min: 1n, max: 6_000_000n }),
      end: fc.constantFrom('confirm', 'fail', 'open'),
      repeats: fc.integer({ min: 1, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), fc.infiniteStream(fc.nat(1_000)), async (steps, order) => {
        const agent = await fundedAgent(harness, usdc(20))
        const made: { amount: bigint; end: string; repeats: number; key: string; id: string }[] = []
        for (const next of steps) {
          const key = lockKey()
          const answer = await reserve(agent, key, next.amount).catch((error: Refusal) => error.code)
          if (typeof answer !== 'string') made.push({ ...next, key, id: answer.reservationId })
          else assert.ok(['INSUFFICIENT_BALANCE', 'DAILY_LIMIT_REACHED'].includes(answer))
        }
        const outcomes = made
          .filter(({ end }) => end !== 'open')
          .flatMap(row => Array.from({ length: row.repeats }, (_, n) => ({ row, seq: 2 + (row.end === 'fail' ? 0 : n) })))
        const shuffled = outcomes.map(outcome => ({ outcome, at: order.next().value })).sort((a, b) => a.at - b.at)
        for (const { amount, end } of made) if (end === 'confirm') spend(agent, amount)
        for (const { outcome } of shuffled) await harness.outcome(command(outcome.row.key), outcome.row.end as 'confirm', { seq: outcome.seq })

        const sum = (end: string) => made.filter(row => row.end === end).reduce((total, { amount }) => total + amount, 0n)
        const expected = [Number(usdc(20) - sum('confirm') - sum('open')), Number(sum('open'))]
        await until('all outcomes followed', async () => {
          const { balance: available, reserved } = await balance(harness, agent)
          return available === expected[0] && reserved === expected[1]
        })
        assert.equal(balanceOf(harness, chain, agent.address), usdc(20) - sum('confirm'))
        assert.equal((await call(harness, agent, 'GET', 'limits')).body.spentToday, Number(sum('confirm') + sum('open')))
        await assertHealthy(harness)
      }),
      { numRuns: 6 },
    )
  })
})

describe('a reservation whose command had its effect while the logs were away', function () {
  this.timeout(120_000)
  let harness: Harness
  before(async () => {
    harness = await startHarness({ pollAfterMs: 100 })
  })
  after(() => harness.close())

  it('stays held, is polled again, and ends with what the logs say', async () => {
    for (const isOwn of [true, false]) {
      const agent = await fundedAgent(harness, usdc(10))
      const opKey = `escrow.lock:${randomUUID()}`
      const { reservationId } = await peers(harness).call('treasury', reserveFunds, {
        body: { owner: 'escrow', key: opKey, round: 1, agentId: agent.id, amount: String(usdc(4)), chain, purpose: 'Escrow of a gig' },
        timeoutMs: 20_000,
      })
      const statusOf = async () => (await peers(harness).call('treasury', getReservation, { params: { id: reservationId } })).status
      const of = { opKey, round: 1, kind: 'escrow.lock', network: chain }
      const found = commandConfirmed(of, { seq: 3, already: true })
      harness.memory.received(of)
      harness.memory.note(found)
      await harness.platform.publish(found)
      await until('it was polled', async () => harness.polled(opKey) > 2, 20)
      assert.equal(await statusOf(), 'held')

      const from = isOwn ? agent.address : newWallet()
      if (isOwn) move(harness, chain, agent.address, contracts.escrow, usdc(4))
      const logs = transferLogs({ paymentId: randomUUID(), from, to: contracts.escrow, amount: String(usdc(4)) })
      harness.memory.note(commandConfirmed(of, { seq: 3, already: true, logs }))

      await until('it has ended', async () => (await statusOf()) !== 'held', 20)
      assert.equal(await statusOf(), isOwn ? 'captured' : 'voided')
    }
  })
})
