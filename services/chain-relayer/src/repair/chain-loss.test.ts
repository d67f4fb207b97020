import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { deployDevnet } from '@carapace/contracts'
import { until } from '@carapace/testing'
import { deployerKey, laneAddress } from '../testing/keys.ts'
import { type Kit, type KitLane, startKit, testDevnet } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, effectOf, fundTokens, makeWork, signForeign, type Work } from '../testing/workload.ts'

/** What the chain lost is carried out again, once. */
describe('a lane whose chain loses blocks', function () {
  // The deployment is made again, and a killed node is started again.
  this.timeout(180_000)
  let kit: Kit
  const lead = (options: KitLane = {}) => kit.start({ commandOf: countableKinds, ...options })
  const send = (work: readonly Work[]) => kit.send(...work.map(one => one.draft))
  const confirmed = (work: readonly Work[]) => until('confirmed', () => work.every(one => kit.of(one.draft.subject, 'confirmed').length > 0), 90)
  const allThere = (work: readonly Work[]) =>
    until(
      'every effect is on chain',
      async () => (await Promise.all(work.map(one => effectOf(kit.rpc, kit.devnet.addresses, one)))).every(effect => effect === 1n),
      90,
    )
  const headOf = async () => Number(await kit.rpc.call('eth_blockNumber', []))
  /** What an empty chain needs before the lane can serve there. */
  const deploy = async () => {
    await kit.rpc.call('anvil_setBalance', [laneAddress, '0x3635c9adc5dea00000'])
    const roles = { operator: laneAddress, pauser: laneAddress, proposers: [laneAddress] }
    await deployDevnet({ rpcUrl: kit.devnet.rpcUrl, chainId: 84532, deployerKey, ...roles })
  }

  afterEach(() => kit.close())

  describe('by a reorganisation', () => {
    it('carries an operation again when the new branch has another transaction in its slot', async () => {
      kit = await startKit()
      await fundTokens(kit.rpc, kit.devnet.addresses)
      await lead({ finality: 100 })
      const work = makeWork(4, 'BASE_SEPOLIA', ['native'])
      for (const one of work) {
        await send([one])
        await confirmed([one])
      }
      const count = Number(await kit.rpc.call('eth_getTransactionCount', [laneAddress, 'latest']))
      const mined = kit.of(work[3]!.draft.subject, 'confirmed')[0]!
      const depth = (await headOf()) - Number(mined.data.blockNumber) + 1

      await kit.rpc.call('anvil_reorg', [depth, [[await signForeign({ to: laneAddress, nonce: count - 1 }), 0]]])

      await until('published as reorganised', () => kit.of(work[3]!.draft.subject, 'reorged').length > 0)
      await allThere(work)
      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
      assert.equal(await kit.db.txs.countDocuments({ state: 'REPLACED' }), 1)
    })

    it('waits while the deployment is missing, and carries everything out once it is restored', async () => {
      kit = await startKit()
      const lane = await lead()
      const work = makeWork(6, 'BASE_SEPOLIA', ['native'])
      await send(work.slice(0, 3))
      await confirmed(work.slice(0, 3))

      await kit.rpc.call('anvil_reorg', [await headOf(), []])
      await until('the lane stops', () => lane.current() === undefined)
      const sent = kit.send(...work.slice(3).map(one => one.draft))
      await deploy()

      await sent
      await allThere(work)
      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
    })
  })

  describe('by the end of its node', () => {
    it('continues when the node was killed and restarted with its state', async () => {
      const dataDir = await mkdtemp(path.join(tmpdir(), 'carapace-loss-'))
      const devnet = await testDevnet('BASE_SEPOLIA', { dataDir })
      try {
        kit = await startKit({ devnet })
        await fundTokens(kit.rpc, devnet.addresses)
        await lead()
        const work = makeWork(24)
        await send(work.slice(0, 12))
        const late = send(work.slice(12))
        process.kill(devnet.pid(), 'SIGKILL')

        await late
        await allThere(work)
        await allOver(kit, work)
        await assertExactlyOnce(kit, work)
      } finally {
        await devnet.close()
        await rm(dataDir, { recursive: true, force: true })
      }
    })

    it('carries everything again on a devnet that was started again', async () => {
      kit = await startKit()
      await lead()
      const work = makeWork(6, 'BASE_SEPOLIA', ['native'])
      await send(work.slice(0, 4))
      await confirmed(work.slice(0, 4))

      await kit.rpc.call('anvil_reset', [])
      await deploy()
      await send(work.slice(4))

      await allThere(work)
      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
    })

    it('sends nothing to a real network that was started again', async () => {
      kit = await startKit()
      const lane = await lead({ real: true })
      const work = makeWork(4, 'BASE_SEPOLIA', ['native'])
      await send(work)
      await confirmed(work)
      // the first block is final then, and these transactions are not: one poll is not enough to reverse it
      await kit.rpc.call('anvil_mine', ['0x8'])
      await until('it has followed', () => (lane.current()?.head.number ?? 0) > 12)

      await kit.rpc.call('anvil_reset', [])
      await until('the lane stops', () => lane.current() === undefined)
      await deploy()
      const epoch = Number((await kit.db.leases.findOne({}))?.epoch)
      await until('it has looked again', async () => Number((await kit.db.leases.findOne({}))?.epoch) > epoch + 2)

      assert.equal(Number(await kit.rpc.call('eth_getTransactionCount', [laneAddress, 'pending'])), 0)
      assert.equal(lane.current(), undefined)
    })
  })
})
