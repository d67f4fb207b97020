import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { treasuryApi } from '@carapace/api'
import { newWallet, until } from '@carapace/testing'
import { call, fundedAgent, peers } from './testing/agents.ts'
import { type Harness, startHarness } from './testing/harness.ts'
import { contracts, publishTransfer, usdc } from './testing/token.ts'

describe('wallet provider and x402 reads', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())
  const get = (path: string, headers: Record<string, string> = {}) => harness.platform.call('GET', path, { headers })

  it('says which provider and networks there are', async () => {
    const { body } = await get('/api/circle/config')

    assert.deepEqual([body.configured, body.provider, body.defaultChain], [true, 'local', 'BASE_SEPOLIA'])
    assert.deepEqual(
      body.supportedChains.map(({ id, chainId }: Record<string, unknown>) => [id, chainId]),
      [
        ['BASE_SEPOLIA', 84532],
        ['SKALE_TESTNET', 324705682],
      ],
    )
  })

  it('names the owner of a wallet to an admin only', async () => {
    const agent = await fundedAgent(harness, 0n)
    const mine = (body: { wallets: { address: string; agentId?: string }[] }) => body.wallets.find(({ address }) => address === agent.address)

    assert.equal(mine((await get('/api/circle/wallets')).body)?.agentId, undefined)
    assert.equal(mine((await get('/api/circle/wallets', agent.headers)).body)?.agentId, undefined)
    assert.equal(mine((await get('/api/circle/wallets', { 'x-admin-wallet': newWallet() })).body)?.agentId, agent.id)
  })

  it('answers what the escrow of a gig holds', async () => {
    const [locked, released, unfunded] = [randomUUID(), randomUUID(), randomUUID()]
    harness.escrows.set(locked, { status: 'locked', amount: '12500000', chain: 'SKALE_TESTNET' })
    harness.escrows.set(released, { status: 'released', amount: '12500000', chain: 'BASE_SEPOLIA' })
    harness.gigs.add(unfunded)
    const amountOf = async (gigId: string) => (await get(`/api/circle/escrow/${gigId}/balance`)).body.balances[0].amount

    assert.deepEqual([await amountOf(locked), await amountOf(released), await amountOf(unfunded)], ['12.5', '0', '0'])
    const { body } = await get(`/api/circle/escrow/${locked}/balance`)
    assert.deepEqual([body.chain, body.address, body.balances[0].token], ['SKALE_TESTNET', contracts.escrow, { symbol: 'USDC', decimals: 6 }])
    assert.equal((await get(`/api/circle/escrow/${randomUUID()}/balance`)).status, 404)
  })

  it('knows no transaction of an unknown id', async () => {
    assert.equal((await get(`/api/circle/transaction/${randomUUID()}`)).status, 404)
    assert.equal((await get('/api/circle/transaction/%20')).status, 400)
  })

  it('pages the history', async () => {
    const agent = await fundedAgent(harness, 0n)
    for (const amount of [1n, 2n, 3n]) await publishTransfer(harness, { to: agent.address, amount })
    const page = (n: number) => call(harness, agent, 'GET', `history?page=${n}&limit=2`).then(({ body }) => body)
    await until('all came', async () => (await page(1)).total === 3)

    const [first, second, third] = [await page(1), await page(2), await page(3)]

    assert.deepEqual([first.transactions.length, second.transactions.length, third.transactions.length], [2, 1, 0])
    assert.deepEqual([first.hasMore, second.hasMore, third.hasMore], [true, false, false])
    assert.equal(new Set([...first.transactions, ...second.transactions].map(({ id }: { id: string }) => id)).size, 3)
  })

  it('announces its wallets again', async () => {
    await fundedAgent(harness, 0n)
    const { announceWallets, getWalletRow } = treasuryApi.internal

    const first = await peers(harness).call('treasury', announceWallets, { body: { kind: 'wallet', limit: 1 } })
    const rest = await peers(harness).call('treasury', announceWallets, { body: { kind: 'wallet', after: first.last! } })

    assert.equal(first.announced, 1)
    assert.equal(first.announced + rest.announced, (await get('/api/circle/wallets')).body.total)
    await assert.rejects(peers(harness).call('treasury', getWalletRow, { params: { agentId: randomUUID() } }), { code: 'NOT_FOUND' })
  })

  it('has no x402 payments and settles none', async () => {
    const call402 = { x402Version: 2, paymentPayload: {}, paymentRequirements: {} }
    const post = (what: string) => harness.platform.call('POST', `/facilitator/${what}`, { body: call402 })

    assert.deepEqual((await get('/api/x402/stats')).body, { totalPayments: 0, totalAmount: 0, uniquePayers: 0, byRoute: [] })
    assert.equal((await get(`/api/x402/payments/${randomUUID()}`)).body.total, 0)
    assert.deepEqual((await get('/facilitator/supported')).body.kinds, [])
    assert.equal((await get('/facilitator/discovery/resources')).body.pagination.total, 0)
    for (const what of ['verify', 'settle'])
      assert.deepEqual([(await post(what)).status, (await post(what)).body.code], [503, 'PROVIDER_NOT_CONFIGURED'])
  })

  it('sums up x402 payments that were settled', async () => {
    const own = await startHarness({ env: { X402_PAY_TO_ADDRESS: newWallet() } })
    try {
      const agentId = randomUUID()
      const row = { agentId, payer: newWallet(), chain: 'BASE_SEPOLIA', txHash: '0x1', scheme: 'spec', state: 'settled', settledAt: new Date() }
      const rows = own.platform.service('treasury').platform.db.connection.collection<{ _id: string }>('x402_payments')
      for (const [n, [route, amount]] of [
        ['a', usdc(0.001)],
        ['a', usdc(0.002)],
        ['b', usdc(0.001)],
      ].entries())
        await rows.insertOne({ ...row, _id: String(n), route, amount, createdAt: new Date(n), version: 1 } as never)

      const stats = (await own.platform.call('GET', '/api/x402/stats')).body
      const listed = (await own.platform.call('GET', `/api/x402/payments/${agentId}`)).body

      assert.deepEqual([stats.totalPayments, stats.totalAmount, stats.uniquePayers], [3, 0.004, 1])
      assert.deepEqual(stats.byRoute, [
        { route: 'a', count: 2, amount: 0.003 },
        { route: 'b', count: 1, amount: 0.001 },
      ])
      assert.deepEqual([listed.total, listed.payments[0].amount], [3, 0.001])
      const body = { x402Version: 1, paymentPayload: {}, paymentRequirements: { network: 'base-sepolia' } }
      assert.equal((await own.platform.call('POST', '/facilitator/verify', { body })).body.invalidReason, 'invalid_payment_requirements')
    } finally {
      await own.close()
    }
  })
})
