import assert from 'node:assert/strict'
import { type Chain, chains, type PaymentChallenge } from '@carapace/api'
import { networks, nonceTail } from '@carapace/chain'
import { connect, type PaidCall } from '@carapace/client'
import { startGateway } from '@carapace/gateway'
import { type ChainPlatform, httpCall, newWallet, type Player, startChainPlatform } from '@carapace/testing'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { services } from '../services.ts'
import { authorizedV2, clientV2 } from '../testing/x402-clients.ts'

const payTo = newWallet()
const route = 'GET /api/reputation/check-eligibility'

describe('x402', function () {
  this.timeout(180_000)
  let platform: ChainPlatform
  /** Of the gateways, of which there are two. */
  let urls: string[]
  before(async () => {
    const startReplicas: typeof startGateway = async options => {
      const [first, second] = [await startGateway(options), await startGateway({ ...options, exclusive: false })]
      urls = [first.url, second.url]
      return { ...first, close: async () => void (await Promise.all([first.close(), second.close()])) }
    }
    platform = await startChainPlatform({ services, startGateway: startReplicas, env: { X402_PAY_TO_ADDRESS: payTo } })
  })
  after(() => platform?.end())

  const path = () => `/api/reputation/check-eligibility?wallet=${newWallet()}`
  const paymentsOf = async ({ id }: Player) => (await platform.get(`/api/x402/payments/${id}`)).payments

  describe('the 402 answer', () => {
    it('offers both networks in all three dialects', async () => {
      const { status, body, headers } = await platform.call('GET', path())
      const v2 = decodePaymentRequiredHeader(headers.get('payment-required') ?? '')

      assert.deepEqual([status, body.code, body.paymentRequired, body.amount, body.payTo], [402, 'PAYMENT_REQUIRED', true, '0.001', payTo])
      assert.match(body.nonce, /^0x[0-9a-f]{64}$/)
      assert.equal(headers.get('cache-control'), 'private, no-store')
      assert.deepEqual(
        body.accepts.map((offer: { network: string; asset: string }) => [offer.network, offer.asset]),
        chains.map(chain => [networks[chain].x402Name, platform.networks[chain].contracts.usdc]),
      )
      assert.deepEqual(
        v2.accepts.map(({ network, amount }) => [network, amount]),
        chains.map(chain => [`eip155:${networks[chain].chainId}`, '1000']),
      )
      assert.equal(v2.resource?.url.startsWith(`${platform.url}/api/reputation/check-eligibility?wallet=`), true)
    })

    it('comes after the checks of the request: nobody pays for a 400', async () => {
      assert.equal((await platform.call('GET', '/api/reputation/check-eligibility?wallet=nobody')).status, 400)
    })

    it('comes again for a payment that cannot be read', async () => {
      for (const sent of ['x', '{}', '{"txHash":1,"nonce":2}', Buffer.from('{"x402Version":2}').toString('base64')]) {
        const { status, body } = await platform.call('GET', path(), { headers: { 'x-payment': sent } })
        assert.deepEqual([status, body.code, body.error], [402, 'PAYMENT_INVALID', 'invalid_payload'], sent)
      }
    })
  })

  for (const chain of chains) {
    describe(`an unmodified client on ${chain}`, () => {
      it('pays by x402 v2 and gets the read with a receipt', async () => {
        const buyer = await platform.newPlayer({ chain, usdc: 1 })
        const before = await platform.usdcOf(chain, payTo)

        const response = await payingFetch(buyer, chain)(`${platform.url}${path()}`, { headers: { 'x-agent-id': buyer.id } })

        const body = (await response.json()) as Record<string, unknown>
        assert.deepEqual([response.status, body.eligible], [200, false], JSON.stringify(body))
        const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
        assert.deepEqual([receipt.success, receipt.network, receipt.payer], [true, `eip155:${networks[chain].chainId}`, buyer.wallet.address])
        assert.equal((await platform.usdcOf(chain, payTo)) - before, 1_000n)
        const [payment] = await paymentsOf(buyer)
        assert.deepEqual(
          [payment.amount, payment.chain, payment.txHash, payment.scheme, payment.route],
          [0.001, chain, receipt.transaction, 'v2', route],
        )
      })

      it('pays by x402 v1', async () => {
        const buyer = await platform.newPlayer({ chain, usdc: 1 })
        const challenge = (await platform.call('GET', path())).body as PaymentChallenge
        const offer = challenge.accepts.find(({ network }) => network === networks[chain].x402Name)
        const scheme = new ExactEvmSchemeV1(privateKeyToAccount(buyer.wallet.privateKey as Hex))
        const payment = Buffer.from(JSON.stringify(await scheme.createPaymentPayload(1, offer as never))).toString('base64')

        const { status, headers } = await platform.call('GET', path(), { headers: { 'x-payment': payment, 'x-agent-id': buyer.id } })

        assert.equal(status, 200)
        const receipt = decodePaymentResponseHeader(headers.get('x-payment-response') ?? '')
        assert.deepEqual([receipt.success, receipt.network], [true, networks[chain].x402Name])
        assert.equal((await paymentsOf(buyer))[0].scheme, 'v1')
      })
    })

    describe(`the dialect of the spec on ${chain}`, () => {
      it('serves a transfer of the wallet of the named agent, once', async () => {
        const buyer = await platform.newPlayer({ chain, usdc: 1 })
        const { nonce, proof } = await transferFor(buyer, chain, buyer.id)

        const first = await sendProof(proof, buyer.id)
        const second = await sendProof(proof, buyer.id)

        assert.equal(first.status, 200, JSON.stringify(first.body))
        assert.deepEqual([second.status, second.body.error, second.body.code], [409, 'Payment nonce already used', 'REPLAY_DETECTED'])
        const [payment] = await paymentsOf(buyer)
        assert.deepEqual([payment.scheme, payment.txHash, payment.chain], ['spec', proof.txHash, chain])
        assert.equal(nonce, proof.nonce)
      })

      it('serves nobody else by a transfer without a tail, and anybody who knows the nonce by one with it', async () => {
        const [buyer, stranger] = [await platform.newPlayer({ chain, usdc: 1 }), await platform.newPlayer()]
        const own = (await challengeFor(stranger.id)).nonce
        const bare = await transferFor(buyer, chain, buyer.id)
        const tailed = await transferFor(buyer, chain, null, nonceTail)

        const stolen = await sendProof({ ...bare.proof, nonce: own }, stranger.id)
        const stolenTail = await sendProof({ ...tailed.proof, nonce: own }, stranger.id)
        const served = await sendProof(tailed.proof, null)

        assert.deepEqual([stolen.status, stolen.body.error], [402, 'nonce_missing'])
        assert.match(stolen.body.message, /keccak256\(nonce\)/)
        assert.deepEqual([stolenTail.status, stolenTail.body.error], [402, 'nonce_mismatch'])
        assert.equal(served.status, 200, JSON.stringify(served.body))
      })
    })
  }

  describe('one proof, sent 200 times in parallel through two gateways', () => {
    const sendAll = async (headers: Record<string, string>) => {
      const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => httpCall(urls[n % 2]!, 'GET', path(), { headers })))
      const counts: Record<string, number> = {}
      for (const { status, body } of answers) {
        const outcome = `${status} ${body.code ?? ''}`.trim()
        counts[outcome] = (counts[outcome] ?? 0) + 1
      }
      return counts
    }

    it('serves once as x402 v2', async () => {
      const buyer = await platform.newPlayer({ usdc: 1 })
      const payment = await authorizedV2((await platform.call('GET', path())).headers, buyer)

      assert.deepEqual(await sendAll({ 'payment-signature': payment }), { '200': 1, '409 REPLAY_DETECTED': 199 })
    })

    it('serves once as a transfer', async () => {
      const buyer = await platform.newPlayer({ usdc: 1 })
      const { proof } = await transferFor(buyer, 'BASE_SEPOLIA', buyer.id)

      assert.deepEqual(await sendAll({ 'x-payment': JSON.stringify(proof), 'x-agent-id': buyer.id }), { '200': 1, '409 REPLAY_DETECTED': 199 })
    })
  })

  describe('POST /api/x402/pay', () => {
    it('sells by every dialect what is open or gated by itself', async () => {
      const buyer = await platform.newPlayer({ usdc: 1 })
      const order = (endpoint: string) => ({
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ endpoint, agentId: buyer.id }),
      })

      const unpaid = await platform.call('POST', '/api/x402/pay', { body: { endpoint: '/api/agents/:id/reputation', agentId: buyer.id } })
      const bought = await payingFetch(buyer, 'BASE_SEPOLIA')(`${platform.url}/api/x402/pay`, order('/api/agents/:id/reputation'))
      const body = (await bought.json()) as { agentId?: string }

      assert.deepEqual([unpaid.status, unpaid.body.amount], [402, '0.002'])
      assert.deepEqual([bought.status, body.agentId], [200, buyer.id], JSON.stringify(body))
      assert.equal((await paymentsOf(buyer))[0].amount, 0.002)
    })
  })

  describe('the client of the platform', () => {
    for (const chain of chains)
      it(`knows the USDC of ${chain} by itself`, async () => {
        const buyer = await platform.newPlayer({ chain, usdc: 1 })
        const payment = { signer: buyer.wallet, maxPayment: 1_000n, networks: [`eip155:${networks[chain].chainId}`] }
        const identity = { agentId: buyer.id, walletAddress: buyer.wallet.address }

        const { eligible } = await connect({ baseUrl: platform.url, identity, payment }).reputation.checkEligibility({
          query: { wallet: newWallet() },
        })

        assert.deepEqual([eligible, await platform.usdcOf(chain, buyer.wallet.address)], [false, 999_000n])
      })

    it('pays within its ceiling, reports what it paid, and pays once for a call whose answers are lost', async () => {
      const buyer = await platform.newPlayer({ usdc: 1 })
      const paid: PaidCall[] = []
      let losses = 2
      const lossy: typeof fetch = async (input, init) => {
        const answer = await fetch(input, init)
        if (!new Headers(init?.headers).has('payment-signature') || losses-- <= 0) return answer
        throw new TypeError('the answer was lost')
      }
      const payment = { signer: buyer.wallet, maxPayment: 1_000n, onPaid: (call: PaidCall) => void paid.push(call) }
      const identity = { agentId: buyer.id, walletAddress: buyer.wallet.address }
      const query = { wallet: newWallet() }
      const before = await platform.usdcOf('BASE_SEPOLIA', buyer.wallet.address)

      const { eligible } = await connect({ baseUrl: platform.url, identity, payment }).reputation.checkEligibility({ query })
      const lost = connect({ baseUrl: platform.url, identity, payment, fetch: lossy }).reputation.checkEligibility({ query })
      const dear = connect({ baseUrl: platform.url, identity, payment: { ...payment, maxPayment: 999n } }).reputation.checkEligibility({ query })

      assert.equal(eligible, false)
      assert.equal((await lost).eligible, false)
      await assert.rejects(dear, { code: 'PAYMENT_REQUIRED' })
      assert.deepEqual(
        paid.map(({ amount, network, payTo: to }) => [amount, network, to]),
        [
          [1_000n, 'eip155:84532', payTo],
          [1_000n, 'eip155:84532', payTo],
        ],
      )
      for (const { txHash } of paid) assert.match(txHash ?? '', /^0x[0-9a-f]{64}$/)
      assert.equal(before - (await platform.usdcOf('BASE_SEPOLIA', buyer.wallet.address)), 2_000n)
    })
  })

  describe('GET /facilitator/discovery/resources', () => {
    it('lists every price with its terms on both networks', async () => {
      const { items, pagination } = await platform.get('/facilitator/discovery/resources?limit=3')

      assert.deepEqual([items.length, pagination], [3, { limit: 3, offset: 0, total: 4 }])
      for (const item of items)
        assert.deepEqual(
          item.accepts.map(({ payTo: to }: { payTo: string }) => to),
          [payTo, payTo],
        )
    })
  })

  describe('GET /api/x402/stats', () => {
    it('sums up what was paid', async () => {
      const { totalPayments, totalAmount, byRoute } = await platform.get('/api/x402/stats')

      assert.deepEqual([totalPayments, totalAmount], [15, 0.016])
      assert.deepEqual(byRoute, [
        { route: 'GET /api/agents/:id/reputation', count: 1, amount: 0.002 },
        { route, count: 14, amount: 0.014 },
      ])
    })
  })

  const challengeFor = async (agentId: string | null) =>
    (await platform.call('GET', path(), { headers: agentId ? { 'x-agent-id': agentId } : {} })).body as PaymentChallenge

  const sendProof = (proof: object, agentId: string | null) =>
    platform.call('GET', path(), { headers: { 'x-payment': JSON.stringify(proof), ...(agentId ? { 'x-agent-id': agentId } : {}) } })

  async function transferFor({ wallet }: Player, chain: Chain, agentId: string | null, tailOf?: (nonce: string) => string) {
    const { nonce, amount } = await challengeFor(agentId)
    const { usdc, provider } = platform.networks[chain]
    const call = usdc.interface.encodeFunctionData('transfer', [payTo, 1_000n])
    const data = call + (tailOf?.(nonce).slice(2) ?? '')
    const sent = await wallet
      .connect(provider)
      .sendTransaction({ to: await usdc.getAddress(), data, ...(chain === 'SKALE_TESTNET' ? { gasPrice: 0, type: 0 } : {}) })
    await sent.wait()
    return { nonce, proof: { txHash: sent.hash, nonce, amount, from: wallet.address, to: payTo } }
  }

  const payingFetch = (buyer: Player, chain: Chain) => wrapFetchWithPayment(fetch, clientV2(platform, buyer, chain))
})
