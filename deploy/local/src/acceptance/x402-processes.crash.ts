import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { treasuryApi } from '@carapace/api'
import { makePeers } from '@carapace/service'
import { type Answer, newWallet, type Player, until } from '@carapace/testing'
import { parseUnits } from 'ethers'
import { temporaryDataDir } from '../testing/child.ts'
import { type DistributedSystem, replicated, startDistributedSystem } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'
import { authorizedV2, transferProof } from '../testing/x402-clients.ts'
import { type CrashPoint, pointFileVariable } from '../testing/x402-crash-points.ts'

const chain = 'BASE_SEPOLIA'
/** Of a read, of a gig and of a name, in whole USDC. */
const [price, budget, namePrice] = [0.001, 0.5, 5]
const micro = (usd: number) => parseUnits(usd.toFixed(6), 6)
const fundPath = '/api/agent-payments/fund-escrow'
const namePath = '/api/domains/register'
const readRoute = '/api/reputation/check-eligibility'
/** Longer than a payment stays with a process that died. */
const leaseSeconds = 90
/** Longer than rows of a transaction stay locked whose process died. */
const lockedSeconds = 120
const { collectX402, closeX402 } = treasuryApi.internal

type Kind = 'a read by x402 v2' | 'a read by a transfer' | 'a budget by x402 v2' | 'a name by x402 v2'

/**
 * Each process dies now and then, so that none waits longer and longer for its next start. What dies within a transaction leaves its rows locked until
 * the database ends that, after a minute: payments that touch other rows follow such a point.
 */
const rounds: readonly (readonly [Kind, readonly CrashPoint[]])[] = [
  [
    'a read by x402 v2',
    [
      'before its answer',
      'before the claim',
      'after the claim',
      'after its answer',
      'after the order of its settlement was sent',
      'after it was settled',
      'after it was noted as served',
      'before its settlement is committed',
    ],
  ],
  [
    'a budget by x402 v2',
    [
      'before it is set aside',
      'after its lock is reserved',
      'after it is set aside',
      'before its lock is ordered',
      'after it is spent',
      'after its lock is ordered',
      'before its answer',
      'before it is locked',
      'after it is locked',
      'before it is spent',
    ],
  ],
  [
    'a read by a transfer',
    ['after its answer', 'after it was settled', 'before its answer', 'after it was noted as served', 'before its settlement is committed'],
  ],
  [
    'a name by x402 v2',
    [
      'before its name is reserved',
      'after its mint is ordered',
      'after its name is reserved',
      'before its mint is ordered',
      'after its name is registered',
      'before its name is registered',
    ],
  ],
  ['a budget by x402 v2', ['before its lock is reserved']],
]

interface Purchase {
  kind: Kind
  point: CrashPoint
  payer: Player
  /** Of what the intake is paid for: what it costs, and whether it is there. The payer has had twice that. */
  funded: { price: number; isThere(): Promise<boolean> } | undefined
  /** Sends it again. */
  send(): Promise<Answer>
  /** That the buyer got. */
  answers: number
}

