import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { PaymentChallenge } from '@carapace/api'
import { newWallet, type Player, until } from '@carapace/testing'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import { temporaryDataDir } from '../testing/child.ts'
import { clientV2, requiredOf } from '../testing/x402-clients.ts'
import { crashPoints, pointFileVariable } from '../testing/x402-crash-points.ts'
import { startEmbeddedSystem } from '../torture/embedded.ts'

const chain = 'BASE_SEPOLIA'
const price = 1_000n
/** Longer than a payment stays with a request that died. */
const leaseSeconds = 90
type CrashPoint = (typeof crashPoints)[number]
/** The buyer has its answer before these. */
const isAnswered = (point: CrashPoint) => crashPoints.indexOf(point) > crashPoints.indexOf('before its answer')
/** What is not noted as served is a credit: an answer that went out before that comes again. */
const answersOf = (point: CrashPoint) => (point === 'after its answer' ? 2 : 1)

interface Purchase {
  point: CrashPoint
  url: string
  payment: string
  /** That the buyer got. */
  answers: number
}

describe('a start that is killed while it is paid by x402', function () {
  this.timeout(300_000)
  let subject: Awaited<ReturnType<typeof startEmbeddedSystem>>
  let folder: Awaited<ReturnType<typeof temporaryDataDir>>
  let buyer: Player
  let payTo: string
  const purchases: Purchase[] = []

  before(async () => {
    folder = await temporaryDataDir()
    const preload = new URL('../testing/x402-crash-points.js', import.meta.url).href
    subject = await startEmbeddedSystem({ variables: { NODE_OPTIONS: `--import=${preload}`, [pointFileVariable]: pointFile() } })
    await subject.serves()
    buyer = await until('there is a buyer', () => subject.system.newPlayer({ chain, usdc: 1 }).catch(() => undefined), 60)
    payTo = ((await subject.system.call('GET', gated())).body as PaymentChallenge).payTo
  })
  after(async () => {
    await subject?.end()
    await folder?.remove()
  })

  const pointFile = () => path.join(folder.path, 'point')
  const gated = () => `/api/reputation/check-eligibility?wallet=${newWallet()}`
  /** The status, and the code of a refusal; no status when the connection broke. */
  const send = async (purchase: Purchase) => {
    const answer = await fetch(purchase.url, { headers: { 'payment-signature': purchase.payment, 'x-agent-id': buyer.id } }).catch(() => undefined)
    const body = (await answer?.json().catch(() => ({}))) as { code?: string } | undefined
    if (answer?.status === 200) purchase.answers++
    return [answer?.status, body?.code]
  }

  for (const point of crashPoints)
    it(`dies ${point}, and the buyer ${isAnswered(point) ? 'has its answer' : 'has none'}`, async () => {
      const url = subject.system.url + gated()
      const required = await requiredOf(url)
      const payload = await clientV2(subject.system, buyer, chain).createPaymentPayload(required)
      const purchase = { point, url, payment: encodePaymentSignatureHeader(payload), answers: 0 }
      purchases.push(purchase)
      const before = subject.pid()
      await writeFile(pointFile(), point)

      // a start that has just begun may refuse before the payment comes to that point
      const isOut = async () => {
        const [status] = await send(purchase)
        return status === undefined || status === 200 ? { status } : undefined
      }
      const { status } = await until('the payment comes to that point', isOut, 60)

      assert.equal(status, isAnswered(point) ? 200 : undefined)
      await until('another process is started', async () => subject.pid() !== before, 30)
      await subject.serves()
      await send(purchase)
    })

  it('serves each payment that was not served, once', async () => {
    for (const purchase of purchases) {
      const isOver = async () => {
        const answer = await send(purchase)
        return purchase.answers >= answersOf(purchase.point) && answer[0] === 409
      }
      await until(`the payment of a start that died ${purchase.point} is used up`, isOver, leaseSeconds)
      assert.deepEqual(await send(purchase), [409, 'REPLAY_DETECTED'])
    }
    assert.deepEqual(
      purchases.map(({ point, answers }) => [point, answers]),
      crashPoints.map(point => [point, answersOf(point)]),
    )
  })

  it('has moved the price of each once, and its books say so', async () => {
    const { totalPayments, totalAmount } = await subject.system.get('/api/x402/stats')

    assert.deepEqual([totalPayments, Math.round(totalAmount * 1e6)], [crashPoints.length, crashPoints.length * Number(price)])
    assert.equal(await subject.system.usdcOf(chain, payTo), BigInt(crashPoints.length) * price)
    await until('the doctor finds nothing', async () => (await subject.wrong()).length === 0, 60)
  })
})
