import assert from 'node:assert/strict'
import { type Chain, chains, type PaymentChallenge, treasuryApi } from '@carapace/api'
import { networks } from '@carapace/chain'
import { newWallet, type Player, until } from '@carapace/testing'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { parseUnits } from 'ethers'
import { decodeXPaymentResponse } from 'x402-fetch'
import { platformAroundTests } from '../testing/around-tests.ts'
import { untilFaultless } from '../testing/health.ts'
import { answerToTransfer, authorizedV2, postPaying, postPayingV1, transferProof } from '../testing/x402-clients.ts'

const path = '/api/agent-payments/fund-escrow'

describe('a budget paid by x402', function () {
  this.timeout(180_000)
  const platform = platformAroundTests({ env: { X402_PAY_TO_ADDRESS: newWallet() } })

  const budget = 0.5
  const micro = (usd: number) => parseUnits(usd.toFixed(6), 6)

  /** A poster whose wallet has money that no contract may spend, and its gig. */
  async function newGig(chain: Chain, amount = budget, usdc = 2): Promise<Gig> {
    const poster = await platform.newPlayer({ chain, prefix: 'poster' })
    await platform.faucet(poster.wallet.address, usdc, chain)
    const { id } = await platform.post('/api/gigs', { title: 'Audit', description: 'Read it.', budget: amount, chain }, poster.headers)
    return { chain, poster, gigId: id, body: { gigId: id, agentId: poster.id } }
  }
  interface Gig {
    chain: Chain
    poster: Player
    gigId: string
    body: { gigId: string; agentId: string }
  }
  const escrowOf = async ({ gigId }: Gig) => (await platform.call('GET', `/api/escrow/${gigId}`)).body
  const balance = ({ chain, poster }: Gig) => platform.usdcOf(chain, poster.wallet.address)
  const call = ({ body }: Gig, headers: Record<string, string> = {}) => platform.call('POST', path, { body, headers })
  /** A busy machine may answer 503 or 504 first, with nothing begun. */
  const challenged = async (gig: Gig) => {
    const answer = await until('the budget is quoted', async () => {
      const found = await call(gig)
      return found.status < 500 && found
    })
    assert.equal(answer.status, 402, JSON.stringify(answer.body))
    return answer
  }
  const challengeFor = async (gig: Gig) => (await challenged(gig)).body as PaymentChallenge

  /** A payment header of x402 v2 for what the challenge of a gig offers. */
  const authorized = async (gig: Gig, { by = gig.poster, amount }: { by?: Player; amount?: bigint } = {}) =>
    authorizedV2((await challenged(gig)).headers, by, amount)
  const payV2 = (gig: Gig, payment: string) => call(gig, { 'payment-signature': payment })
  const transferred = async (gig: Gig, amount: number) => transferProof(platform, gig.chain, await challengeFor(gig), gig.poster, amount)
  const paySpec = (gig: Gig, proof: string) => answerToTransfer(() => call(gig, { 'x-payment': proof }))

  /** The chain may confirm later than a request waits: then the answer is 202. */
  async function assertFunded(gig: Gig, { status, body }: { status: number; body: { funded?: boolean } }) {
    if (status !== 202) return assert.deepEqual([status, body.funded], [200, true], JSON.stringify(body))
    await until('the lock has ended', async () => (await escrowOf(gig)).status === 'locked')
  }

  async function assertLocked(gig: Gig) {
    const escrow = await escrowOf(gig)
    assert.deepEqual([escrow.status, escrow.amount, escrow.fundedFrom], ['locked', budget, { kind: 'x402', address: gig.poster.wallet.address }])
    assert.equal(await balance(gig), micro(2 - budget))
  }

  for (const chain of chains) {
    describe(`on ${chain}`, () => {
      it('is locked for an unmodified client of x402 v2', async () => {
        const gig = await newGig(chain)
        const response = await postPaying(platform, gig.poster, chain, path, gig.body)

        const body = (await response.json()) as { funded?: boolean }
        await assertFunded(gig, { status: response.status, body })
        const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
        assert.deepEqual([receipt.success, receipt.payer], [true, gig.poster.wallet.address])
        await assertLocked(gig)
      })

      it('is locked for an unmodified client of x402 v1', async () => {
        const gig = await newGig(chain)
        const { accepts } = await challengeFor(gig)

        const response = await postPayingV1(platform, gig.poster, chain, path, gig.body)

        const body = (await response.json()) as { funded?: boolean }
        assert.deepEqual([accepts.length, accepts[0]!.network], [1, networks[chain].x402Name])
        await assertFunded(gig, { status: response.status, body })
        const receipt = decodeXPaymentResponse(response.headers.get('x-payment-response') ?? '')
        assert.deepEqual([receipt.success, receipt.payer], [true, gig.poster.wallet.address])
        await assertLocked(gig)
      })

      it('is locked for a transfer of the poster, once', async () => {
        const gig = await newGig(chain)
        const proof = await transferred(gig, budget)

        const first = await paySpec(gig, proof)
        const second = await paySpec(gig, proof)

        await assertFunded(gig, first)
        assert.deepEqual([second.status, second.body.code], [409, 'REPLAY_DETECTED'])
        await assertLocked(gig)
      })

      it('is refused before anything moves where the amount is another, or the payer', async () => {
        const gig = await newGig(chain)
        const stranger = await platform.newPlayer({ chain, prefix: 'stranger' })
        await platform.faucet(stranger.wallet.address, 1, chain)
        const wrong = { little: { amount: micro(0.4) }, much: { amount: micro(0.6) }, stranger: { by: stranger } }
        for (const [name, how] of Object.entries(wrong)) {
          const { status, body } = await payV2(gig, await authorized(gig, how))
          assert.deepEqual([status, body.code], [402, 'PAYMENT_INVALID'], name)
        }
        assert.deepEqual([await balance(gig), await platform.usdcOf(chain, stranger.wallet.address)], [micro(2), micro(1)])
      })

      it('goes back where the gig was cancelled while its transfer was on the way', async () => {
        const gig = await newGig(chain)
        const proof = await transferred(gig, budget)
        await platform.post(`/api/gigs/${gig.gigId}/cancel`, {}, gig.poster.headers)

        const { status, body } = await paySpec(gig, proof)

        assert.deepEqual([status, body.code], [409, 'INVALID_STATE'], JSON.stringify(body))
        await until('the payer has its money again', async () => (await balance(gig)) === micro(2))
      })
    })
  }

  it('locks also where the request ended between its settlement and the lock', async () => {
    const gig = await newGig('BASE_SEPOLIA')
    const { payTo } = await challengeFor(gig)
    const payload = JSON.parse(Buffer.from(await authorized(gig), 'base64').toString())
    const { address } = gig.poster.wallet
    const fund = { service: 'escrow' as const, subject: gig.gigId, chain: gig.chain, payer: address }
    const order = { route: `POST ${path}`, price: String(micro(budget)), payTo, agentId: gig.poster.id, buyer: gig.poster.id, fund }

    // what the gateway does before it forwards the request
    const { peers } = platform.service('treasury').platform
    await peers.call('treasury', treasuryApi.internal.collectX402, { body: { ...order, sent: { scheme: 'v2', payload } }, timeoutMs: 13_000 })

    await until('the escrow is locked', async () => (await escrowOf(gig)).status === 'locked')
    await assertLocked(gig)
  })

  it('is requested by a challenge: from anybody, and from a poster whose other sources fall short, with what they lack', async () => {
    const gig = await newGig('BASE_SEPOLIA')
    const [anybody, poster] = await Promise.all([
      platform.call('POST', path, { body: gig.body }),
      platform.call('POST', path, { body: gig.body, headers: gig.poster.headers }),
    ])

    assert.deepEqual([anybody.status, anybody.body.code, anybody.body.amount], [402, 'PAYMENT_REQUIRED', '0.5'])
    assert.deepEqual([poster.status, poster.body.code, poster.body.amount, poster.body.accepts.length], [402, 'FUNDS_REQUIRED', '0.5', 1])
    const { x402, allowance } = poster.body.details.options
    assert.deepEqual([allowance.reason, x402.reason, x402.endpoint, x402.next.method], ['ALLOWANCE_TOO_LOW', 'NOT_SENT', path, 'POST'])
  })

  it('goes back where the gig was funded meanwhile, and nobody pays for a gig that is', async () => {
    const gig = await newGig('BASE_SEPOLIA')
    const late = await authorized(gig)
    const proof = await transferred(gig, budget)
    assert.equal((await payV2(gig, await authorized(gig))).status, 200)

    const unpaid = await platform.call('POST', path, { body: gig.body })
    const [byTransfer, byAuthorization] = [await paySpec(gig, proof), await payV2(gig, late)]

    assert.deepEqual([unpaid.status, unpaid.body.code], [409, 'ALREADY_EXISTS'])
    assert.deepEqual([byTransfer.status, byTransfer.body.code], [409, 'ALREADY_EXISTS'])
    assert.deepEqual([byAuthorization.status, byAuthorization.body.code], [409, 'ALREADY_EXISTS'])
    await until('the payer has the second payment again', async () => (await balance(gig)) === micro(2 - budget))
    await assertLocked(gig)
  })

  it('is locked once by ten payments at the same time: what funds nothing goes back', async () => {
    const gig = await newGig('BASE_SEPOLIA', budget, 6)
    const payments = await Promise.all(Array.from({ length: 10 }, () => authorized(gig)))

    const answers = await Promise.all(payments.map(payment => payV2(gig, payment)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers.map(({ status, body }) => [status, body.code])))
    await until('one budget is paid', async () => (await balance(gig)) === micro(6 - budget))
    assert.equal((await escrowOf(gig)).status, 'locked')
  })

  it('leaves treasury and escrow with nothing to find', async () => {
    for (const service of ['treasury', 'escrow'] as const) await untilFaultless(platform, service)
  })
})
