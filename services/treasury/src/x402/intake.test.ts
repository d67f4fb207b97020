import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type ChainCommand, chainOutcome, chainRelayerApi, type SettledX402, treasuryApi, x402Arrived } from '@carapace/api'
import { type PaymentTerms, paymentTerms } from '@carapace/chain'
import { commandConfirmed, commandFailed, newHash, newWallet, until } from '@carapace/testing'
import { ExactEvmScheme } from '@x402/evm'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { doctor } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { contracts, lane, move, publishTransfer, transferLogs } from '../testing/token.ts'

const chain = 'BASE_SEPOLIA'
const price = 5_000_000n
/** A busy machine answers late. */
const timeoutMs = 15_000
const { collectX402, closeX402, holdX402, returnX402 } = treasuryApi.internal

describe('payments to the intake', () => {
  let harness: Harness
  let terms: PaymentTerms
  before(async () => {
    harness = await startHarness({ env: { X402_PAY_TO_ADDRESS: newWallet() } })
    const networks = await peers().call('chain-relayer', chainRelayerApi.internal.chainNetworks)
    terms = paymentTerms(networks.networks.find(one => one.chain === chain)!, price, lane)
  })
  beforeEach(() => {
    harness.chain = () => 'confirm'
  })
  after(() => harness.close())

  const peers = () => harness.platform.service('treasury').platform.peers
  const later = (seconds: number) => harness.platform.advance(seconds)

  /** A payment for a gig that was not sent yet. */
  async function signed() {
    const account = privateKeyToAccount(generatePrivateKey())
    const gigId = randomUUID()
    const { payload } = await new ExactEvmScheme(account).createPaymentPayload(2, terms)
    const fund = { service: 'escrow' as const, subject: gigId, chain, payer: account.address } as const
    const purchase = { route: 'POST /fund', price: String(price), payTo: lane, agentId: gigId, buyer: gigId, fund }
    const sent = { scheme: 'v2' as const, payload: { x402Version: 2, accepted: { ...terms }, payload } }
    const collect = (): Promise<SettledX402> => peers().call('treasury', collectX402, { body: { ...purchase, sent }, timeoutMs })
    return { gigId, collect, payer: account.address, nonce: (payload as { authorization: { nonce: string } }).authorization.nonce }
  }

  /** A payment that has arrived for a gig. */
  async function paid() {
    const { gigId, collect, payer } = await signed()
    const { id } = await collect()
    const key = `escrow.lock-x402:${gigId}`
    let settlementSeq = 1
    const command = (round: number) => ({ opKey: key, kind: 'escrow.lock-x402' as const, network: chain, round }) as ChainCommand
    return {
      id,
      collect,
      payer,
      key,
      hold: async (round = 1, of = key) => (await peers().call('treasury', holdX402, { params: { id }, body: { key: of, round }, timeoutMs })).status,
      giveBack: () => peers().call('treasury', returnX402, { params: { id }, body: { reason: 'already_exists' }, timeoutMs }),
      close: () => peers().call('treasury', closeX402, { params: { id }, body: { served: true }, timeoutMs }),
      lock: (seq: number, from = lane, round = 1, to = contracts.escrow, amounts = [price]) => {
        const logs = amounts.flatMap(amount => transferLogs({ paymentId: 'lock', from, to, amount: String(amount) }))
        return harness.platform.publish(commandConfirmed(command(round), { seq, logs, txHash: newHash() }))
      },
      lockWithoutLogs: (seq: number) => harness.platform.publish(commandConfirmed(command(1), { seq, logs: [], txHash: newHash() })),
      settlementIs: async (is: 'confirmed' | 'finalized' | 'failed') => {
        const settlement = { opKey: `treasury.settle-x402:${id}`, kind: 'treasury.settle-x402' as const, network: chain, round: 1 } as ChainCommand
        settlementSeq += 1
        if (is === 'failed') return harness.platform.publish(commandFailed(settlement, { seq: settlementSeq }))
        const { onChain } = (await harness.platform
          .service('treasury')
          .platform.db.connection.collection<{ _id: string; onChain: { txHash: string } }>('x402_payments')
          .findOne({ _id: id }))!
        const { txHash } = onChain
        const { data } = commandConfirmed(settlement, { seq: settlementSeq, txHash, logs: harness.transactions.get(txHash)! })
        return harness.platform.publish(chainOutcome(settlement.kind)[is].of(data as never))
      },
      failLock: (seq: number) => harness.platform.publish(commandFailed(command(1), { seq })),
    }
  }
  /** The payment with a name among the entries of the ledger. */
  const entriesOf = ({ id }: Paid, name: string) =>
    harness.platform
      .service('treasury')
      .platform.db.connection.collection<{ _id: string }>('ledger_entries')
      .countDocuments({ _id: new RegExp(`^${name}:${id}(:|$)`) })
  type Paid = Awaited<ReturnType<typeof paid>>
  const stateOf = async ({ id, payer }: Paid) => {
    const { payments } = (await harness.platform.call('GET', `/api/x402/payments/${await agentOf(id)}`)).body
    return payments.find((one: { payer: string }) => one.payer === payer)?.state
  }
  const stateAt = async (nonce: string) =>
    (await harness.platform.service('treasury').platform.db.connection.collection('x402_payments').findOne({ nonce }))?.state
  const recordOf = async ({ id }: Paid) =>
    (await harness.platform
      .service('treasury')
      .platform.db.connection.collection<{
        _id: string
        onChain: { txHash: string }
        fund: { returnAt: Date; giveBack: { reason: string; failures: number } | null }
      }>('x402_payments')
      .findOne({ _id: id }))!
  /** Its return was due, and waits for its finality. */
  const isPostponed = (payment: Paid) =>
    until('its return is postponed', async () => {
      const now = harness.platform.service('treasury').platform.clock.now().getTime()
      return Number((await recordOf(payment)).fund.returnAt) > now + 30_000
    })
  const agentOf = async (id: string) =>
    (await harness.platform
      .service('treasury')
      .platform.db.connection.collection<{ _id: string; agentId: string }>('x402_payments')
      .findOne({ _id: id }))!.agentId
  const isIn = (payment: Paid, state: string) => until(`it is ${state}`, async () => (await stateOf(payment)) === state)
  const returns = ({ payer }: Pick<Paid, 'payer'>) => harness.commands.filter(({ kind, args }) => kind === 'treasury.pay' && args.to === payer)

  it('are spent by the command that they are set aside for, and by no other', async () => {
    const payment = await paid()

    assert.deepEqual([await payment.hold(), await payment.hold(), await payment.hold(2)], ['held', 'held', 'refused'])
    assert.equal((await payment.giveBack()).state, 'held')
    await payment.lock(1)
    await isIn(payment, 'spent')
    await later(25 * 3_600)

    assert.equal(returns(payment).length, 0)
  })

  it('are spent by a command that draws them in several transfers', async () => {
    const payment = await paid()
    await payment.hold()

    await payment.lock(1, lane, 1, contracts.escrow, [price - 1n, 1n])

    await isIn(payment, 'spent')
  })

  for (const [title, to, amounts] of [
    ['moves the same amount of the intake to another address', newWallet(), [price]],
    ['draws less from the intake', contracts.escrow, [price - 1n]],
  ] as const)
    it(`are not spent by a command that ${title}`, async () => {
      const payment = await paid()
      await payment.hold()

      await payment.lock(1, lane, 1, to, [...amounts])

      await until('it is free', async () => (await recordOf(payment)).fund.returnAt !== null)
      await later(10 * 60)
      await isIn(payment, 'returned')
    })

  it('go back immediately, and once, where nothing can use them', async () => {
    const payment = await paid()

    await Promise.all([payment.giveBack(), payment.giveBack(), payment.giveBack()])

    await isIn(payment, 'returned')
    assert.deepEqual([returns(payment).length, await payment.hold()], [1, 'refused'])
    await assert.rejects(payment.collect(), { code: 'PAYMENT_INVALID' })
  })

  it('go back only once no reorganisation can drop them', async () => {
    const payment = await paid()
    const { txHash } = (await recordOf(payment)).onChain
    harness.unsettled.add(txHash)

    await payment.giveBack()
    await isPostponed(payment)
    assert.deepEqual([returns(payment).length, await payment.hold()], [0, 'refused'])
    await assert.rejects(payment.collect(), { code: 'PAYMENT_INVALID' })

    harness.unsettled.delete(txHash)
    await payment.settlementIs('finalized')
    await isIn(payment, 'returned')
    assert.deepEqual([returns(payment).length, (await recordOf(payment)).fund.giveBack?.reason], [1, 'already_exists'])
  })

  it('go back where a stranger submitted them and no node shows any more by which transaction', async () => {
    harness.chain = ({ kind }) => (kind === 'treasury.settle-x402' ? 'wait' : 'confirm')
    const { payer, nonce, collect } = await signed()
    const refused = assert.rejects(collect(), { code: 'PAYMENT_INVALID' })
    const command = await until('the settlement is ordered', async () => harness.commands.find(({ args }) => args.nonce === nonce))
    const sent = { from: payer, to: lane, amount: price, txHash: newHash() }
    harness.transactions.set(sent.txHash, transferLogs({ paymentId: 'x', ...sent, amount: String(price), nonce }))
    harness.senders.set(sent.txHash, newWallet())
    move(harness, chain, payer, lane, price)
    await publishTransfer(harness, sent)
    const { data } = commandConfirmed(command, { seq: 1, logs: [], txHash: newHash() })
    // as the relayer answers each time that it is polled
    const poll = () => harness.platform.publish(chainOutcome(command.kind).finalized.of({ ...data, already: true } as never))

    await later(110 * 60)
    await poll()
    assert.equal(await stateAt(nonce), 'claimed')
    await later(15 * 60)
    await poll()
    await until('it has failed', async () => (await stateAt(nonce)) === 'failed')
    await refused
    assert.equal(returns({ payer }).length, 0)
    await later(48 * 3_600)

    await until('it is on its way back', () => returns({ payer }).length === 1)
  })

  it('stay paid where a stranger submitted them and no node shows it for a while', async () => {
    harness.chain = ({ kind }) => (kind === 'treasury.settle-x402' ? 'wait' : 'confirm')
    const { payer, nonce, collect } = await signed()
    const collected = collect()
    const command = await until('the settlement is ordered', async () => harness.commands.find(({ args }) => args.nonce === nonce))
    const sent = { from: payer, to: lane, amount: price, txHash: newHash() }
    const logs = transferLogs({ paymentId: 'x', ...sent, amount: String(price), nonce })
    harness.transactions.set(sent.txHash, logs)
    harness.senders.set(sent.txHash, newWallet())
    harness.authorizations.set(nonce, sent.txHash)
    move(harness, chain, payer, lane, price)
    // the relayer's own transaction reverted: its outcome names that one, and has no logs
    const { data } = commandConfirmed(command, { seq: 1, logs: [], txHash: newHash() })
    await harness.platform.publish(chainOutcome(command.kind).confirmed.of({ ...data, already: true } as never))
    await collected
    const finalized = () => harness.platform.publish(chainOutcome(command.kind).finalized.of({ ...data, seq: 2, already: true } as never))

    await later(3 * 3_600)
    harness.transactions.delete(sent.txHash)
    await finalized()
    harness.authorizations.delete(nonce)
    await finalized()

    assert.equal(await stateAt(nonce), 'settled')
    harness.authorizations.set(nonce, sent.txHash)
    harness.transactions.set(sent.txHash, logs)
    await finalized()
    assert.equal(await stateAt(nonce), 'settled')
  })

  it('are not sent back where a reorganisation drops them first', async () => {
    const payment = await paid()
    harness.unsettled.add((await recordOf(payment)).onChain.txHash)
    await payment.giveBack()
    await isPostponed(payment)

    await payment.settlementIs('failed')
    await isIn(payment, 'failed')
    await later(25 * 3_600)

    assert.deepEqual([returns(payment).length, (await recordOf(payment)).fund.returnAt], [0, null])
  })

  it('are a loss of the platform while the chain does not have what was sent back', async () => {
    const payment = await paid()
    await payment.giveBack()
    await isIn(payment, 'returned')

    await payment.settlementIs('failed')
    await until('the loss is booked', async () => (await entriesOf(payment, 'x402-dropped')) === 1)
    await payment.settlementIs('confirmed')

    await until('the loss is reversed', async () => (await entriesOf(payment, 'x402-undropped')) === 1)
    assert.equal(await stateOf(payment), 'returned')
  })

  it('are not paid by the platform where their return has failed', async () => {
    harness.chain = ({ kind }) => (kind === 'treasury.pay' ? 'wait' : 'confirm')
    const payment = await paid()
    await payment.giveBack()
    await isIn(payment, 'returning')
    await payment.settlementIs('failed')
    await until('the loss is booked', async () => (await entriesOf(payment, 'x402-dropped')) === 1)

    await harness.outcome(returns(payment)[0]!, 'fail')
    await isIn(payment, 'failed')
    await later(3_600)

    assert.deepEqual([returns(payment).length, await entriesOf(payment, 'x402-undropped')], [1, 1])
  })

  it('are not sent back where the chain drops what they came by after they were set aside', async () => {
    const payment = await paid()
    await payment.hold()
    await payment.settlementIs('failed')
    await isIn(payment, 'failed')

    await payment.failLock(1)
    await later(3_600)

    assert.deepEqual([returns(payment).length, await stateOf(payment), await payment.hold(2)], [0, 'failed', 'refused'])
  })

  it('are set aside again once the chain has what they came by for good', async () => {
    const payment = await paid()
    await payment.hold()
    await payment.settlementIs('failed')
    await isIn(payment, 'failed')

    await payment.settlementIs('confirmed')
    await payment.settlementIs('finalized')
    await isIn(payment, 'held')
    await payment.lock(1)

    await isIn(payment, 'spent')
    assert.deepEqual([returns(payment).length, await entriesOf(payment, 'x402-dropped')], [0, 0])
  })

  it('are a loss of the platform while the chain does not have what was spent', async () => {
    const payment = await paid()
    await payment.hold()
    await payment.lock(1)
    await isIn(payment, 'spent')

    await payment.settlementIs('failed')
    await until('the loss is booked', async () => (await entriesOf(payment, 'x402-dropped')) === 1)
    await payment.settlementIs('confirmed')

    await until('the loss is reversed', async () => (await entriesOf(payment, 'x402-undropped')) === 1)
    assert.equal(await stateOf(payment), 'spent')
  })

  it('are announced again until they are used or refused', async () => {
    const announced: string[] = []
    await harness.platform.bus.subscribe(
      { name: `test.${randomUUID()}`, exchange: 'events', bindings: [x402Arrived.type] },
      async ({ subject }) => void announced.push(subject),
    )
    const [used, refused] = [await paid(), await paid()]
    const count = ({ id }: Paid) => announced.filter(subject => subject === id).length
    assert.deepEqual([count(used), count(refused)], [0, 0])

    await later(31)
    await until('both are announced', () => count(used) === 1 && count(refused) === 1)
    await later(62)
    await until('both are announced again', () => count(used) === 2 && count(refused) === 2)
    await used.hold()
    await refused.giveBack()
    await isIn(refused, 'returned')
    const unused = await paid()
    await later(62)
    await until('what is unused is announced', () => count(unused) > 0)

    assert.deepEqual([count(used), count(refused)], [2, 2])
    await used.lock(1)
    await isIn(used, 'spent')
  })

  it('go back when nothing has used them for a day', async () => {
    const payment = await paid()
    await payment.close()

    await later(23 * 3_600)
    assert.equal(await stateOf(payment), 'settled')
    await later(2 * 3_600)

    await isIn(payment, 'returned')
    assert.equal(returns(payment).length, 1)
  })

  it('go back although their node has pruned what they came by: they were final, and nothing has dropped them', async () => {
    const payment = await paid()
    await payment.settlementIs('finalized')
    harness.transactions.delete((await recordOf(payment)).onChain.txHash)

    await later(24 * 3_600 + 60)
    await isPostponed(payment)
    assert.deepEqual([await stateOf(payment), await payment.hold(), returns(payment).length], ['settled', 'pending', 0])
    await later(3_600)

    await isIn(payment, 'returned')
    assert.equal(returns(payment).length, 1)
  })

  it('are named to the operator where nothing shows that they have arrived for good', async () => {
    const payment = await paid()
    const { txHash } = (await recordOf(payment)).onChain
    const logs = harness.transactions.get(txHash)!
    harness.transactions.delete(txHash)
    const named = async () => (await doctor(harness)).find(({ name }) => name === 'stuck')!.detail.filter(fault => fault.includes(payment.id))
    await later(25 * 3_600)
    await isPostponed(payment)
    assert.deepEqual(await named(), [])

    await later(2 * 3_600)
    assert.deepEqual(await named(), [`x402 payment ${payment.id} is not back at ${payment.payer}: ${txHash} on ${chain} does not show its arrival`])

    harness.transactions.set(txHash, logs)
    await until('it is returned', async () => {
      await later(70)
      return (await stateOf(payment)) === 'returned'
    })
    assert.deepEqual(await named(), [])
  })

  it('are booked as requested where the logs of their command cannot be read for ten minutes', async () => {
    const payment = await paid()
    await payment.hold()
    await payment.lockWithoutLogs(1)
    assert.equal(await stateOf(payment), 'held')

    await later(600)
    await payment.lockWithoutLogs(1)

    await isIn(payment, 'spent')
    assert.equal(returns(payment).length, 0)
  })

  it('go back two minutes after their command failed, unless the chain includes it after all', async () => {
    const [failed, included] = [await paid(), await paid()]
    for (const payment of [failed, included]) {
      await payment.hold()
      await payment.failLock(1)
    }
    await included.lock(2)
    await isIn(included, 'spent')

    await later(150)

    await isIn(failed, 'returned')
    assert.deepEqual([returns(failed).length, returns(included).length], [1, 0])
  })

  it('go back where their command never came, and not while it may', async () => {
    const [refused, open, received] = [await paid(), await paid(), await paid()]
    for (const payment of [refused, open, received]) await payment.hold()
    harness.memory.received({ opKey: received.key, kind: 'escrow.lock-x402', network: chain, round: 1 } as never)
    const polled = new Set<string>()
    harness.isOpen = (key, round) => {
      polled.add(`${key} ${round}`)
      return key === open.key
    }

    await later(31)
    await until('they were polled', () => polled.size === 3)
    await until('the first one is free', async () => (await recordOf(refused)).fund.returnAt !== null)
    await later(150)

    await isIn(refused, 'returned')
    // its round gets no money any more
    assert.equal(await refused.hold(), 'refused')
    assert.deepEqual([await stateOf(open), await stateOf(received)], ['held', 'held'])
    assert.deepEqual(
      [refused, open, received].map(payment => returns(payment).length),
      [1, 0, 0],
    )
    harness.isOpen = () => true
    await open.lock(1)
    await received.lock(1)
    await isIn(open, 'spent')
    await isIn(received, 'spent')
  })

  it('go back where only a later round of their command was received', async () => {
    const [first, second] = [await paid(), await paid()]
    await first.hold(1, second.key)
    await second.hold(2)

    await second.lock(3, lane, 2)

    await isIn(second, 'spent')
    await until('the first one is free', async () => {
      await later(150)
      return (await stateOf(first)) === 'returned'
    })
    assert.deepEqual([returns(first).length, returns(second).length], [1, 0])
  })

  it('go back where another source has paid for their command', async () => {
    const payment = await paid()
    await payment.hold()
    await payment.lock(1, newWallet())

    await until('the outcome was followed', async () => {
      await later(150)
      return (await stateOf(payment)) === 'returned'
    })
  })

  it('go back after all where a return fails, with the same nonce', async () => {
    harness.chain = ({ kind, round }) => (kind === 'treasury.pay' && round === 1 ? 'fail' : 'confirm')
    const payment = await paid()
    await payment.giveBack()

    await until('it is sent again', async () => {
      await later(70)
      return returns(payment).length > 1
    })

    await isIn(payment, 'returned')
    assert.deepEqual(
      returns(payment).map(({ opKey, round }) => [opKey, round]),
      [1, 2].map(round => [`treasury.pay:${payment.id}`, round]),
    )
  })

  it('are named to the operator where their return fails repeatedly', async () => {
    harness.chain = ({ kind }) => (kind === 'treasury.pay' ? 'fail' : 'confirm')
    const payment = await paid()
    const named = async () => (await doctor(harness)).find(({ name }) => name === 'stuck')!.detail.filter(fault => fault.includes(payment.id))
    await payment.giveBack()
    const failures = (count: number) =>
      until(`${count} returns have failed`, async () => {
        await later(70)
        return (await recordOf(payment)).fund.giveBack?.failures === count
      })

    await failures(2)
    assert.deepEqual(await named(), [])
    await failures(3)
    assert.deepEqual(await named(), [`x402 payment ${payment.id} is not back at ${payment.payer}: 3 returns have failed`])

    harness.chain = () => 'confirm'
    await until('it is sent again', async () => {
      await later(300)
      return (await stateOf(payment)) === 'returned'
    })
    assert.deepEqual(await named(), [])
  })

  it('are a loss of the platform while the chain spends what was returned before', async () => {
    const payment = await paid()
    await payment.hold()
    await payment.failLock(1)
    await later(150)
    await isIn(payment, 'returned')

    await payment.lock(2)

    await until('the loss is booked', async () => (await entriesOf(payment, 'x402-overdrawn')) === 1)
    await payment.failLock(3)
    await until('the loss is reversed', async () => (await entriesOf(payment, 'x402-covered')) === 1)
    await payment.lock(4)
    await until('the loss is booked again', async () => (await entriesOf(payment, 'x402-overdrawn')) === 2)
  })

  it('hold every invariant through all of this', () => assertHealthy(harness))
})