describe('a payment by x402 of which one process of many is killed', function () {
  this.timeout(400_000)
  let running: DistributedSystem
  let folder: Awaited<ReturnType<typeof temporaryDataDir>>
  const payTo = newWallet()
  const purchases: Purchase[] = []

  before(async () => {
    folder = await temporaryDataDir()
    const { variables, replicas } = replicated(['treasury'])
    const preload = new URL('../testing/x402-crash-points.js', import.meta.url).href
    const NODE_OPTIONS = `${variables.NODE_OPTIONS} --import=${preload}`
    running = await startDistributedSystem({
      asBuilt: true,
      replicas,
      variables: { ...variables, NODE_OPTIONS, [pointFileVariable]: pointFile(), X402_PAY_TO_ADDRESS: payTo },
    })
  })
  after(async () => {
    await running?.end()
    await folder?.remove()
  })

  const pointFile = () => path.join(folder.path, 'point')
  const pids = () => running.platform.processes.map(({ pid }) => pid())
  const serve = () => Promise.all(running.platform.processes.map(({ ready }) => ready()))

  async function newRead(kind: Kind, point: CrashPoint): Promise<Purchase> {
    const { system } = running
    const payer = await system.newPlayer({ chain, usdc: 1 })
    const url = `${readRoute}?wallet=${newWallet()}`
    const challenge = await system.call('GET', url, { headers: payer.headers })
    const payment: Record<string, string> =
      kind === 'a read by a transfer'
        ? { 'x-payment': await transferProof(system, chain, challenge.body, payer, price) }
        : { 'payment-signature': await authorizedV2(challenge.headers, payer) }
    return sentBy({ kind, point, payer, funded: undefined }, () => system.call('GET', url, { headers: { ...payer.headers, ...payment } }))
  }

  async function newBudget(kind: Kind, point: CrashPoint): Promise<Purchase> {
    const { system } = running
    const payer = await newPayer(budget)
    const draft = { title: 'Audit', description: 'Read it.', budget, chain }
    const { id: gigId } = await system.post('/api/gigs', draft, payer.headers)
    const body = { gigId, agentId: payer.id }
    const payment = await authorizedV2((await system.call('POST', fundPath, { body })).headers, payer)
    const headers = { ...payer.headers, 'payment-signature': payment }
    const isThere = async () => (await system.get(`/api/escrow/${gigId}`)).status === 'locked'
    return sentBy({ kind, point, payer, funded: { price: budget, isThere } }, () => system.call('POST', fundPath, { body, headers }))
  }

  async function newName(kind: Kind, point: CrashPoint): Promise<Purchase> {
    const { system } = running
    const payer = await newPayer(namePrice)
    const body = { name: `n-${payer.handle.slice(-10)}`, tld: '.agent', pricePaid: namePrice }
    const payment = await authorizedV2((await system.call('POST', namePath, { body, headers: payer.headers })).headers, payer)
    const headers = { ...payer.headers, 'payment-signature': payment }
    const isThere = async () => (await system.get(`/api/domains/${body.name}${body.tld}`)).owner === payer.wallet.address
    return sentBy({ kind, point, payer, funded: { price: namePrice, isThere } }, () => system.call('POST', namePath, { body, headers }))
  }

  async function newPayer(dueUsdc: number): Promise<Player> {
    const payer = await running.system.newPlayer({ chain })
    await running.system.faucet(payer.wallet.address, 2 * dueUsdc, chain)
    return payer
  }
  const isNoted = async ({ payer }: Purchase) => {
    const { payments }: { payments: { state: string }[] } = await running.system.get(`/api/x402/payments/${payer.id}`)
    return payments.every(({ state }) => state === 'served')
  }
  const purchaseOf: Record<Kind, typeof newRead> = {
    'a read by x402 v2': newRead,
    'a read by a transfer': newRead,
    'a budget by x402 v2': newBudget,
    'a name by x402 v2': newName,
  }

  function sentBy(what: Omit<Purchase, 'send' | 'answers'>, call: () => Promise<Answer>): Purchase {
    const noAnswer: Answer = { status: 0, body: {}, headers: new Headers() }
    const purchase: Purchase = {
      ...what,
      answers: 0,
      send: async () => {
        const answer = await call().catch(() => noAnswer)
        if (answer.status === 200 || answer.status === 201) purchase.answers++
        return answer
      },
    }
    return purchase
  }

  /** A treasury of its own address, as the gateway calls it with a read that is paid for. */
  function treasuryAt(url: string, buyer: Player, payment: string) {
    const peers = makePeers(() => url, running.platform.config.INTERNAL_KEY!)
    const order = { route: `GET ${readRoute}`, price: String(micro(price)), payTo, agentId: buyer.id, buyer: buyer.id }
    const sent = { scheme: 'v2' as const, payload: JSON.parse(Buffer.from(payment, 'base64').toString()) }
    return {
      collect: () => peers.call('treasury', collectX402, { body: { ...order, sent }, timeoutMs: 13_000 }),
      close: (id: string) => peers.call('treasury', closeX402, { params: { id }, body: { served: true } }),
    }
  }
  let takeover: { other: ReturnType<typeof treasuryAt>; dead: ReturnType<typeof treasuryAt>; claimedAt: number }

  it('is refused as a replay by a second treasury while the first, which died with its claim, could still have it', async () => {
    const { system, platform } = running
    const buyer = await system.newPlayer({ chain, usdc: 1 })
    const payment = await authorizedV2((await system.call('GET', `${readRoute}?wallet=${newWallet()}`)).headers, buyer)
    const [dead, other] = platform.processes.filter(({ name }) => name === 'treasury').map(({ url }) => treasuryAt(url, buyer, payment))
    takeover = { dead: dead!, other: other!, claimedAt: Date.now() }
    await writeFile(pointFile(), 'after the claim')

    await assert.rejects(dead!.collect())
    assert.equal(existsSync(pointFile()), false)
    await assert.rejects(other!.collect(), { code: 'REPLAY_DETECTED' })
    await serve()
  })

  for (const [kind, points] of rounds)
    for (const point of points)
      it(`comes as ${kind} to what is killed ${point}`, async () => {
        const purchase = await purchaseOf[kind](kind, point)
        purchases.push(purchase)
        const before = pids()
        await writeFile(pointFile(), point)

        const isKilled = async () => {
          if (purchase.answers === 0) await purchase.send()
          return !existsSync(pointFile())
        }
        await until('a process comes to that point', isKilled, lockedSeconds)

        await until('another one is started', () => pids().some((pid, at) => pid !== before[at]))
        await serve()
        // what was not claimed is valid for five minutes only
        await purchase.send()
        // an answer is noted after it was sent: the next process to be killed is to have the next payment
        const isToBeNoted = purchase.answers > 0 && !purchase.funded && point !== 'after its answer'
        if (isToBeNoted) await until('its answer is noted', () => isNoted(purchase))
      })

  it('is served by the second treasury once that time is over, and by the first no more', async () => {
    const { other, dead, claimedAt } = takeover
    const { id, amount } = await until('the claim is acquired', () => other.collect().catch(() => undefined), leaseSeconds)

    assert.deepEqual([amount, Date.now() - claimedAt > 45_000], [String(micro(price)), true])
    await assert.rejects(dead.collect(), { code: 'REPLAY_DETECTED' })
    await other.close(id)
    await assert.rejects(dead.collect(), { code: 'REPLAY_DETECTED' })
  })

  it('is served once in the end, or has its answer again where none of it was noted', async () => {
    const wanted = ({ point }: Purchase) => (point === 'after its answer' ? 2 : 1)
    for (const purchase of purchases) {
      const isOver = async () => (await purchase.send()).status === 409 && purchase.answers >= wanted(purchase)
      await until(`${purchase.kind} is used up, of which what was killed ${purchase.point}`, isOver, leaseSeconds)
    }
    assert.deepEqual(
      purchases.map(({ kind, point, answers }) => [kind, point, answers]),
      purchases.map(purchase => [purchase.kind, purchase.point, wanted(purchase)]),
    )
  })

  it('has moved its price once: to the income, into the escrow of its gig, or for its name', async () => {
    const { system } = running
    const [reads, others] = [purchases.filter(({ funded }) => !funded), purchases.filter(({ funded }) => funded)]
    for (const { funded, payer, point } of others) {
      const paid = async (): Promise<{ state: string }[]> => (await system.get(`/api/x402/payments/${payer.id}`)).payments
      await until(`its payment is spent, ${point}`, async () => (await paid()).every(({ state }) => state === 'spent'))
      assert.deepEqual([(await paid()).length, await funded!.isThere()], [1, true], point)
      assert.equal(await system.usdcOf(chain, payer.wallet.address), micro(funded!.price), point)
    }
    // and the one of the two treasuries
    assert.equal(await system.usdcOf(chain, payTo), BigInt(reads.length + 1) * micro(price))
    await until('the doctor finds nothing', async () => (await faultsOf(running)).length === 0, 60)
  })
})
