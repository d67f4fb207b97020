import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { laneAddress } from '../testing/keys.ts'
import { dropFrom, type KitLane, startKit } from '../testing/kit.ts'
import { kitPerTest } from '../testing/kit-per-test.ts'
import { allOver, assertExactlyOnce, countableKinds, effectOf, fundTokens, makeWork, sendForeign, type Work } from '../testing/workload.ts'

describe('a lane on a chain that changes under it', () => {
  const kit = kitPerTest()
  const lead = (options: KitLane = {}) => kit.start({ commandOf: countableKinds, ...options })
  const send = (work: readonly Work[]) => kit.send(...work.map(one => one.draft))
  const allFinal = (work: readonly Work[]) =>
    until(
      'all final',
      async () => (await kit.db.ops.countDocuments({ _id: { $in: work.map(one => one.draft.subject) }, state: 'FINAL' })) === work.length,
    )
  const confirmed = (work: readonly Work[]) => until('confirmed', () => work.every(one => kit.of(one.draft.subject, 'confirmed').length > 0))

  beforeEach(() => fundTokens(kit.rpc, kit.devnet.addresses))

  for (const depth of [1, 3, 6]) {
    it(`sends the same bytes again after a reorganisation of depth ${depth}`, async () => {
      const work = makeWork(8)
      await lead({ finality: 100 })
      for (const one of work) {
        await send([one])
        await confirmed([one])
      }
      const hashes = new Set((await kit.db.txs.find({}).toArray()).flatMap(tx => tx.attempts.map(attempt => attempt.hash)))

      await kit.rpc.call('anvil_reorg', [depth, []])

      await until('published as reorganised', () => work.some(one => kit.of(one.draft.subject, 'reorged').length > 0))
      await until('all back', async () => {
        const effects = await Promise.all(work.map(one => effectOf(kit.rpc, kit.devnet.addresses, one)))
        return effects.every(effect => effect === 1n)
      })
      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
      const after = (await kit.db.txs.find({}).toArray()).flatMap(tx => tx.attempts.map(attempt => attempt.hash))
      assert.deepEqual(new Set(after), hashes)
    })
  }

  it('carries an operation again whose nonce another transaction used', async () => {
    const work = makeWork(6)
    await lead()
    const nonce = Number(await kit.rpc.call('eth_getTransactionCount', [laneAddress, 'latest']))
    await sendForeign(kit.rpc, { to: laneAddress, nonce, gasPrice: 10n ** 12n })
    await send(work)

    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
    assert.equal(await kit.db.txs.countDocuments({ state: 'REPLACED' }), 1)
  })

  it('fills the slot again that another transaction had, when that one was dropped with its block', async () => {
    const work = makeWork(4, 'BASE_SEPOLIA', ['native'])
    await lead({ finality: 100 })
    const before = Number(await kit.rpc.call('eth_blockNumber', []))
    const nonce = Number(await kit.rpc.call('eth_getTransactionCount', [laneAddress, 'latest']))
    await sendForeign(kit.rpc, { to: laneAddress, nonce, gasPrice: 10n ** 12n })
    await send(work)
    await confirmed(work)
    await until('displaced', async () => (await kit.db.txs.countDocuments({ state: 'REPLACED' })) === 1)
    const head = Number(await kit.rpc.call('eth_blockNumber', []))

    await kit.rpc.call('anvil_reorg', [head - before, []])

    await until('published as reorganised', () => work.some(one => kit.of(one.draft.subject, 'reorged').length > 0))
    await until('all back', async () =>
      (await Promise.all(work.map(one => effectOf(kit.rpc, kit.devnet.addresses, one)))).every(effect => effect === 1n),
    )
    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
  })

  it('fills the slot again that the pool dropped', async () => {
    const work = makeWork(10, 'BASE_SEPOLIA', ['native'])
    const slow = await lead()
    await send(work.slice(0, 1))
    const [tx] = await until('sent', async () => {
      const found = await kit.db.txs.find({ 'ops.opKey': work[0]!.draft.subject }).toArray()
      return found.length > 0 && found
    })
    await kit.rpc.call('anvil_dropTransaction', [tx!.attempts[0]!.hash]).catch(() => undefined)
    await send(work.slice(1))

    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
    await slow.close()
  })

  it('prices up what the base fee has outgrown', async () => {
    const work = makeWork(4)
    await lead()
    await kit.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x2540be400'])
    await send(work)

    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
  })

  for (const [title, balance] of [
    ['continues when a base fee above its cap has fallen again', '0x3635c9adc5dea00000'],
    ['continues after a spike during which it could not afford what it had priced up', '0x1c6bf52634000'],
  ] as const)
    it(title, async () => {
      const work = makeWork(3, 'BASE_SEPOLIA', ['native'])
      const lane = await lead({ batchSize: 1 })
      await kit.rpc.call('anvil_setBalance', [laneAddress, balance])
      const baseFee = async () => BigInt(((await kit.rpc.call('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string }).baseFeePerGas)
      // What is signed before the spike waits in the pool, what is priced up in it is above the cap or the balance.
      await kit.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
      await kit.send(...work.map(one => one.draft))
      await until('it has priced up', async () => (await kit.db.txs.countDocuments({ 'attempts.1': { $exists: true } })) > 0)
      await until('the spike', async () => (await baseFee()) > 50n * 10n ** 9n)

      await kit.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])

      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
      assert.equal(lane.current()?.paused, undefined)
    })

  it('waits while it has no funds, and continues when it has', async () => {
    const work = makeWork(4)
    const lane = await lead()
    await kit.rpc.call('anvil_setBalance', [laneAddress, '0x0'])
    await send(work)
    await until('paused', () => lane.current()?.paused)

    await kit.rpc.call('anvil_setBalance', [laneAddress, '0x3635c9adc5dea00000'])

    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
  })

  it('publishes contract events when they are seen and again when they are final, and withdraws what a reorganisation removed', async () => {
    await lead({ finality: 6 })
    const { address } = await kit.custody().then(custody => custody.walletOf('treasury'))
    const [transfer] = makeWork(1, 'BASE_SEPOLIA', ['token'])
    const draft = { ...transfer!.draft, data: { ...transfer!.draft.data, args: { ...(transfer!.draft.data.args as object), to: address } } }
    await kit.send(draft)
    const transfers = (final: boolean) =>
      kit.events.filter(event => event.type === 'chain.event.USDC.Transfer.v1' && event.data.final === final && transferTo(event) === address)
    const seen = await until('seen', () => transfers(false)[0])

    await dropFrom(kit.rpc, Number(seen.data.blockNumber))

    await until('withdrawn', () => kit.events.some(event => event.type === 'chain.event.removed.v1'))
    await until('final', () => transfers(true).length > 0)
    const finals = new Set(transfers(true).map(event => event.id))
    assert.equal(finals.size, 1)
    assert.equal(seen.data.logPosition, 0)
    assert.equal(transfers(true)[0]!.data.logPosition, 0)
  })

  it('fills a gap in its nonces that no other transaction will fill', async () => {
    const work = makeWork(4, 'BASE_SEPOLIA', ['native'])
    await sendForeign(kit.rpc, { to: laneAddress })
    const head = Number(await kit.rpc.call('eth_blockNumber', []))
    await lead({ finality: 50 })
    await send(work)
    await confirmed(work)

    await dropFrom(kit.rpc, head)

    await until('all back', async () =>
      (await Promise.all(work.map(one => effectOf(kit.rpc, kit.devnet.addresses, one)))).every(effect => effect === 1n),
    )
    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
  })

  it('needs no money on a network without gas price', async () => {
    const gasless = await startKit({ chain: 'SKALE_TESTNET' })
    try {
      await fundTokens(gasless.rpc, gasless.devnet.addresses, 324705682)
      const work = makeWork(10, 'SKALE_TESTNET', ['token'])
      await gasless.start({ commandOf: countableKinds })
      await gasless.send(...work.map(one => one.draft))
      await allOver(gasless, work)
      await assertExactlyOnce(gasless, work)
      assert.equal(BigInt(String(await gasless.rpc.call('eth_getBalance', [laneAddress, 'latest']))), 0n)
    } finally {
      await gasless.close()
    }
  })

  it('tries again what blocks were too small for, and fails it after the last try', async () => {
    const tries = 5
    await lead({ timings: { retryDelaysMs: [100, 200, 400, 800, 1_600] } })
    const [first, second] = [makeWork(1, 'BASE_SEPOLIA', ['token']), makeWork(1, 'BASE_SEPOLIA', ['token'])]
    const attemptsOf = async ([one]: readonly Work[]) => Number((await kit.db.ops.findOne({ _id: one!.draft.subject }))?.attempts)
    const limit = (gas: number) => kit.rpc.call('evm_setBlockGasLimit', [`0x${gas.toString(16)}`])
    await limit(30_000)
    await send(first)
    await until('it was tried', async () => (await attemptsOf(first)) > 1)

    await limit(60_000_000)

    await confirmed(first)
    await limit(30_000)
    await send(second)
    const failure = await until('failed', () => kit.of(second[0]!.draft.subject, 'failed')[0])
    assert.deepEqual([failure.data.code, failure.data.attempts], ['REJECTED_BY_NODE', tries])
    assert.equal(kit.of(first[0]!.draft.subject, 'failed').length, 0)
  })

  it('judges failures on a real network only when their block is final', async () => {
    const work = makeWork(4)
    await lead({ real: true, finality: 3 })
    await send(work)
    await allFinal(work)
    await assertExactlyOnce(kit, work)
  })
})

const transferTo = (event: { data: Record<string, unknown> }) => (event.data.args as { to: string }).to
