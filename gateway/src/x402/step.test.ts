import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { errorBody, Refusal } from '@carapace/api'
import { newWallet, until } from '@carapace/testing'
import { signRequest } from '@slicekit/erc8128'
import { Wallet } from 'ethers'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'

const header = (payment: object) => Buffer.from(JSON.stringify(payment)).toString('base64')
const extensions = { 'payment-identifier': { info: { id: 'pay_0123456789abcdef' } } }

describe('a call that is paid by x402', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ X402_PAY_TO_ADDRESS: newWallet() })
  })
  after(() => harness.close())

  /** What treasury is notified of, where the service answers so. */
  const closing = async (status: number, body: object, more: object = {}) => {
    harness.upstream.closed.length = 0
    harness.upstream.answer = (_seen, response) => json(response, status, body)
    const payment = header({ x402Version: 2, ...more })
    const path = `/api/reputation/check-eligibility?wallet=${newWallet()}`
    const answer = await harness.call('GET', path, { headers: { 'payment-signature': payment } })
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    return until('treasury is notified', () => harness.upstream.closed[0])
  }
  const refusal = (...given: ConstructorParameters<typeof Refusal>) => {
    const refused = new Refusal(...given)
    return [refused.status, errorBody(refused, 'r')] as const
  }

  it('uses its payment up by data, and by a refusal that would be the same again', async () => {
    assert.deepEqual(await closing(200, { eligible: true }), { served: true })
    assert.deepEqual(await closing(404, refusal('NOT_FOUND')[1]), { served: true })
    assert.deepEqual(await closing(...refusal('INVALID_STATE')), { served: true })
  })

  it('records that again when treasury ends before it has it', async () => {
    harness.upstream.closesLost = 2
    assert.deepEqual(await closing(200, { eligible: true }), { served: true })
  })

  it('leaves it a credit while it is under way, after a failure, and after a refusal that passes', async () => {
    assert.deepEqual(await closing(202, {}), { served: false })
    const passing = [
      refusal('INTERNAL_ERROR'),
      refusal('DEPENDENCY_UNAVAILABLE'),
      refusal('CONFLICT'),
      refusal('RATE_LIMITED'),
      refusal('INVALID_STATE', { retryable: true }),
    ]
    for (const [status, body] of passing) assert.deepEqual(await closing(status, body), { served: false }, JSON.stringify(body))
  })

  it('is challenged, and charged for nothing, where its answer would have no data', async () => {
    harness.upstream.closed.length = 0
    const path = `/api/reputation/check-eligibility?wallet=${newWallet()}`
    const answer = await harness.call('HEAD', path, { headers: { 'payment-signature': header({ x402Version: 2 }) } })

    assert.equal(answer.status, 402)
    assert.deepEqual(harness.upstream.closed, [])
  })

  it('is answered with the data, also where the client has an equal answer already', async () => {
    harness.upstream.answer = ({ headers }, response) => json(response, headers['if-none-match'] ? 304 : 200, { eligible: true })
    const path = `/api/reputation/check-eligibility?wallet=${newWallet()}`
    const headers = { 'payment-signature': header({ x402Version: 2, extensions }), 'if-none-match': '*' }
    const { status, body } = await harness.call('GET', path, { headers })

    assert.deepEqual([status, body], [200, { eligible: true }])
  })

  it('has its answer stored under its identifier, where there is one', async () => {
    const body = { eligible: true }

    assert.deepEqual(await closing(200, body, { extensions }), { served: true, answer: { status: 200, text: JSON.stringify(body) } })
    assert.deepEqual(await closing(...refusal('CONFLICT'), { extensions }), { served: false })
  })

  it('belongs to its address, or to the wallet that signed the call: a name in a header gives nobody a credit', async () => {
    harness.upstream.answer = (_seen, response) => json(response, 200, {})
    const [named, signer] = [randomUUID(), Wallet.createRandom()]
    const path = `/api/reputation/check-eligibility?wallet=${newWallet()}`
    const paid = { 'payment-signature': header({ x402Version: 2 }) }
    const keeper = {
      ...{ address: signer.address as `0x${string}`, chainId: 84532 },
      signMessage: async (message: Uint8Array) => (await signer.signMessage(message)) as `0x${string}`,
    }
    const request = await signRequest(harness.url + path, { headers: paid }, keeper)
    harness.upstream.collected.length = 0

    for (const headers of [{ ...paid, 'x-agent-id': named }, Object.fromEntries(request.headers)])
      assert.equal((await harness.call('GET', path, { headers })).status, 200)

    assert.deepEqual(
      harness.upstream.collected.map(({ buyer, agentId }) => [buyer, agentId]),
      [
        ['127.0.0.1', named],
        [signer.address.toLowerCase(), null],
      ],
    )
  })

  it('may answer a challenge that named the address of a former key, and no other one', async () => {
    const [former, present, agentId, gigId, payer] = [newWallet(), newWallet(), randomUUID(), randomUUID(), newWallet()]
    const quoted = (more: object) => {
      const quote = { subject: gigId, price: '40000000', chain: 'BASE_SEPOLIA', payer, agentId, ...more }
      harness.upstream.reports.set('/internal/v1/escrows/quote', { quote, refusal: null })
    }
    harness.upstream.answer = (_seen, response) => json(response, 200, {})
    const fund = (headers: Record<string, string> = {}) =>
      harness.call('POST', '/api/agent-payments/fund-escrow', { body: { gigId, agentId, amount: 40 }, headers })
    quoted({ payTo: former })
    const challenge = await fund()
    const proof = { txHash: `0x${'5'.repeat(64)}`, nonce: challenge.body.nonce, amount: '40', from: payer, to: former }

    quoted({ payTo: present })
    const unknown = await fund({ 'x-payment': JSON.stringify(proof) })
    quoted({ payTo: present, formerPayTo: [former] })
    const accepted = await fund({ 'x-payment': JSON.stringify(proof) })

    assert.deepEqual([challenge.status, unknown.status, accepted.status], [402, 402, 200])
  })

  it('is known as that of the agent where the agent calls, and not where somebody names it', async () => {
    const { agentId, wallet } = harness.agent()
    const payTo = newWallet()
    const quote = { subject: randomUUID(), price: '40000000', chain: 'BASE_SEPOLIA', payer: wallet, agentId, payTo }
    harness.upstream.reports.set('/internal/v1/escrows/quote', { quote, refusal: null })
    harness.upstream.answer = (_seen, response) => json(response, 200, {})
    const fund = (headers: Record<string, string>) =>
      harness.call('POST', '/api/agent-payments/fund-escrow', { body: { gigId: quote.subject, agentId, amount: 40 }, headers })
    const own = (one: { agentId: string; wallet: string }) => ({ 'x-agent-id': one.agentId, 'x-wallet-address': one.wallet })
    const { nonce } = (await fund({})).body
    const payment = { 'x-payment': JSON.stringify({ txHash: `0x${'6'.repeat(64)}`, nonce, amount: '40', from: wallet, to: payTo }) }
    harness.upstream.collected.length = 0

    for (const headers of [{}, own(harness.agent()), own({ agentId, wallet })]) await fund({ ...payment, ...headers })

    assert.deepEqual(
      harness.upstream.collected.map(({ sent }) => sent.byAgent),
      [false, false, true],
    )
  })
})
