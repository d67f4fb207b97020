import assert from 'node:assert/strict'
import { type PaidCall, type PaymentOptions, payingFetch } from './index.ts'

const url = 'http://host/api/sold'
const signer = { address: '0x0000000000000000000000000000000000000001', signTypedData: async () => '0x00' }
const offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '1000',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0xb',
  maxTimeoutSeconds: 300,
  extra: { name: 'USDC', version: '2' },
}
const base64 = (value: object) => btoa(JSON.stringify(value))
const identifiable = { 'payment-identifier': { info: { required: false }, schema: {} } }
const challengeOf = (accepts: unknown) => () =>
  new Response('{}', { status: 402, headers: { 'payment-required': base64({ x402Version: 2, accepts, extensions: identifiable }) } })
const challenge = challengeOf([offer])
const refusal = (status: number, body: object) => () => new Response(JSON.stringify(body), { status })
const served = () => new Response('{"sold":true}', { headers: { 'payment-response': base64({ success: true, transaction: '0xt' }) } })
/** Its connection ends in the middle of the body. */
const broken = () => new Response(new ReadableStream({ start: body => body.error(new TypeError('terminated')) }), { headers: served().headers })
const lost = () => {
  throw new TypeError('fetch failed')
}

describe('a fetch that pays', () => {
  let sent: { nonce: string; id: string }[]
  let paid: PaidCall[]
  beforeEach(() => {
    sent = []
    paid = []
  })

  /** Answers one payment after the other; what comes without one gets the challenge. */
  function buyerAt(answers: (() => Response | Promise<Response>)[], unpaid: (() => Promise<Response>)[] = []): typeof fetch {
    const door: typeof fetch = async (_input, init) => {
      const header = new Headers(init?.headers).get('payment-signature')
      if (header === null) return (unpaid.shift() ?? challenge)()
      const { payload, extensions } = JSON.parse(atob(header))
      sent.push({ nonce: payload.authorization.nonce, id: extensions['payment-identifier'].info.id })
      return (answers.shift() ?? served)()
    }
    return payingFetch(door, { signer, maxPayment: 1_000n, onPaid: call => void paid.push(call) })
  }
  const payments = () => new Set(sent.map(({ nonce }) => nonce)).size

  it('sends one payment, under one identifier, until it is answered', async () => {
    const inProgress = refusal(409, { code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true })
    const buy = buyerAt([lost, inProgress, refusal(402, { error: 'settlement_pending' })])

    const answer = await buy(url)

    assert.deepEqual([answer.status, sent.length, payments(), new Set(sent.map(({ id }) => id)).size], [200, 4, 1, 1])
    assert.match(sent[0]!.id, /^[a-zA-Z0-9_-]{16,128}$/)
    assert.deepEqual(
      paid.map(({ amount, txHash }) => [amount, txHash]),
      [[1_000n, '0xt']],
    )
  }).timeout(10_000)

  it('goes on with the payment of a call that had no answer when that is repeated, and pays again for a new call', async () => {
    const buy = buyerAt([lost])
    const aborted = AbortSignal.abort()

    await assert.rejects(buy(url, { signal: aborted }), TypeError)
    assert.equal((await buy(url)).status, 200)
    assert.deepEqual([payments(), paid.length], [1, 1])
    assert.equal((await buy(url)).status, 200)
    assert.deepEqual([payments(), paid.length], [2, 2])
  })

  it('pays again for a call whose earlier payment was refused', async () => {
    const buy = buyerAt([lost, challenge])

    await assert.rejects(buy(url, { signal: AbortSignal.abort() }), TypeError)
    assert.equal((await buy(url)).status, 200)
    assert.deepEqual([payments(), paid.length], [2, 1])
  })

  it('sends the same payment again where the body of its answer was lost, or a limit was in the way', async () => {
    const buy = buyerAt([broken, refusal(429, { code: 'RATE_LIMITED' })])

    const answer = await buy(url)

    assert.deepEqual([await answer.json(), sent.length, payments(), paid.length], [{ sold: true }, 3, 1, 1])
  }).timeout(10_000)

  it('leaves a payment that was not verified to the next equal call', async () => {
    const buy = buyerAt([refusal(403, { code: 'FORBIDDEN' })])

    assert.equal((await buy(url)).status, 403)
    assert.equal((await buy(url)).status, 200)
    assert.deepEqual([payments(), paid.length], [1, 1])
  })

  it('pays once for equal calls that run at the same time', async () => {
    const other: { call?: Promise<Response> } = {}
    /** Its own challenge comes when the other call is over. */
    const afterOther = () => other.call!.then(challenge)
    const buy = buyerAt([], [afterOther])

    const slow = buy(url)
    other.call = buy(url)

    assert.deepEqual([(await slow).status, (await other.call).status], [200, 200])
    assert.deepEqual([payments(), paid.length], [1, 1])
    await buy(url)
    assert.equal(payments(), 2)
  })

  it('pays once for all calls under one Idempotency-Key, also after one that nobody waited for was answered', async () => {
    const buy = buyerAt([])
    const call = (key: string) => buy(url, { headers: { 'idempotency-key': key } })

    assert.deepEqual([(await call('a')).status, (await call('a')).status], [200, 200])
    assert.deepEqual([payments(), paid.length], [1, 1])
    await call('b')
    assert.equal(payments(), 2)
  })

  it('goes on with unanswered and running calls under an Idempotency-Key however many others were answered since', async () => {
    const held: { answer?: (response: Response) => void } = {}
    const buy = buyerAt([lost, () => new Promise<Response>(resolve => (held.answer = resolve))])
    const call = (key: string, signal?: AbortSignal) => buy(url, { headers: { 'idempotency-key': key }, ...(signal && { signal }) })
    await assert.rejects(call('lost', AbortSignal.abort()), TypeError)
    const running = call('running')
    while (!held.answer) await new Promise(setImmediate)

    for (let n = 0; n < 1_000; n++) await call(`${n}`)

    await call('lost')
    await call('running')
    await call('999')
    held.answer(served())
    await running
    assert.equal(payments(), 1_002)
    await call('0')
    assert.equal(payments(), 1_003)
  }).timeout(10_000)

  it('signs for the next call where its signer failed', async () => {
    let failures = 1
    const failing = { ...signer, signTypedData: async () => (failures-- > 0 ? Promise.reject(new Error('locked')) : '0x00') }
    const door: typeof fetch = async (_input, init) => (new Headers(init?.headers).has('payment-signature') ? served() : challenge())
    const buy = payingFetch(door, { signer: failing, maxPayment: 1_000n })

    await assert.rejects(buy(url), /locked/)
    assert.equal((await buy(url)).status, 200)
  })

  it('pays nothing above its ceiling', async () => {
    const answer = await payingFetch(async () => challenge(), { signer, maxPayment: 999n, onPaid: call => void paid.push(call) })(url)

    assert.deepEqual([answer.status, paid], [402, []])
  })

  describe('signs nothing for', () => {
    const answerTo = async (accepts: unknown, more: Partial<PaymentOptions> = {}) => {
      const signed: string[] = []
      const careful = {
        ...signer,
        signTypedData: async (domain: Record<string, unknown>) => {
          signed.push(String(domain.verifyingContract))
          return '0x00'
        },
      }
      const door: typeof fetch = async (_input, init) => (new Headers(init?.headers).has('payment-signature') ? served() : challengeOf(accepts)())
      const { status } = await payingFetch(door, { signer: careful, maxPayment: 25_000_000n, ...more })(url)
      return { status, signed }
    }
    const wrapped = '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'
    const refused: Record<string, unknown> = {
      'another token, however few of its units': [{ ...offer, asset: wrapped }],
      'the token of another network': [{ ...offer, network: 'eip155:324705682' }],
      'a network that it does not know': [{ ...offer, network: 'eip155:1' }],
      'a payment that would be good for ten years': [{ ...offer, maxTimeoutSeconds: 315_360_000 }],
      'a payment without an end': [{ ...offer, maxTimeoutSeconds: null }],
      'an amount that is no whole number': ['0x10', '1.5', '-1', '', ' 1', 1_000, null].map(amount => ({ ...offer, amount })),
      'a token without a name': [
        { ...offer, extra: {} },
        { ...offer, extra: undefined },
      ],
      'what is no offer': [null, 1, 'x', {}],
      'what is no list of offers': { 0: offer },
    }
    for (const [title, accepts] of Object.entries(refused))
      it(title, async () => {
        assert.deepEqual(await answerTo(accepts), { status: 402, signed: [] })
      })

    it('other offers than the one that is right: that one is paid', async () => {
      assert.deepEqual(await answerTo([{ ...offer, asset: wrapped }, { ...offer, amount: 'x' }, offer]), { status: 200, signed: [offer.asset] })
    })

    it('anything else than a token that its user names for a network', async () => {
      const network = 'eip155:31337'
      const assets = { [network]: wrapped.toLowerCase() }
      const named = { ...offer, network, asset: wrapped }

      assert.deepEqual(await answerTo([named], { assets }), { status: 200, signed: [wrapped] })
      assert.deepEqual(await answerTo([{ ...named, asset: offer.asset }], { assets }), { status: 402, signed: [] })
      // those that it knows by itself remain
      assert.deepEqual(await answerTo([offer], { assets }), { status: 200, signed: [offer.asset] })
    })
  })
})
