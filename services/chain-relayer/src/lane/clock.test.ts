import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { hourMs } from '@carapace/api'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { type Kit, startKit, wallet } from '../testing/kit.ts'
import { type LaneHost, laneHost } from '../testing/lane-host.ts'
import { allOver, assertExactlyOnce, fundTokens, makeWork } from '../testing/workload.ts'

describe('a lane whose clock jumps', function () {
  // A process is started.
  this.timeout(180_000)
  let kit: Kit
  let host: LaneHost
  beforeEach(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses)
    host = laneHost(kit, kit.place)
  })
  afterEach(async () => {
    await host.close()
    await kit.close()
  })

  it('forward and back carries everything out once', async () => {
    const work = makeWork(60)
    const lane = await host.start({ batchSize: 4 })
    await until('the lane listens', () => host.listening, 90)
    for (const [index, jumpMs] of [hourMs, -2 * hourMs, 5_000, hourMs].entries()) {
      host.send(work.slice(index * 12, index * 12 + 12).map(one => one.draft))
      lane.jump(jumpMs)
    }
    host.send(work.slice(48).map(one => one.draft))

    await allOver(kit, work, 90)
    await assertExactlyOnce(kit, work)
    await until('every command was handled', () => host.unhandled === 0)
    assert.ok(lane.alive())
  })

  it('past a deadline ends what was not signed, and only that', async () => {
    const work = makeWork(10)
    const lane = await host.start({})
    await until('the lane listens', () => host.listening, 90)
    lane.jump(hourMs)
    const deadline = Date.now() + hourMs / 2
    host.send(work.map(({ draft }, index) => (index % 2 ? draft : { ...draft, data: { ...draft.data, deadline } })))

    await allOver(kit, work, 90)
    await assertExactlyOnce(kit, work)
    for (const [index, { draft }] of work.entries()) assert.equal(kit.of(draft.subject, 'failed')[0]?.data.code, index % 2 ? undefined : 'EXPIRED')
  })

  it('or whose chain’s clock does still signs authorisations that hold', async () => {
    await kit.start()
    const chain = 'BASE_SEPOLIA'
    const { address: from } = await (await kit.custody()).walletOf('payer')
    const mint = commands.faucetMint({ chain, requestId: randomUUID(), to: from, amount: 5_000_000n })
    await kit.send(mint)
    await until('funded', () => kit.of(mint.subject, 'confirmed').length > 0)
    await kit.rpc.call('evm_increaseTime', [3_600])
    await kit.rpc.call('evm_mine', [])

    const pay = commands.treasuryPay({ chain, paymentId: randomUUID(), from, to: wallet(), amount: 1_000_000n })
    await kit.send(pay)

    await until('paid', () => kit.of(pay.subject, 'confirmed').length > 0)
  })
})
