import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Chain, chains, type PaymentChallenge, treasuryApi } from '@carapace/api'
import { commands, networks } from '@carapace/chain'
import { newWallet, type Player, published, until } from '@carapace/testing'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { Contract, parseUnits } from 'ethers'
import { platformAroundTests } from '../testing/around-tests.ts'
import { untilFaultless } from '../testing/health.ts'
import { registrationOutcome } from '../testing/registration.ts'
import { answerToTransfer, authorizedV1, authorizedV2, postPaying, transferProof } from '../testing/x402-clients.ts'

const path = '/api/domains/register'
const moltPath = '/api/molt-domains/register'

describe('a name paid by x402', function () {
  this.timeout(180_000)
  const platform = platformAroundTests({ env: { X402_PAY_TO_ADDRESS: newWallet() } })

  const price = 5
  const micro = (usd: number) => parseUnits(usd.toFixed(6), 6)

  /** An agent that wants a name; no contract may draw on its wallet. */
  interface Wish {
    chain: Chain
    player: Player
    full: string
    path: string
    body: Record<string, unknown>
  }
  async function newWish(chain: Chain, { usdc = 12, name }: { usdc?: number; name?: string } = {}): Promise<Wish> {
    const player = await platform.newPlayer({ chain })
    await platform.faucet(player.wallet.address, usdc, chain)
    const wanted = name ?? `n-${player.handle.slice(-10)}`
    return { chain, player, full: `${wanted}.agent`, path, body: { name: wanted, tld: '.agent', pricePaid: price } }
  }
  /** The same by the other route. */
  const byMoltRoute = (wish: Wish): Wish => ({
    ...wish,
    path: moltPath,
    body: { name: wish.body.name, extension: 'agent', walletAddress: wish.player.wallet.address },
  })
  const call = (wish: Wish, headers: Record<string, string> = {}) =>
    platform.call('POST', wish.path, { body: wish.body, headers: { ...wish.player.headers, ...headers } })
  const balance = ({ chain, player }: Wish) => platform.usdcOf(chain, player.wallet.address)
  const ownerOf = async ({ full }: Wish): Promise<string | undefined> => (await platform.call('GET', `/api/domains/${full}`)).body.owner
  const isMinted = ({ chain, full }: Wish): Promise<boolean> => {
    const { provider, contracts } = platform.networks[chain]
    const registry = new Contract(contracts.domains, ['function resolve(string) view returns (address)'], provider)
    return registry
      .getFunction('resolve')(full)
      .then(owner => BigInt(owner) !== 0n)
  }
  const paymentsOf = async ({ player }: Wish): Promise<{ state: string }[]> => (await platform.get(`/api/x402/payments/${player.id}`)).payments
  const statesOf = async (wish: Wish) => (await paymentsOf(wish)).map(({ state }) => state)
  const codeOf = (status: number, body: { code?: string }) => [status, body.code]

  /** A payment header of x402 v2 for what the challenge of a wish offers. */
  const authorized = async (wish: Wish, { by = wish.player, amount }: { by?: Player; amount?: bigint } = {}) =>
    authorizedV2((await call(wish)).headers, by, amount)
  const pay = async (wish: Wish, headers: Record<string, string>) => registrationOutcome(platform, await call(wish, headers))
  const payV2 = (wish: Wish, payment: string) => pay(wish, { 'payment-signature': payment })

  const transferred = async (wish: Wish, amount = price) =>
    transferProof(platform, wish.chain, (await call(wish)).body as PaymentChallenge, wish.player, amount)
  const paySpec = (wish: Wish, proof: string) => answerToTransfer(() => pay(wish, { 'x-payment': proof }))

  async function assertRegistered(wish: Wish, rest = 12 - price) {
    assert.equal(await ownerOf(wish), wish.player.wallet.address)
    assert.equal(await balance(wish), micro(rest))
    await until('its payment is spent', async () => (await statesOf(wish)).includes('spent'))
  }

  for (const chain of chains) {
    describe(`on ${chain}`, () => {
      it('is registered for an unmodified client of x402 v2', async () => {
        const wish = await newWish(chain)
        const response = await postPaying(platform, wish.player, chain, path, wish.body)

        const { status, body } = await registrationOutcome(platform, { status: response.status, body: await response.json() })
        assert.deepEqual([status, body.domain, body.pricePaid], [201, wish.full, price], JSON.stringify(body))
        const paid = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
        assert.deepEqual([paid.success, paid.payer], [true, wish.player.wallet.address])
        await assertRegistered(wish)
      })

      it('is registered for x402 v1, at molt-domains/register', async () => {
        const wish = byMoltRoute(await newWish(chain))
        const challenge = (await call(wish)).body as PaymentChallenge

        const { status, body } = await pay(wish, { 'x-payment': await authorizedV1(challenge, wish.player) })

        const { accepts } = challenge
        assert.deepEqual([accepts.length, accepts[0]!.network], [1, networks[chain].x402Name])
        assert.deepEqual([status, body.domain, body.free], [201, wish.full, false], JSON.stringify(body))
        await assertRegistered(wish)
      })

      it('is registered for a transfer of the agent, once', async () => {
        const wish = await newWish(chain)
        const proof = await transferred(wish)

        const first = await paySpec(wish, proof)
        const second = await paySpec(wish, proof)

        assert.deepEqual([first.status, first.body.domain], [201, wish.full], JSON.stringify(first.body))
        assert.deepEqual(codeOf(second.status, second.body), [409, 'REPLAY_DETECTED'])
        await assertRegistered(wish)
      })

      it('is refused before anything moves where the amount is another, or the payer', async () => {
        const [wish, stranger] = await Promise.all([newWish(chain), newWish(chain)])
        const wrong = { little: { amount: micro(4) }, much: { amount: micro(6) }, stranger: { by: stranger.player } }
        for (const [name, how] of Object.entries(wrong)) {
          const { status, body } = await payV2(wish, await authorized(wish, how))
          assert.deepEqual(codeOf(status, body), [402, 'PAYMENT_INVALID'], name)
        }
        assert.deepEqual([await balance(wish), await balance(stranger)], [micro(12), micro(12)])
        assert.deepEqual(await statesOf(wish), [])
      })

      it('goes to one of two payers at the same time, and the money of the other goes back once', async () => {
        const first = await newWish(chain)
        const second = await newWish(chain, { name: String(first.body.name) })
        const proofs = [await transferred(first), await transferred(second)] as const

        const answers = await Promise.all([paySpec(first, proofs[0]), paySpec(second, proofs[1])])

        const codes = answers.map(({ status, body }) => (status === 201 ? '201' : `${status} ${body.code}`))
        assert.deepEqual(codes.toSorted(), ['201', '409 NAME_TAKEN'])
        const [winner, loser] = codes[0] === '201' ? [first, second] : [second, first]
        await until('the other payment is returned', async () => (await statesOf(loser)).includes('returned'))
        assert.equal(await balance(loser), micro(12))
        await assertRegistered(winner)
      })
    })
  }

  it('is registered also where the request ended between its settlement and the reservation', async () => {
    const wish = await newWish('BASE_SEPOLIA')
    const { payTo } = (await call(wish)).body as PaymentChallenge
    const payload = JSON.parse(Buffer.from(await authorized(wish), 'base64').toString())
    const { id, wallet } = wish.player
    const fund = { service: 'domains' as const, subject: wish.full, chain: wish.chain, payer: wallet.address }
    const order = { route: `POST ${path}`, price: String(micro(price)), payTo, agentId: id, buyer: id, fund }

    // what the gateway does before it forwards the request
    const { peers } = platform.service('treasury').platform
    await peers.call('treasury', treasuryApi.internal.collectX402, { body: { ...order, sent: { scheme: 'v2', payload } }, timeoutMs: 13_000 })

    await until('the name is registered', async () => (await ownerOf(wish)) !== undefined)
    await assertRegistered(wish)
  })

  it('goes back once where the chain refuses the mint', async () => {
    const wish = await newWish('BASE_SEPOLIA')
    const proof = await transferred(wish)
    // a wallet of no agent, which the name would go to, has the token on chain: the registry refuses a second one
    const minted = { chain: wish.chain, domainId: randomUUID(), n: 1, fullDomain: wish.full, owner: newWallet(), texts: [], sale: null }
    await platform.bus.publish([published(commands.domainMint({ ...minted, deadline: new Date(Date.now() + 60_000) }))])
    await until('the token is there', () => isMinted(wish))

    const { status, body } = await paySpec(wish, proof)

    assert.deepEqual([...codeOf(status, body), body.retryable], [409, 'CONFLICT', undefined], JSON.stringify(body))
    await platform.advance(180)
    await until('the payment is returned', async () => (await statesOf(wish)).includes('returned'))
    assert.deepEqual([await balance(wish), await ownerOf(wish)], [micro(12), undefined])
    const again = await paySpec(wish, proof)
    assert.deepEqual(codeOf(again.status, again.body), [409, 'REPLAY_DETECTED'])
    assert.deepEqual([await balance(wish), await statesOf(wish)], [micro(12), ['returned']])
  })

  it('is requested by the refusal of an agent whose other sources fall short, which says what to call', async () => {
    const wish = await newWish('BASE_SEPOLIA')
    for (const request of [wish, byMoltRoute(wish)]) {
      const { status, body } = await call(request)
      assert.deepEqual([status, body.code, body.amount, body.accepts.length], [402, 'FUNDS_REQUIRED', '5', 1])
      const { x402, allowance } = body.details.options
      assert.deepEqual([allowance.reason, x402.reason, x402.endpoint, x402.next.path], ['ALLOWANCE_TOO_LOW', 'NOT_SENT', request.path, request.path])
    }
  })

  it('is no reason to pay where the request would be refused', async () => {
    const [wish, other] = await Promise.all([newWish('BASE_SEPOLIA'), newWish('BASE_SEPOLIA')])
    const late = await authorized({ ...other, body: wish.body })
    assert.equal((await payV2(wish, await authorized(wish))).status, 201)

    const sold = await payV2({ ...other, body: wish.body }, late)
    const cheap = await payV2({ ...other, body: { ...other.body, pricePaid: 4 } }, late)
    const reserved = await payV2({ ...other, body: { ...other.body, name: 'oracle' } }, late)
    const mismatch = await payV2({ ...byMoltRoute(other), body: { ...byMoltRoute(other).body, walletAddress: wish.player.wallet.address } }, late)

    assert.deepEqual(
      [sold, cheap, reserved, mismatch].map(({ status, body }) => codeOf(status, body)),
      [
        [409, 'NAME_TAKEN'],
        [400, 'PRICE_MISMATCH'],
        [400, 'NAME_RESERVED'],
        [403, 'WALLET_MISMATCH'],
      ],
    )
    assert.equal(await balance(other), micro(12))
  })

  it('leaves treasury and domains with nothing to find', async () => {
    for (const service of ['treasury', 'domains'] as const) await untilFaultless(platform, service)
  })
})
