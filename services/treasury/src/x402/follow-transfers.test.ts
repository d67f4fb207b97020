import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type ChainCommand, type SettledX402, treasuryApi } from '@carapace/api'
import { commandConfirmed, newHash, newWallet, until } from '@carapace/testing'
import { account } from '../ledger/accounts.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { contracts, lane, move, publishDropped, publishTransfer, type Seen, transferLog, transferLogs } from '../testing/token.ts'

const chain = 'BASE_SEPOLIA'
const payTo = newWallet()
const admin = newWallet()
const price = 2_000_000n
const { collectX402, closeX402, holdX402 } = treasuryApi.internal

describe('transfers that payers send by themselves', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ env: { X402_PAY_TO_ADDRESS: payTo, ADMIN_WALLETS: admin } })
  })
  beforeEach(() => {
    harness.chain = () => 'confirm'
    harness.away.clear()
  })
  after(() => harness.close())

  const platform = () => harness.platform.service('treasury').platform
  const later = (hours: number) => harness.platform.advance(hours * 3_600)

  type Sent = Required<Pick<Seen, 'from' | 'to' | 'amount' | 'txHash' | 'blockHash'>>
  const include = async (sent: Sent) => {
    harness.transactions.set(sent.txHash, [transferLog(sent)])
    harness.blocks.set(sent.txHash, sent.blockHash)
    move(harness, chain, sent.from, sent.to, sent.amount)
    await publishTransfer(harness, sent)
  }
  const send = async (more: Partial<Sent> & { sender?: string } = {}): Promise<Sent> => {
    const { sender, ...rest } = more
    const sent = { from: newWallet(), to: lane, amount: price, txHash: newHash(), blockHash: newHash(), ...rest }
    harness.senders.set(sent.txHash, sender ?? sent.from)
    await include(sent)
    return sent
  }
  const drop = async (sent: Sent) => {
    harness.transactions.delete(sent.txHash)
    move(harness, chain, sent.to, sent.from, sent.amount)
    await publishDropped(harness, sent)
  }
  /** The same transfer in another block. */
  const includeAgain = async (sent: Sent): Promise<Sent> => {
    const again = { ...sent, blockHash: newHash() }
    await include(again)
    await publishTransfer(harness, again)
    return again
  }

  const collect = (
    { txHash, from, to, amount }: Sent,
    more: { subject?: string; price?: bigint; agentWallet?: string; byAgent?: boolean } = {},
  ): Promise<SettledX402> => {
    const { subject, agentWallet = from, byAgent = true } = more
    const proof = { txHash, nonce: `0x${randomUUID().replaceAll('-', '').repeat(2)}`, amount: String(Number(amount) / 1e6), from, to }
    const sent = { scheme: 'spec' as const, proof, issuedAt: 0, deadline: 300_000, agentWallet, byAgent, claimedWallet: null }
    const fund = subject === undefined ? {} : { fund: { service: 'escrow' as const, subject, chain, payer: from } as const }
    const buyer = { agentId: null, buyer: subject ?? from, route: 'POST /paid' }
    return platform().peers.call('treasury', collectX402, {
      body: { ...buyer, price: String(more.price ?? price), payTo: to, ...fund, sent },
      timeoutMs: 15_000,
    })
  }
  const listed = async (state: string) =>
    (await harness.platform.call('GET', `/api/admin/x402-transfers?state=${state}&limit=100`, { headers: { 'x-admin-wallet': admin } })).body
  const isListed = (sent: Sent, state: string) =>
    until(`it is ${state}`, async () => (await listed(state)).transfers.find(({ txHash }: Sent) => txHash === sent.txHash))
  const returns = ({ from }: Sent) => harness.commands.filter(({ kind, args }) => kind === 'treasury.pay' && args.to === from)
  const payment = async ({ id }: SettledX402) =>
    (await platform().db.connection.collection<{ _id: string; state: string }>('x402_payments').findOne({ _id: id }))!
  const isIn = (settled: SettledX402, state: string) => until(`it is ${state}`, async () => (await payment(settled)).state === state)
  /** The lock that it was set aside for is confirmed. */
  const spend = async (settled: SettledX402) => {
    const command = { opKey: `escrow.lock-x402:${settled.id}`, kind: 'escrow.lock-x402' as const, network: chain, round: 1 } as ChainCommand
    const logs = transferLogs({ paymentId: 'lock', from: lane, to: contracts.escrow, amount: String(price) })
    await harness.platform.publish(commandConfirmed(command, { seq: 1, logs, txHash: newHash() }))
    await isIn(settled, 'spent')
  }
  const entries = (accountName: string, id: string) =>
    platform().db.connection.collection('ledger_entries').find({ 'ref.id': id, 'lines.account': accountName }).toArray()
  /** What the entries of a payment leave on an account. */
  const holds = async (accountName: string, { id }: SettledX402) =>
    (await entries(accountName, id))
      .flatMap(({ lines }) => lines as { account: string; debit: bigint; credit: bigint }[])
      .filter(line => line.account === accountName)
      .reduce((sum, { debit, credit }) => sum + BigInt(credit) - BigInt(debit), 0n)

  it('serve while the other network cannot be read, and wait for their own', async () => {
    const [there, waiting] = [await send({ to: payTo }), await send({ to: payTo })]
    harness.away.add('SKALE_TESTNET')
    assert.equal((await collect(there)).chain, chain)

    harness.away.add(chain)
    await assert.rejects(collect(waiting), { status: 503 })
    harness.away.clear()
    assert.equal((await collect(waiting)).chain, chain)
  })

  describe('to the intake, claimed by nobody,', () => {
    it('go back to their payer after two days, once', async () => {
      const sent = await send({ amount: 1_234n })
      await isListed(sent, 'waiting')

      await later(47)
      assert.equal(returns(sent).length, 0)
      await later(2)

      await isListed(sent, 'returned')
      await until('it is on its way', () => returns(sent).length > 0)
      await publishTransfer(harness, sent)
      await later(50)
      assert.deepEqual(
        returns(sent).map(({ args }) => [args.from, args.amount]),
        [[lane, '1234']],
      )
    })

    it('go back although the node has pruned them meanwhile', async () => {
      const sent = await send()
      await isListed(sent, 'waiting')
      harness.transactions.delete(sent.txHash)

      await later(48)
      await isListed(sent, 'waiting')
      await later(2)

      await isListed(sent, 'returned')
      assert.deepEqual(
        returns(sent).map(({ args }) => args.amount),
        [String(price)],
      )
    })

    it('cannot pay for anything once they go back', async () => {
      const sent = await send()
      await isListed(sent, 'waiting')
      await later(49)
      await isListed(sent, 'returned')

      await assert.rejects(collect(sent, { subject: randomUUID() }), { code: 'REPLAY_DETECTED' })
    })

    it('go back immediately where their own proof is refused for good', async () => {
      const sent = await send({ amount: price - 1n })

      await assert.rejects(collect(sent, { subject: randomUUID() }), { code: 'PAYMENT_INVALID' })

      await until('it is on its way', () => returns(sent).length === 1)
    })

    it('wait where somebody else names them', async () => {
      const sent = await send({ amount: price - 1n })

      await assert.rejects(collect(sent, { subject: randomUUID(), agentWallet: newWallet() }), { code: 'PAYMENT_INVALID' })

      await isListed(sent, 'waiting')
      assert.equal(returns(sent).length, 0)
    })

    it('pay by the proof of their payer after a stranger has named them for another purchase of it', async () => {
      const sent = await send()
      const other = { subject: randomUUID(), price: price + 1n, byAgent: false }

      await assert.rejects(collect(sent, other), { code: 'PAYMENT_INVALID' })

      const { id } = await collect(sent, { subject: randomUUID() })
      assert.equal((await payment({ id } as SettledX402)).state, 'settled')
      assert.equal(returns(sent).length, 0)
    })

    it('are none where the platform has moved its own money', async () => {
      const own = [
        await send({ sender: lane }),
        await send({ from: admin }),
        await send({ from: payTo }),
        await send({ from: `0x${'0'.repeat(40)}` }),
        await send({ from: contracts.escrow }),
      ]
      await isListed(await send(), 'waiting')

      const { transfers } = await listed('waiting')

      assert.deepEqual(
        transfers.filter(({ txHash }: Sent) => own.some(sent => sent.txHash === txHash)),
        [],
      )
    })
  })

  it('pay with all that one transaction moves, in however many transfers', async () => {
    const parts = [500_000n, price - 500_000n]
    const sent = { from: newWallet(), to: lane, amount: price, txHash: newHash(), blockHash: newHash() }
    harness.senders.set(sent.txHash, sent.from)
    const logs = parts.map((amount, logIndex) => ({ ...sent, amount, logIndex }))
    harness.transactions.set(sent.txHash, logs.map(transferLog))
    harness.blocks.set(sent.txHash, sent.blockHash)
    move(harness, chain, sent.from, sent.to, price)
    for (const log of logs) await publishTransfer(harness, log)
    const settled = await collect(sent, { subject: randomUUID() })
    const key = `escrow.lock-x402:${settled.id}`

    const { status } = await platform().peers.call('treasury', holdX402, { params: { id: settled.id }, body: { key, round: 1 } })

    assert.deepEqual([status, settled.amount], ['held', String(price)])
    await spend(settled)
    await later(49)
    await isListed(sent, 'claimed')
    assert.equal(returns(sent).length, 0)
  })

  it('are listed with their sum where they came to an address without a key here, and claimed by nobody', async () => {
    const sent = await send({ to: payTo, amount: 7n })
    await isListed(sent, 'waiting')
    const before = (await listed('unclaimed')).total

    await later(49)

    await isListed(sent, 'unclaimed')
    const { total, totalAmount } = await listed('unclaimed')
    assert.deepEqual([total - before, totalAmount, returns(sent)], [1, 0.000007, []])
  })

  it('are not listed where they paid for a call', async () => {
    const sent = await send({ to: payTo })
    await collect(sent)
    await isListed(sent, 'waiting')

    await later(49)

    await isListed(sent, 'claimed')
  })

  describe('that the chain drops', () => {
    it('are no income, and no credit, until it includes them again', async () => {
      const sent = await send({ to: payTo })
      const settled = await collect(sent)
      assert.equal(await holds(account.x402Income, settled), price)
      await drop(sent)
      await isIn(settled, 'failed')
      assert.equal(await holds(account.x402Income, settled), 0n)
      const again = await includeAgain(sent)
      await isIn(settled, 'settled')
      await platform().peers.call('treasury', closeX402, { params: { id: settled.id }, body: { served: true } })
      await drop(again)
      await isIn(settled, 'lost')

      await includeAgain(again)

      await isIn(settled, 'served')
      assert.deepEqual([await holds(account.x402Income, settled), (await entries(account.x402Income, settled.id)).length], [price, 5])
    })

    it('are no credit where they were dropped before the answer to their request', async () => {
      const sent = await send({ to: payTo })
      const settled = await collect(sent)
      await drop(sent)
      await isIn(settled, 'failed')

      await platform().peers.call('treasury', closeX402, { params: { id: settled.id }, body: { served: true } })

      await isIn(settled, 'lost')
      await includeAgain(sent)
      await isIn(settled, 'served')
    })

    it('fail what was set aside at the intake, which is set aside again when they come back', async () => {
      const sent = await send()
      const settled = await collect(sent, { subject: randomUUID() })
      const hold = async (round: number) =>
        (await platform().peers.call('treasury', holdX402, { params: { id: settled.id }, body: { key: `escrow.lock-x402:${settled.id}`, round } }))
          .status
      assert.equal(await hold(1), 'held')

      await drop(sent)
      await isIn(settled, 'failed')
      assert.deepEqual([await hold(2), await holds(account.intake, settled)], ['refused', 0n])

      await includeAgain(sent)
      await isIn(settled, 'held')
      assert.equal(await holds(account.intake, settled), price)
    })

    it('are borne by the platform where they are spent already, until they come back', async () => {
      const sent = await send()
      const settled = await collect(sent, { subject: randomUUID() })
      const key = `escrow.lock-x402:${settled.id}`
      await platform().peers.call('treasury', holdX402, { params: { id: settled.id }, body: { key, round: 1 } })
      await spend(settled)

      await drop(sent)
      await until('the loss is booked', async () => (await holds(account.loss, settled)) === -price)
      await includeAgain(sent)

      await until('it is made good', async () => (await holds(account.loss, settled)) === 0n)
      assert.deepEqual([(await payment(settled)).state, await holds(account.clearing(key), settled)], ['spent', price])
    })

    it('are not returned', async () => {
      const sent = await send()
      await isListed(sent, 'waiting')
      await drop(sent)
      await isListed(sent, 'dropped')

      await later(49)

      assert.equal(returns(sent).length, 0)
    })
  })

  it('leave every invariant as it was', () => assertHealthy(harness))
})
