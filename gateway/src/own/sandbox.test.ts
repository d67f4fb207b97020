import assert from 'node:assert/strict'
import { apis, type ChainCommand, clockAdvanced, type Draft } from '@carapace/api'
import { commandConfirmed, commandFailed, httpCall, newWallet, published, receiveCommands, until } from '@carapace/testing'
import { startGateway } from '../start.ts'
import { devnets } from '../testing/devnets.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('the sandbox', () => {
  let harness: Harness
  let orders: ChainCommand[]
  let settle: (command: ChainCommand) => Draft | undefined
  const moves: number[] = []
  before(async () => {
    orders = []
    settle = commandConfirmed
    harness = await startHarness()
    // a stand-in for the relayer, and for a service that receives the clock's events
    await receiveCommands(harness.bus, async command => {
      orders.push(command)
      const outcome = settle(command)
      if (outcome) await publish(harness, outcome)
    })
    await harness.bus.subscribe({ name: 'test', exchange: 'events', bindings: [clockAdvanced.type] }, async event => {
      moves.push(clockAdvanced.read(event.data).offsetMs)
    })
  })
  after(() => harness.close())

  it('lists networks, contracts and what it offers', async () => {
    const { body } = await harness.call('GET', '/api/networks')

    assert.deepEqual(
      body.networks.map(({ chain }: { chain: string }) => chain),
      ['BASE_SEPOLIA', 'SKALE_TESTNET'],
    )
    assert.deepEqual(body.networks[0].contracts, devnets[0]!.contracts)
    assert.deepEqual(body.sandbox, { faucet: true, clock: true })
    assert.equal(apis.gateway.endpoints.listNetworks.response!.safeParse(body).success, true)
  })

  it('gives test USDC and gas, and answers when both are there', async () => {
    const to = newWallet().toLowerCase()
    const { status, body } = await harness.call('POST', '/api/sandbox/faucet', { body: { walletAddress: to, amount: 1.25 } })

    assert.equal(status, 200, JSON.stringify(body))
    assert.match(body.txHash, /^0x/)
    assert.match(body.gasTxHash, /^0x/)
    assert.equal(body.balance, 1.25)
    const ours = orders.filter(({ args }) => String(args.to).toLowerCase() === to)
    assert.deepEqual(ours.map(({ kind }) => kind).sort(), ['faucet.gas', 'faucet.mint'])
    assert.equal(ours.find(({ kind }) => kind === 'faucet.mint')?.args.amount, '1250000')
  })

  it('gives no gas where none is needed', async () => {
    const { body } = await harness.call('POST', '/api/sandbox/faucet', { body: { walletAddress: newWallet(), chain: 'SKALE_TESTNET' } })

    assert.equal(body.gasTxHash, null)
  })

  it('gives once for one idempotency key', async () => {
    const to = newWallet().toLowerCase()
    const request = () => harness.call('POST', '/api/sandbox/faucet', { headers: { 'idempotency-key': to }, body: { walletAddress: to } })
    const [first, second] = [await request(), await request()]

    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    assert.equal(orders.filter(({ args, kind }) => String(args.to).toLowerCase() === to && kind === 'faucet.mint').length, 1)
  })

  it('answers 202 where the money is there and its balance cannot be read', async () => {
    harness.upstream.chainsDown = true
    const { status, body } = await harness.call('POST', '/api/sandbox/faucet', { body: { walletAddress: newWallet() } })
    harness.upstream.chainsDown = false

    assert.deepEqual([status, body.code, body.balance], [202, undefined, 0])
    assert.match(body.txHash, /^0x/)
  })

  it('says when the network refuses', async () => {
    settle = commandFailed
    const { status, body } = await harness.call('POST', '/api/sandbox/faucet', { body: { walletAddress: newWallet() } })
    settle = commandConfirmed

    assert.deepEqual([status, body.code], [503, 'CHAIN_UNAVAILABLE'])
  })

  it('refuses wallets and amounts that are none', async () => {
    for (const body of [
      {},
      { walletAddress: '0x1' },
      { walletAddress: newWallet(), amount: 10_001 },
      { walletAddress: newWallet(), amount: 0 },
      { walletAddress: newWallet(), chain: 'ETH' },
    ]) {
      const answer = await harness.call('POST', '/api/sandbox/faucet', { body })
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_ERROR'], JSON.stringify(body))
    }
  })

  it('moves the clock forward and notifies every service, also for moves at the same time', async () => {
    const clock = async (advanceSeconds: number) =>
      Date.parse((await harness.call('POST', '/api/sandbox/clock', { body: { advanceSeconds } })).body.now)
    const before = await clock(0)
    await Promise.all([clock(100), clock(200), clock(300)])
    const after = await clock(0)

    assert.ok(after - before >= 600_000 && after - before < 660_000, String(after - before))
    await until('the services were notified', () => Math.max(...moves) === 600_000)
    assert.equal((await harness.call('POST', '/api/sandbox/clock', { body: { advanceSeconds: -1 } })).status, 400)
  })

  it('answers once the services have run what became due, and after 10 s with those still at work', async function () {
    this.timeout(60_000)
    let requests = 0
    let done = () => {}
    const running = new Promise<void>(resolve => {
      done = resolve
    })
    harness.upstream.moveClock = () => (++requests === 1 ? running : Promise.resolve())
    const answer = await harness.call('POST', '/api/sandbox/clock', { body: { advanceSeconds: 60 } })
    const finishing = harness.call('POST', '/api/sandbox/clock', { body: { advanceSeconds: 0 } })
    done()
    const finished = await finishing

    assert.deepEqual([answer.status, answer.body.pending.length], [202, 1])
    assert.equal(apis.gateway.endpoints.advanceClock.response!.safeParse(answer.body).success, true)
    assert.deepEqual([finished.status, finished.body.pending], [200, undefined])
    assert.ok(Date.parse(finished.body.now) >= Date.parse(answer.body.now))
  })

  it('preserves the clock over a restart', async () => {
    await harness.call('POST', '/api/sandbox/clock', { body: { advanceSeconds: 86_400 } })
    const again = await startGateway(harness.options)
    try {
      const { body } = await httpCall(again.url, 'POST', '/api/sandbox/clock', { body: { advanceSeconds: 0 } })
      assert.ok(Date.parse(body.now) - Date.now() > 86_000_000)
    } finally {
      await again.close()
    }
  })

  it('is not there when it is off', async () => {
    const off = await startHarness({ SANDBOX: 'no' })
    try {
      for (const path of ['faucet', 'clock']) {
        const { status, body } = await off.call('POST', `/api/sandbox/${path}`, { body: {} })
        assert.deepEqual([status, body.code], [404, 'ROUTE_NOT_FOUND'])
      }
      assert.deepEqual((await off.call('GET', '/api/networks')).body.sandbox, { faucet: false, clock: false })
    } finally {
      await off.close()
    }
  })
})

const publish = (harness: Harness, draft: Draft): Promise<void> => harness.bus.publish([published(draft)])
