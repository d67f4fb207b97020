import assert from 'node:assert/strict'
import { transact, transfer } from '@carapace/store'
import { newHash, newWallet, type TestAgent, until } from '@carapace/testing'
import { account } from '../ledger/accounts.ts'
import { treasuryLedger } from '../ledger/ledger.ts'
import { stores } from '../parts.ts'
import { balance, call, type FundedAgent, fundedAgent, newAgent } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { balanceOf, move, publishDropped, publishTransfer, type Seen, transferLog, usdc } from '../testing/token.ts'
import { depositSweep } from './deposit-sweep.ts'

describe('deposits when the chain drops blocks', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  beforeEach(() => {
    harness.chain = () => 'confirm'
  })
  afterEach(() => assertHealthy(harness))
  after(() => harness.close())

  const outside = newWallet()
  const holds = (agent: TestAgent, amount: number) =>
    until(`the balance is ${amount}`, async () => (await balance(harness, agent)).balance === amount)
  const credits = async (agent: TestAgent) =>
    (await call(harness, agent, 'GET', 'history')).body.transactions.map(({ amount, status }: Record<string, unknown>) => [amount, status])

  const mine = (seen: Seen & { txHash: string; blockHash: string }) => {
    move(harness, 'BASE_SEPOLIA', seen.from!, seen.to, seen.amount)
    harness.transactions.set(seen.txHash, [transferLog(seen)])
    harness.blocks.set(seen.txHash, seen.blockHash)
  }
  /** The chain includes a transfer, and its block is final. */
  const include = async (seen: Seen & { txHash: string; blockHash: string }) => {
    mine(seen)
    await publishTransfer(harness, seen)
  }
  /** The chain drops its block. */
  const drop = (seen: Seen & { txHash: string }) => {
    move(harness, 'BASE_SEPOLIA', seen.to, seen.from!, seen.amount)
    harness.transactions.delete(seen.txHash)
    harness.blocks.delete(seen.txHash)
  }
  const transferTo = (agent: FundedAgent, whole: number, more: Partial<Seen> = {}) => ({
    ...{ from: outside, to: agent.address, amount: usdc(whole), txHash: newHash(), blockHash: newHash(), logIndex: 4, logPosition: 1 },
    ...more,
  })
  /** An event published later has been handled: so have those published before. */
  const marker = async (agent: FundedAgent, expected: number) => {
    await include(transferTo(agent, 0.000001))
    await holds(agent, expected + 1)
  }

  it('credits once what is included again in another block', async () => {
    const agent = await fundedAgent(harness, 0n)
    const first = transferTo(agent, 12)
    await include(first)
    await holds(agent, 12_000_000)

    drop(first)
    const second = { ...first, blockHash: newHash(), logIndex: 9 }
    await include(second)
    await publishDropped(harness, first)
    await marker(agent, 12_000_000)

    assert.deepEqual(await credits(agent), [
      [1, 'executed'],
      [12_000_000, 'executed'],
    ])
  })

  it('posts what differs from the record before: nothing for one that is credited and stays so', async () => {
    const agent = await fundedAgent(harness, 9_000_000n)
    const { platform } = harness.platform.service('treasury')
    const { deposits } = stores(platform)
    const { walletId } = await balance(harness, agent)
    const [credited] = await deposits.credited(walletId)

    await platform.db.transaction(session => deposits.put(credited, { ...credited!, historyId: null }, session))

    await holds(agent, 9_000_000)
  })

  it('puts the new content of a log in the place of the old one', async () => {
    const [agent, other] = [await fundedAgent(harness, 0n), await fundedAgent(harness, 0n)]
    const [first, elsewhere] = [transferTo(agent, 12), transferTo(agent, 3)]
    for (const seen of [first, elsewhere]) await include(seen)
    await holds(agent, 15_000_000)

    for (const seen of [first, elsewhere]) drop(seen)
    await include({ ...first, blockHash: newHash(), amount: usdc(7) })
    await include({ ...elsewhere, blockHash: newHash(), to: other.address })
    for (const seen of [first, elsewhere]) await publishDropped(harness, seen)

    await holds(agent, 7_000_000)
    await holds(other, 3_000_000)
    assert.deepEqual((await credits(agent)).sort(), [
      [12_000_000, 'failed'],
      [3_000_000, 'failed'],
      [7_000_000, 'executed'],
    ])
  })

  it('reverses a dropped deposit, and credits it again when it comes back much later', async () => {
    const agent = await fundedAgent(harness, 0n)
    const first = transferTo(agent, 5)
    await include(first)
    await holds(agent, 5_000_000)

    drop(first)
    await publishDropped(harness, first)
    await holds(agent, 0)
    await assertHealthy(harness)
    await publishTransfer(harness, first)
    const again = { ...first, blockHash: newHash(), logIndex: 0 }
    await include(again)
    await holds(agent, 5_000_000)
    for (const seen of [again, again]) await publishTransfer(harness, seen)
    await publishDropped(harness, first)
    await marker(agent, 5_000_000)
  })

  it('leaves a credit alone while the chain shows its transfer in that very block', async () => {
    const agent = await fundedAgent(harness, 0n)
    const first = transferTo(agent, 5)
    await include(first)
    await holds(agent, 5_000_000)

    await publishDropped(harness, first)

    await marker(agent, 5_000_000)
  })

  it('makes a debt of what is spent, that blocks payments until deposits have covered it', async () => {
    const [agent, friend] = [await fundedAgent(harness, 0n), await newAgent(harness)]
    const pay = (whole: number) => call(harness, agent, 'POST', 'pay', { recipientAgentId: friend.id, amount: Number(usdc(whole)) })
    const first = transferTo(agent, 20)
    await include(first)
    await holds(agent, 20_000_000)
    assert.equal((await pay(15)).status, 200)

    drop(first)
    // what is spent stays spent: other deposits, not final yet, carry it on the new branch
    const others = [transferTo(agent, 10), transferTo(agent, 6)]
    for (const other of others) mine(other)
    await publishDropped(harness, first)
    const { body: inDebt } = await until('it owes', async () => {
      const { body } = await call(harness, agent, 'GET', 'balance')
      return body.debt > 0 && { body }
    })
    assert.deepEqual([inDebt.balance, inDebt.reserved, inDebt.debt, inDebt.debts.BASE_SEPOLIA], [0, 0, 15_000_000, 15_000_000])
    const refused = await pay(1)
    assert.deepEqual([refused.status, refused.body.code, refused.body.details.debt], [402, 'INSUFFICIENT_BALANCE', 15_000_000])
    await assertHealthy(harness)

    await publishTransfer(harness, others[0]!)
    await until('a part is covered', async () => (await balance(harness, agent)).debt === 5_000_000)
    assert.deepEqual([(await balance(harness, agent)).balance, (await pay(0.001)).status], [0, 402])
    await publishTransfer(harness, others[1]!)
    await holds(agent, 1_000_000)
    assert.deepEqual([(await balance(harness, agent)).debt, (await pay(1)).status], [0, 200])
  })

  it('pays a debt first with money that is given back', async () => {
    const [agent, friend] = [await fundedAgent(harness, 0n), await newAgent(harness)]
    const first = transferTo(agent, 30)
    await include(first)
    await holds(agent, 30_000_000)
    const { body: queued } = await call(harness, agent, 'POST', 'pay', { recipientAgentId: friend.id, amount: Number(usdc(28)) })
    assert.equal(queued.status, 'queued')

    drop(first)
    await publishDropped(harness, first)
    await until('it owes', async () => (await balance(harness, agent)).debt === 28_000_000)
    await harness.platform.advance(601)
    assert.equal((await call(harness, agent, 'GET', 'pending')).body.total, 1)
    await harness.platform.advance(600)
    await until('the payment has failed', async () => (await call(harness, agent, 'GET', 'pending')).body.total === 0)

    const { balance: available, reserved, debt } = await balance(harness, agent)
    assert.deepEqual([available, reserved, debt], [0, 0, 0])
    assert.equal(harness.commands.filter(({ args }) => args.paymentId === queued.paymentId).length, 0)
    assert.equal(balanceOf(harness, 'BASE_SEPOLIA', agent.address), 0n)
  })

  describe('booked under the block and index of their logs', () => {
    /** As deposits were booked before. */
    const postOld = async (agent: FundedAgent, seen: Seen & { txHash: string; blockHash: string }) => {
      const { platform } = harness.platform.service('treasury')
      const { body } = await call(harness, agent, 'GET', 'balance')
      const entry = {
        key: `deposit:BASE_SEPOLIA:${seen.blockHash}:${seen.logIndex}`,
        chain: 'BASE_SEPOLIA',
        lines: transfer(account.outside(seen.from!), account.available(agent.id), seen.amount),
        ref: { type: 'deposit', id: body.walletId },
        txHash: seen.txHash,
      }
      await transact(platform, session => treasuryLedger(platform.db).post(entry, session))
    }
    const bookOld = async (agent: FundedAgent, seen: Seen & { txHash: string; blockHash: string }) => {
      mine(seen)
      await postOld(agent, seen)
      await holds(agent, Number(seen.amount))
    }

    it('are not credited again, in any block', async () => {
      const agent = await fundedAgent(harness, 0n)
      const old = transferTo(agent, 8)
      await bookOld(agent, old)

      await publishTransfer(harness, old)
      drop(old)
      await include({ ...old, blockHash: newHash(), logIndex: 17 })
      await publishDropped(harness, { ...old, logPosition: undefined })

      await marker(agent, 8_000_000)
    })

    it('are reversed when they are dropped, and credited when they come back', async () => {
      for (const logPosition of [1, undefined]) {
        const agent = await fundedAgent(harness, 0n)
        const old = transferTo(agent, 8)
        await bookOld(agent, old)

        drop(old)
        await publishDropped(harness, { ...old, logPosition })
        await holds(agent, 0)
        await include({ ...old, blockHash: newHash(), logIndex: 3 })
        await holds(agent, 8_000_000)
        await marker(agent, 8_000_000)
      }
    })

    it('are reversed by the sweep where one transfer was booked twice, or is not on chain', async () => {
      const agent = await fundedAgent(harness, 0n)
      const [first, dropped, whole] = [transferTo(agent, 8), transferTo(agent, 3), transferTo(agent, 2)]
      await bookOld(agent, first)
      const [again, lost] = [
        { ...first, blockHash: newHash(), logIndex: 9 },
        { ...dropped, blockHash: newHash() },
      ]
      // the same transfer in its next block, and one that never came back
      for (const seen of [again, lost]) await postOld(agent, seen)
      harness.blocks.set(first.txHash, again.blockHash)
      harness.transactions.set(first.txHash, [transferLog(again)])
      await include(whole)
      await holds(agent, 21_000_000)
      const { platform } = harness.platform.service('treasury')
      const sweep = depositSweep({ ...platform, ...stores(platform) }, 0)

      for (let n = 0; n < 2; n++) await sweep()
      await holds(agent, 21_000_000)
      await sweep()

      await holds(agent, 10_000_000)
      await assertHealthy(harness)
      for (const seen of [again, first]) await publishTransfer(harness, seen)
      await publishDropped(harness, first)
      await marker(agent, 10_000_000)
      await include({ ...lost, blockHash: newHash(), logIndex: 1 })
      await holds(agent, 13_000_001)
    })

    it('stay where the chain has fewer for other reasons, or has them back before the third poll', async () => {
      const agent = await fundedAgent(harness, 0n)
      const old = transferTo(agent, 8)
      await bookOld(agent, old)
      const { platform } = harness.platform.service('treasury')
      const sweep = depositSweep({ ...platform, ...stores(platform) }, 0)
      drop(old)
      for (let n = 0; n < 2; n++) await sweep()

      mine(old)
      for (let n = 0; n < 3; n++) await sweep()

      await holds(agent, 8_000_000)
      await marker(agent, 8_000_000)
    })

    it('stay apart where one transaction made two of the same content', async () => {
      const agent = await fundedAgent(harness, 0n)
      const old = transferTo(agent, 8)
      await bookOld(agent, old)
      const twin = { ...old, logIndex: 6, logPosition: 3 }
      move(harness, 'BASE_SEPOLIA', outside, agent.address, twin.amount)
      harness.transactions.set(old.txHash, [transferLog(old), transferLog(twin)])

      for (const seen of [old, twin, old, twin]) await publishTransfer(harness, seen)

      await holds(agent, 16_000_000)
      await marker(agent, 16_000_000)
    })
  })
})
