import assert from 'node:assert/strict'
import type { PaymentChallenge } from '@carapace/api'
import { type Answer, httpCall, newWallet, type Player, until } from '@carapace/testing'
import { distributedAroundTests } from '../testing/around-tests.ts'
import { type DistributedSystem, replicated } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'
import { gatewaysOf } from '../testing/replicas.ts'
import { authorizedV1, authorizedV2, transferProof } from '../testing/x402-clients.ts'

const chain = 'BASE_SEPOLIA'
const payTo = newWallet()
/** µ */
const price = 1_000n
const callsEach = 100

/** How a payment is sent in each dialect. */
const dialects = {
  'x402 v2': async (_, challenge, buyer) => ({ 'payment-signature': await authorizedV2(challenge.headers, buyer) }),
  'x402 v1': async (_, { body }, buyer) => ({ 'x-payment': await authorizedV1(body, buyer) }),
  'a transfer': async ({ system }, { body }, buyer) => ({ 'x-payment': await transferProof(system, chain, body, buyer, Number(price) / 1e6) }),
} satisfies Record<
  string,
  (running: DistributedSystem, challenge: Answer & { body: PaymentChallenge }, buyer: Player) => Promise<Record<string, string>>
>

describe('one payment that two gateways send to two treasuries, all in processes of their own', function () {
  this.timeout(300_000)
  const { variables, replicas } = replicated(['gateway', 'treasury'])
  const running = distributedAroundTests({ replicas, variables: { ...variables, X402_PAY_TO_ADDRESS: payTo } })
  let gateways: string[]
  before(() => {
    gateways = gatewaysOf(running)
  })

  for (const [dialect, paymentFor] of Object.entries(dialects))
    it(`serves once as ${dialect}, of ${2 * callsEach} calls in parallel, and every other one is a replay`, async () => {
      const { system } = running
      const buyer = await system.newPlayer({ chain, usdc: 1 })
      const path = `/api/reputation/check-eligibility?wallet=${newWallet()}`
      const challenge = await system.call('GET', path, { headers: buyer.headers })
      const headers = { ...buyer.headers, ...(await paymentFor(running, challenge, buyer)) }

      const answers = await Promise.all(
        gateways.flatMap(url => Array.from({ length: callsEach }, () => finalAnswer(() => httpCall(url, 'GET', path, { headers })))),
      )

      assert.equal(gateways.length, 2)
      assert.deepEqual(counted(answers), { '200': 1, '409 REPLAY_DETECTED': 2 * callsEach - 1 })
      const paymentsNow = async (): Promise<{ state: string; amount: number }[]> => (await system.get(`/api/x402/payments/${buyer.id}`)).payments
      await until('its payment is noted as served', async () => (await paymentsNow()).every(({ state }) => state === 'served'))
      assert.deepEqual(
        (await paymentsNow()).map(({ amount }) => amount),
        [Number(price) / 1e6],
      )
    })

  it('moves the price of each payment once, and leaves nothing to find', async () => {
    const { system } = running

    assert.equal(await system.usdcOf(chain, payTo), price * BigInt(Object.keys(dialects).length))
    await until('the doctor finds nothing', async () => (await faultsOf(running)).length === 0, 60)
  })
})

/** The answer that a client gets which repeats what is not decided yet, as the documents say. */
const finalAnswer = (send: () => Promise<Answer>): Promise<Answer> =>
  until('the answer is final', async () => {
    const answer = await send()
    const isOpen = answer.status >= 500 || answer.body?.retryable === true || answer.body?.error === 'settlement_pending'
    return !isOpen && answer
  })

function counted(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const outcome = `${status} ${body.code ?? ''}`.trim()
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}
