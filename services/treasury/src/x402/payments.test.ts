import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type ChainCommand, chainOutcome, chainRelayerApi, type SettledX402, treasuryApi } from '@carapace/api'
import { networks, type PaymentTerms, paymentTerms } from '@carapace/chain'
import { newHash, newWallet, until } from '@carapace/testing'
import { ExactEvmScheme } from '@x402/evm'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { doctor } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { type PayArgs, transferLogs } from '../testing/token.ts'

const chain = 'BASE_SEPOLIA'
const payTo = newWallet()
const { collectX402, closeX402 } = treasuryApi.internal

describe('payments by x402', () => {
  let harness: Harness
  let terms: PaymentTerms
  before(async () => {
    harness = await startHarness({ env: { X402_PAY_TO_ADDRESS: payTo.toLowerCase() } })
    const networks = await peers().call('chain-relayer', chainRelayerApi.internal.chainNetworks)
    terms = paymentTerms(networks.networks.find(one => one.chain === chain)!, 1_000n, payTo)
  })
  beforeEach(() => {
    harness.chain = () => 'confirm'
  })
  after(() => harness.close())

  const signed = async (account = privateKeyToAccount(generatePrivateKey()), wanted = terms) => {
    const { payload } = await new ExactEvmScheme(account).createPaymentPayload(2, wanted)
    return { x402Version: 2, accepted: { ...terms }, payload }
  }
  type Payload = Awaited<ReturnType<typeof signed>>
  const peers = () => harness.platform.service('treasury').platform.peers
  type More = { route?: string; price?: string; buyer?: string; identifier?: { id: string; request: string } }
  const collect = (payload: Payload, more: More = {}): Promise<SettledX402> => {
    const purchase = { route: 'GET /api/a', price: '1000', payTo, agentId: null, buyer: 'a buyer', ...more }
    return peers().call('treasury', collectX402, { body: { ...purchase, sent: { scheme: 'v2', payload } }, timeoutMs: 15_000 })
  }
  const close = ({ id }: Pick<SettledX402, 'id'>, served: boolean, answer?: { status: number; text: string }) =>
    peers().call('treasury', closeX402, { params: { id }, body: { served, answer } })
  const commandFor = (payload: Payload) => harness.commands.find(({ args }) => args.nonce === authorizationOf(payload).nonce)
  const authorizationOf = ({ payload }: Payload) => (payload as { authorization: { from: string; nonce: string } }).authorization
  const income = async () => (await harness.platform.call('GET', '/api/x402/stats')).body.totalAmount
  const paymentRow = (payload: Payload) =>
    harness.platform
      .service('treasury')
      .platform.db.connection.collection('x402_payments')
      .findOne({ nonce: authorizationOf(payload).nonce })
  const replayed = { code: 'REPLAY_DETECTED' }

  it('settles a payment once, for one of many equal requests', async () => {
    const payload = await signed()
    const before = await income()

    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => collect(payload)))

    const settled = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))
    const refused = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason.code] : []))
    assert.deepEqual([settled.length, [...new Set(refused)]], [1, ['REPLAY_DETECTED']])
    assert.equal(harness.commands.filter(({ args }) => args.nonce === authorizationOf(payload).nonce).length, 1)
    assert.equal(Math.round((await income()) * 1e6) - Math.round(before * 1e6), 1_000)
    await close(settled[0]!, true)
    await assert.rejects(collect(payload), replayed)
  })

  it('serves what was not served by the same payment, on its route, to its buyer, once', async () => {
    const payload = await signed()
    await close(await collect(payload), false)

    await assert.rejects(collect(payload, { route: 'GET /api/b' }), replayed)
    await assert.rejects(collect(payload, { buyer: 'a stranger' }), replayed)
    const again = await collect(payload)
    await assert.rejects(collect(payload), replayed)
    await close(again, true)
    await assert.rejects(collect(payload), replayed)
    assert.equal(harness.commands.filter(({ args }) => args.nonce === authorizationOf(payload).nonce).length, 1)
  })

  it('is a credit for the wallet that paid, from any address', async () => {
    const payload = await signed()
    await close(await collect(payload), false)

    await assert.rejects(collect(payload, { buyer: newWallet().toLowerCase() }), replayed)
    await close(await collect(payload, { buyer: authorizationOf(payload).from.toLowerCase() }), true)
    await assert.rejects(collect(payload), replayed)
  })

  it('serves nothing dearer than it paid for, on the same route either', async () => {
    const payload = await signed()
    await close(await collect(payload), false)

    await assert.rejects(collect(payload, { price: '2000' }), replayed)
    await close(await collect(payload), true)
  })

  describe('with an identifier', () => {
    const newIdentifier = () => ({ id: `pay_${randomUUID()}`, request: 'a call' })
    const answer = { status: 200, text: '{"bought":true}' }

    it('is answered as before when it comes again, from any address, for the same call only', async () => {
      const [payload, identifier] = [await signed(), newIdentifier()]
      await close(await collect(payload, { identifier }), true, answer)

      assert.deepEqual((await collect(payload, { identifier, buyer: 'the same from elsewhere' })).answer, answer)
      await assert.rejects(collect(payload, { identifier: { ...identifier, request: 'another call' } }), replayed)
      await assert.rejects(collect(payload), replayed)
      assert.equal(harness.commands.filter(({ args }) => args.nonce === authorizationOf(payload).nonce).length, 1)
    })

    it('is a credit from any address where nothing was served for it, and an address alone uses nothing of it', async () => {
      const [payload, identifier] = [await signed(), newIdentifier()]
      await close(await collect(payload, { identifier }), false)

      await assert.rejects(collect(payload, { buyer: 'a stranger' }), replayed)
      await assert.rejects(collect(payload, { identifier: newIdentifier(), buyer: 'a stranger' }), replayed)
      const elsewhere = await collect(payload, { identifier, buyer: 'the same from elsewhere' })
      assert.equal(elsewhere.answer, undefined)
      await close(elsewhere, true, answer)
      assert.deepEqual((await collect(payload, { identifier })).answer, answer)
    })

    it('is refused as used, not as one in progress, once its credit has ended', async () => {
      const [payload, identifier] = [await signed(), newIdentifier()]
      await close(await collect(payload, { identifier }), false)
      const rows = harness.platform.service('treasury').platform.db.connection.collection('x402_payments')
      const yesterday = new Date(Date.now() - 25 * 3_600_000)
      await rows.updateOne({ nonce: authorizationOf(payload).nonce }, { $set: { settledAt: yesterday } })

      await assert.rejects(collect(payload, { identifier }), replayed)
    })

    it('is refused as one in progress while its first request runs', async () => {
      const [payload, identifier] = [await signed(), newIdentifier()]

      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => collect(payload, { identifier })))

      const refused = answers.flatMap(each => (each.status === 'rejected' ? [`${each.reason.code} ${each.reason.isRetryable}`] : []))
      assert.deepEqual([refused.length, [...new Set(refused)]], [19, ['IDEMPOTENCY_IN_PROGRESS true']])
    })

    it('is refused when its identifier names another payment of the payer, before any money moves', async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      const [first, second] = [await signed(account), await signed(account)]
      const identifier = newIdentifier()
      await close(await collect(first, { identifier }), true, answer)

      await assert.rejects(collect(second, { identifier }), { code: 'IDEMPOTENCY_KEY_REUSED' })
      assert.equal(commandFor(second), undefined)
      assert.equal((await collect(await signed(), { identifier })).answer, undefined)
    })

    it('leaves its identifier to another payment when it fails', async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      const identifier = newIdentifier()
      harness.chain = () => 'fail'
      await assert.rejects(collect(await signed(account), { identifier }), { code: 'PAYMENT_INVALID' })
      harness.chain = () => 'confirm'

      await close(await collect(await signed(account), { identifier }), true, answer)
    })
  })

  it('refuses a payment whose settlement failed, and books nothing', async () => {
    harness.chain = () => 'fail'
    const payload = await signed()
    const before = await income()

    await assert.rejects(collect(payload), { code: 'PAYMENT_INVALID' })
    await assert.rejects(collect(payload), { code: 'PAYMENT_INVALID' })

    assert.equal(await income(), before)
  })

  it('accepts a payment that a stranger submitted first', async () => {
    harness.chain = () => 'fail'
    const payload = await signed()
    const { from, nonce } = authorizationOf(payload)
    const txHash = newHash()
    harness.authorizations.set(nonce, txHash)
    harness.transactions.set(txHash, transferLogs({ paymentId: 'x', from, to: payTo, amount: '1000', nonce }))

    assert.equal((await collect(payload)).txHash, txHash)
  })

  it('settles one of several payments whose nonces one transaction uses, with one transfer of the price', async () => {
    harness.chain = () => 'fail'
    const account = privateKeyToAccount(generatePrivateKey())
    const [paid, ...unpaid] = [await signed(account), await signed(account), await signed(account)] as [Payload, ...Payload[]]
    const { from } = authorizationOf(paid)
    const own = { paymentId: 'x', from, to: payTo, amount: '1000', nonce: authorizationOf(paid).nonce }
    // other messages with the same nonces, which move nothing
    const empty = unpaid.flatMap((payload, at) => transferLogs({ ...own, to: from, amount: '0', nonce: authorizationOf(payload).nonce }, 2 * at + 2))
    const txHash = newHash()
    for (const payload of [paid, ...unpaid]) harness.authorizations.set(authorizationOf(payload).nonce, txHash)
    harness.transactions.set(txHash, [...transferLogs(own), ...empty])
    const before = await income()

    for (const payload of unpaid) await assert.rejects(collect(payload), { code: 'PAYMENT_INVALID' })
    const settled = await collect(paid)

    assert.equal(settled.txHash, txHash)
    assert.equal(Math.round(((await income()) - before) * 1e6), 1_000)
  })

  it('reverses the income of a payment that the chain drops', async () => {
    const payload = await signed()
    const before = await income()
    await close(await collect(payload), true)

    await harness.outcome(commandFor(payload)!, 'fail')

    await until('it is reversed', async () => (await income()) === before)
  })

  it('follows a cancelled authorisation to its finality, and books nothing', async () => {
    harness.chain = () => 'wait'
    const payload = await signed()
    const before = await income()
    const refused = assert.rejects(collect(payload), { code: 'PAYMENT_INVALID' })
    const command = await until('the settlement is ordered', async () => commandFor(payload))
    const { confirmed, finalized } = chainOutcome(command.kind)
    const { opKey, round, kind, network, aggregateKey } = command
    const place = { txHash: newHash(), blockNumber: 7, blockHash: newHash(), blockTime: 1 }
    const cancelled = { opKey, round, kind, network, aggregateKey, ...place, logs: [], already: true }

    await harness.platform.publish(confirmed.of({ ...cancelled, seq: 1 }))
    assert.equal((await paymentRow(payload))?.state, 'claimed')
    harness.authorizations.set(authorizationOf(payload).nonce, newHash())
    harness.cancellations.add(authorizationOf(payload).nonce)
    await harness.platform.publish(finalized.of({ ...cancelled, seq: 2 }))
    await refused

    const row = await until('its finality is noted', async () => {
      const found = await paymentRow(payload)
      return found?.onChain.seq === 2 && found
    })
    assert.deepEqual([row.state, row.failure, await income()], ['failed', 'authorization_cancelled', before])
  })

  it('waits for the logs of what used its authorisation, and accepts the payment that they show', async () => {
    harness.chain = () => 'wait'
    const payload = await signed()
    const before = await income()
    const paid = collect(payload)
    const command = await until('the settlement is ordered', async () => commandFor(payload))
    const { finalized } = chainOutcome(command.kind)
    const { opKey, round, kind, network, aggregateKey } = command
    const place = { txHash: newHash(), blockNumber: 7, blockHash: newHash(), blockTime: 1 }
    await harness.platform.publish(finalized.of({ opKey, round, kind, network, aggregateKey, ...place, seq: 1, logs: [], already: true }))
    assert.equal((await paymentRow(payload))?.state, 'claimed')

    const { from, nonce } = authorizationOf(payload)
    harness.transactions.set(place.txHash, transferLogs({ paymentId: 'x', from, to: payTo, amount: '1000', nonce }))
    harness.authorizations.set(nonce, place.txHash)

    assert.equal((await paid).txHash, place.txHash)
    assert.equal(Math.round(((await income()) - before) * 1e6), 1_000)
  })

  it('refuses one that is valid for longer than an hour', async () => {
    const { payload } = await new ExactEvmScheme(privateKeyToAccount(generatePrivateKey())).createPaymentPayload(2, {
      ...terms,
      maxTimeoutSeconds: 3_700,
    })

    await assert.rejects(collect({ x402Version: 2, accepted: { ...terms }, payload }), { code: 'PAYMENT_INVALID' })
    assert.equal(commandFor({ x402Version: 2, accepted: { ...terms }, payload }), undefined)
  })

  it('refuses what does not meet its own terms, also where the payment names other ones', async () => {
    const stingy = await new ExactEvmScheme(privateKeyToAccount(generatePrivateKey())).createPaymentPayload(2, { ...terms, amount: '1' })
    const cases: [Payload, string][] = [
      [{ x402Version: 2, accepted: { ...terms, amount: '1' }, payload: stingy.payload }, 'invalid_exact_evm_payload_authorization_value_mismatch'],
      [{ ...(await signed()), accepted: { ...terms, network: 'eip155:1' } }, 'invalid_network'],
      [{ ...(await signed()), payload: { signature: '0x', authorization: {} } }, 'invalid_payload'],
      [{ ...(await signed()), accepted: { ...terms, scheme: 'upto' as never } }, 'invalid_exact_evm_scheme'],
    ]
    for (const [payload, reason] of cases)
      await assert.rejects(collect(payload), (error: { code?: string; extras?: { details?: { reason?: string } } }) => {
        assert.deepEqual([error.code, error.extras?.details?.reason], ['PAYMENT_INVALID', reason])
        return true
      })
  })

  it('settles for facilitator clients what is paid to its own address only, and is worth its gas', async () => {
    const post = async (what: string, payload: Payload, requirements: object) =>
      (
        await harness.platform.call('POST', `/facilitator/${what}`, {
          body: { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements },
        })
      ).body
    const payload = await signed()

    assert.equal((await post('verify', payload, { ...terms, payTo: newWallet() })).invalidReason, 'invalid_payment_requirements')
    assert.equal((await post('verify', payload, terms)).isValid, true)
    const settled = await post('settle', payload, terms)
    const again = await post('settle', payload, terms)

    assert.deepEqual([settled.success, settled.network], [true, `eip155:${networks[chain].chainId}`])
    assert.deepEqual([again.success, again.errorReason], [false, 'invalid_exact_evm_nonce_already_used'])
    assert.equal((await paymentRow(payload))?.payTo, payTo)
    const less = { ...terms, amount: '999' }
    const cheap = { ...(await signed(undefined, less)), accepted: less }
    assert.equal((await post('verify', cheap, less)).invalidReason, 'invalid_payment_requirements')
    assert.deepEqual([(await post('settle', cheap, less)).success, commandFor(cheap)], [false, undefined])
    const { body } = await harness.platform.call('GET', '/facilitator/supported')
    assert.deepEqual(
      body.kinds.map(({ x402Version, network }: { x402Version: number; network: string }) => [x402Version, network]),
      [
        [2, 'eip155:84532'],
        [2, 'eip155:324705682'],
        [1, 'base-sepolia'],
        [1, 'skale-base-sepolia'],
      ],
    )
  })

  it('are not called unpaid once a node has pruned what they were paid by', async () => {
    const payload = await signed()
    const { id, txHash } = await collect(payload)
    await close({ id }, true)
    const logs = harness.transactions.get(txHash)!
    harness.transactions.delete(txHash)
    const named = async () => (await doctor(harness)).find(({ name }) => name === 'x402')!.detail.filter(fault => fault.includes(id))

    await harness.platform.advance(90)
    assert.deepEqual(await named(), [`x402 payment ${id} is booked, and ${txHash} on ${chain} does not pay it`])
    await harness.platform.advance(25 * 3_600)
    assert.deepEqual(await named(), [])
    harness.transactions.set(txHash, logs.slice(0, 0))
    assert.equal((await named()).length, 1)
    harness.transactions.set(txHash, logs)
  })

  it('holds every invariant through all of this', async () => {
    const { args } = harness.commands.at(-1) as ChainCommand & { args: PayArgs }
    assert.equal(args.to, payTo)
    assert.equal((await harness.platform.call('GET', `/api/x402/payments/${randomUUID()}`)).body.total, 0)
    await assertHealthy(harness)
  })
})
