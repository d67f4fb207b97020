import assert from 'node:assert/strict'
import { type Chain, chains } from '@carapace/api'
import { networks } from '@carapace/chain'
import { newWallet, type Player } from '@carapace/testing'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader, encodePaymentSignatureHeader, HTTPFacilitatorClient } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { declareDiscoveryExtension, validateDiscoveryExtension, withBazaar } from '@x402/extensions/bazaar'
import { appendPaymentIdentifierToExtensions, declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier'
import { wrapFetchWithPayment } from '@x402/fetch'
import { decodeXPaymentResponse, wrapFetchWithPayment as wrapFetchWithPaymentV1 } from 'x402-fetch'
import { platformAroundTests } from '../testing/around-tests.ts'
import { clientV2, requiredOf, signerV1 } from '../testing/x402-clients.ts'

const payTo = newWallet()
const chain = 'BASE_SEPOLIA'

describe('unmodified clients of x402', function () {
  this.timeout(180_000)
  const platform = platformAroundTests({ env: { X402_PAY_TO_ADDRESS: payTo } })

  const gated = () => `${platform.url}/api/reputation/check-eligibility?wallet=${newWallet()}&minScore=10`
  const order = ({ id }: Player) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: '/api/agents/:id/reputation?view=basic', agentId: id }),
  })
  const v1 = async (buyer: Player, on: Chain) =>
    wrapFetchWithPaymentV1(fetch, await signerV1(buyer, on)) as (input: string, init?: RequestInit) => Promise<Response>
  const v2 = async (buyer: Player, on: Chain) => wrapFetchWithPayment(fetch, clientV2(platform, buyer, on))

  for (const on of chains) {
    for (const [name, wrapped] of [['x402-fetch', v1] as const, ['@x402/fetch', v2] as const]) {
      it(`${name} buys a gated read and what POST /api/x402/pay sells on ${on}`, async () => {
        const buyer = await platform.newPlayer({ chain: on, usdc: 1 })
        const before = await platform.usdcOf(on, payTo)
        const paying = await wrapped(buyer, on)

        const read = await paying(gated(), { headers: { 'x-agent-id': buyer.id } })
        const sale = await paying(`${platform.url}/api/x402/pay`, order(buyer))

        const bodies = [(await read.json()) as Record<string, unknown>, (await sale.json()) as Record<string, unknown>]
        assert.deepEqual([read.status, sale.status], [200, 200], JSON.stringify(bodies))
        assert.deepEqual([bodies[0]?.eligible, bodies[1]?.agentId], [false, buyer.id])
        for (const answer of [read, sale]) {
          const receipt =
            name === 'x402-fetch'
              ? decodeXPaymentResponse(answer.headers.get('x-payment-response') ?? '')
              : decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')
          assert.deepEqual([receipt.success, receipt.payer], [true, buyer.wallet.address])
          assert.ok([networks[on].x402Name, `eip155:${networks[on].chainId}`].includes(receipt.network), receipt.network)
        }
        assert.equal((await platform.usdcOf(on, payTo)) - before, 2_000n)
      })
    }
  }

  describe('the extension bazaar', () => {
    const challenge = async (url: string, init?: RequestInit): Promise<PaymentRequired> => {
      const header = (await fetch(url, init)).headers.get('payment-required') ?? ''
      // a proxy in front may have no more than 8 KB for all headers
      assert.ok(header.length < 7_000, `${header.length} characters`)
      return decodePaymentRequiredHeader(header)
    }
    interface Declared {
      info: { input: Record<string, Record<string, unknown>> }
      schema: {
        properties: { input: { properties: Record<string, object> }; output: { properties: { example: { required: string[] } } } }
      }
    }
    const bazaarIn = (described: { extensions?: Record<string, unknown> | undefined }) => described.extensions?.bazaar as Declared
    const validate = (declared: Declared) => validateDiscoveryExtension(declared as never)

    it('describes a gated read in each challenge as the package of the standard does', async () => {
      const declared = bazaarIn(await challenge(gated()))

      const { info, schema } = declared
      const inputSchema = schema.properties.input.properties.queryParams
      const expected = declareDiscoveryExtension({ method: 'GET', input: info.input.queryParams, inputSchema } as never).bazaar!
      assert.deepEqual(validate(declared), { valid: true })
      assert.deepEqual(info.input, expected.info.input)
      assert.deepEqual(withoutMethods(schema.properties.input), withoutMethods(expected.schema.properties.input))
      assert.equal(info.input.queryParams?.minScore, 10)
      assert.ok(schema.properties.output.properties.example.required.includes('eligible'))
    })

    it('describes a sale with the answer of what is sold', async () => {
      const declared = bazaarIn(await challenge(`${platform.url}/api/x402/pay`, order(await platform.newPlayer())))

      const { bodyType, body } = declared.info.input
      assert.deepEqual(validate(declared), { valid: true })
      assert.deepEqual([bodyType, body?.endpoint], ['json', '/api/agents/:id/reputation?view=basic'])
      assert.ok(declared.schema.properties.output.properties.example.required.includes('fusedScore'))
    })

    it('is in the list of the facilitator, as its client reads it', async () => {
      const client = withBazaar(new HTTPFacilitatorClient({ url: `${platform.url}/facilitator` }))

      const { items, pagination } = await client.extensions.bazaar.listResources({ type: 'http' })

      assert.deepEqual([items.length, pagination.total], [4, 4])
      for (const item of items) {
        assert.deepEqual(validate(bazaarIn(item)), { valid: true }, item.description)
        assert.ok(item.resource.startsWith('http') && item.description, item.resource)
      }
    })
  })

  describe('the extension payment-identifier', () => {
    it('is declared as the package of the standard declares it', async () => {
      const { extensions } = await requiredOf(gated())

      assert.deepEqual(extensions?.['payment-identifier'], declarePaymentIdentifierExtension())
    })

    it('answers the same payment as before, and refuses another one under its name', async () => {
      const buyer = await platform.newPlayer({ usdc: 1 })
      const url = gated()
      const [first, second] = [await named(buyer, url, 'pay_0123456789abcdef'), await named(buyer, url, 'pay_0123456789abcdef')]
      const before = await platform.usdcOf(chain, payTo)
      const send = (payment: string, to = url) => fetch(to, { headers: { 'payment-signature': payment } })

      const answers = [await send(first), await send(first)]
      const [other, elsewhere] = [await send(second), await send(first, gated())]

      assert.deepEqual([answers[0]!.status, answers[1]!.status], [200, 200])
      assert.deepEqual(await answers[1]!.json(), await answers[0]!.json())
      assert.deepEqual([answers[0]!.headers.get('idempotency-replayed'), answers[1]!.headers.get('idempotency-replayed')], [null, 'true'])
      assert.equal(answers[1]!.headers.get('payment-response'), answers[0]!.headers.get('payment-response'))
      assert.deepEqual([other.status, ((await other.json()) as { code: string }).code], [409, 'IDEMPOTENCY_KEY_REUSED'])
      assert.deepEqual([elsewhere.status, ((await elsewhere.json()) as { code: string }).code], [409, 'REPLAY_DETECTED'])
      assert.equal((await platform.usdcOf(chain, payTo)) - before, 1_000n)
    })

    it('is refused when it is malformed, before any money moves', async () => {
      const buyer = await platform.newPlayer({ usdc: 1 })
      const before = await platform.usdcOf(chain, buyer.wallet.address)
      const url = gated()
      const payment = await named(buyer, url, 'pay_0123456789abcdef', extensions => {
        extensions['payment-identifier'] = { info: { required: false, id: 'short' } }
      })

      const { status } = await fetch(url, { headers: { 'payment-signature': payment } })

      assert.deepEqual([status, (await platform.usdcOf(chain, buyer.wallet.address)) - before], [400, 0n])
    })

    /** A payment by the client of the standard under a name, as the value of its header. */
    async function named(buyer: Player, url: string, id: string, change: (extensions: Record<string, unknown>) => void = () => undefined) {
      const required = await requiredOf(url)
      appendPaymentIdentifierToExtensions(required.extensions!, id)
      change(required.extensions!)
      return encodePaymentSignatureHeader(await clientV2(platform, buyer, chain).createPaymentPayload(required))
    }
  })
})

/** The package lists every method that may bear a query; its server extension narrows that to the one of the route. */
function withoutMethods(input: object) {
  const { properties, ...rest } = input as { properties: Record<string, unknown>; required: unknown }
  const { method, ...others } = properties
  return { ...rest, properties: others }
}
