import assert from 'node:assert/strict'
import { contractInterface } from '@carapace/chain'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { withdrawnLogs } from '../inbound/final-logs.ts'
import type { KitLane } from '../testing/kit.ts'
import { faultyKitPerTest } from '../testing/kit-per-test.ts'
import { allOver, assertExactlyOnce, countableKinds, effectOf, fundTokens, makeWork, type Work } from '../testing/workload.ts'

const finality = 2

describe('what is final on a lane', function () {
  this.timeout(120_000)
  const { kit, door } = faultyKitPerTest(7)
  const lead = (options: KitLane = {}) => kit.start({ rpcUrl: door.url, commandOf: countableKinds, finality, ...options })
  const head = async () => Number(await kit.rpc.call('eth_blockNumber', []))
  const countOf = (work: readonly Work[], type: string) => work.filter(one => kit.of(one.draft.subject, type).length > 0).length
  const final = (work: readonly Work[]) => until('final', () => countOf(work, 'finalized') === work.length)
  const removals = () => kit.events.filter(event => event.type === 'chain.event.removed.v1')
  /** Depth that reaches the block of this work. */
  const depthOf = async (one: Work) => (await head()) - Number(kit.of(one.draft.subject, 'confirmed')[0]!.data.blockNumber) + 1

  beforeEach(async () => {
    await fundTokens(kit.rpc, kit.devnet.addresses)
  })

  /** A transfer from outside to a custodial wallet. @returns the events of its log, and its bytes */
  async function transfer() {
    const { address: to } = await (await kit.custody()).walletOf('treasury')
    const giver = Wallet.createRandom()
    const { USDC } = kit.devnet.addresses
    await kit.rpc.call('anvil_setBalance', [giver.address, '0xde0b6b3a7640000'])
    const [fund] = makeWork(1, 'BASE_SEPOLIA', ['token'])
    const { draft } = fund!
    const funded: Work = {
      ...fund!,
      to: giver.address,
      draft: { ...draft, data: { ...draft.data, args: { ...(draft.data.args as object), to: giver.address, amount: '2' } } },
    }
    await kit.send(funded.draft)
    await final([funded])
    const fees = { type: 2, chainId: 84532, gasLimit: 100_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
    const data = contractInterface('USDC').encodeFunctionData('transfer', [to, 1n])
    const signed = (nonce: number) => giver.signTransaction({ ...fees, nonce, to: USDC, data })
    const raw = await signed(0)
    await kit.rpc.call('eth_sendRawTransaction', [raw])
    const published = (isFinal: boolean) =>
      kit.events.filter(
        ({ type, data }) => type === 'chain.event.USDC.Transfer.v1' && (data.args as { to: string }).to === to && data.final === isFinal,
      )
    const seen = await until('final', () => published(true)[0])
    const again = async () => kit.rpc.call('eth_sendRawTransaction', [await signed(1)])
    return { raw, published, again, depth: (await head()) - Number(seen.data.blockNumber) + 1 }
  }

  for (const [where, real] of [
    ['a devnet', false],
    ['a real network', true],
  ] as const)
    it(`is sent again on ${where} after a reorganisation deeper than finality, has its effect once, and the lane goes on`, async () => {
      await lead({ real })
      const work = makeWork(6)
      for (const one of work) {
        await kit.send(one.draft)
        await final([one])
      }
      const depth = await depthOf(work[3]!)
      assert.ok(depth > finality)

      await kit.rpc.call('anvil_reorg', [depth, []])

      await until('published as reorganised', () => countOf(work, 'reorged') === 3)
      await until('all back', async () =>
        (await Promise.all(work.map(one => effectOf(kit.rpc, kit.devnet.addresses, one)))).every(effect => effect === 1n),
      )
      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
      for (const one of work.slice(3)) {
        const types = kit.of(one.draft.subject).map(({ type }) => type.split('.')[3])
        assert.ok(types.lastIndexOf('confirmed') > types.indexOf('reorged'), types.join())
      }
      const [later] = makeWork(1)
      await kit.send(later!.draft)
      await final([later!])
    })

  it('is withdrawn when its transaction is lost, after three polls and not after two', async () => {
    await lead({ timings: { evidenceMs: 1_500 } })
    const { depth } = await transfer()

    await kit.rpc.call('anvil_reorg', [depth, []])

    await until('two polls have missed it', () => kit.db.events.findOne({ doubts: 2 }))
    assert.deepEqual(removals(), [])
    const removal = await until('withdrawn', () => removals()[0])
    assert.equal(removal.data.logPosition, 0)
    const listed = (contract: string, since = 0) => withdrawnLogs(kit.db, 'BASE_SEPOLIA', since, [contract], new Date())
    const { events, upTo } = await until('listed', async () => {
      const answer = await listed('USDC')
      return answer.events.length > 0 && answer
    })
    assert.deepEqual(
      events.map(({ id, subject }) => [id, subject]),
      [[removal.id, removal.subject]],
    )
    assert.equal(upTo < Date.now(), true)
    assert.deepEqual([(await listed('Bond')).events, (await listed('USDC', Date.now() + 1)).events], [[], []])
  })

  it('stays valid when its transaction was reincluded, under the same transaction and position', async () => {
    await lead()
    const { depth, raw, published } = await transfer()

    await kit.rpc.call('anvil_reorg', [depth, [[raw, 0]]])

    await until('published again', () => published(true).length > 1)
    await until('nothing is doubted', async () => (await kit.db.events.countDocuments({ doubts: { $exists: true } })) === 0)
    assert.deepEqual(removals(), [])
    const keys = new Set(published(true).map(({ data }) => `${data.txHash}:${data.logPosition}`))
    assert.equal(keys.size, 1)
    assert.equal(new Set(published(true).map(({ data }) => data.logId)).size, 2)
  })

  describe('at a node whose headers do not sum up their receipts', () => {
    const lie = () => Object.assign(door.faults, { plainHeaders: true })

    it('is reached on a real network once the node has answered the same five times, and the fields are checked again when they prove right', async () => {
      const lane = await lead({ real: true })
      lie()
      const work = makeWork(3)
      await kit.send(...work.map(one => one.draft))

      await final(work)
      await assertExactlyOnce(kit, work)
      assert.deepEqual([...lane.current()!.unchecked], ['gasUsed', 'logsBloom'])

      door.heal()
      const more = makeWork(1, 'BASE_SEPOLIA', ['token'])
      await kit.send(more[0]!.draft)
      await final(more)
      assert.equal(lane.current()!.unchecked.size, 0)
    })

    it('waits on a devnet', async () => {
      const lane = await lead({ timings: { equalAnswersMs: 0 } })
      const [one] = makeWork(1)
      lie()
      await kit.send(one!.draft)
      await until('the lane waits', () => lane.current()?.contradiction !== undefined)
      const before = await head()
      await until('blocks went by', async () => (await head()) > before + 8, 30)
      assert.equal(kit.of(one!.draft.subject, 'confirmed').length, 0)
      door.heal()
      await final([one!])
    })
  })

  const lies: readonly (readonly [string, () => void])[] = [
    ['whose head falls back', () => Object.assign(door.faults, { staleBy: 4 })],
    ['that leaves receipts out', () => Object.assign(door.faults, { hideReceipts: true })],
    ['that leaves logs out', () => Object.assign(door.faults, { hideLogs: 0.5 })],
    ['that counts too many transactions', () => Object.assign(door.faults, { nonceOffset: 5, swallow: 1 })],
    ['that counts too few transactions', () => Object.assign(door.faults, { nonceOffset: -3 })],
  ]
  for (const [title, lie] of lies)
    it(`is not touched by a node ${title}`, async () => {
      const lane = await lead()
      const { published, again } = await transfer()
      const work = makeWork(6)
      await kit.send(...work.slice(0, 3).map(one => one.draft))
      await final(work.slice(0, 3))
      const before = await head()

      lie()
      await again()
      await kit.send(...work.slice(3).map(one => one.draft))
      await until('blocks went by', async () => (await head()) > before + 8, 30)
      door.heal()

      await final(work)
      assert.equal(countOf(work, 'reorged') + countOf(work, 'failed'), 0)
      assert.deepEqual(removals(), [])
      await until('the second transfer is published, too', () => new Set(published(true).map(({ id }) => id)).size === 2)
      assert.equal(await kit.db.txs.countDocuments({ state: 'REPLACED' }), 0)
      await until('the lane continues', () => lane.current()?.contradiction === undefined)
      await assertExactlyOnce(kit, work)
    })
})
