import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { failPoints } from '../lane/lane.ts'
import { type Kit, startKit } from '../testing/kit.ts'
import { deadAmidst, type LaneHost, laneHost } from '../testing/lane-host.ts'
import { allOver, assertExactlyOnce, fundTokens, makeWork } from '../testing/workload.ts'

describe('a lane that is killed', function () {
  // Processes are started; on a busy machine this alone needs seconds.
  this.timeout(120_000)
  let kit: Kit
  let host: LaneHost
  before(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses)
  })
  after(() => kit.close())
  beforeEach(() => {
    host = laneHost(kit, kit.place)
  })
  afterEach(() => host.close())

  for (const at of failPoints) {
    it(`at "${at}" leaves every operation done, and done once`, async () => {
      const work = makeWork(24)
      const drafts = work.map(one => one.draft)
      await deadAmidst(host, drafts, { die: { at, hit: 2 }, batchSize: 4 })

      await host.start({ batchSize: 4 })

      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
      await until('every command was handled', () => host.unhandled === 0)
    })
  }

  it('or only paused does no harm when it resumes after its successor started', async () => {
    const work = makeWork(30)
    const first = await host.start({ batchSize: 4 })
    host.send(work.slice(0, 15).map(one => one.draft))
    await new Promise(resolve => setTimeout(resolve, 40))
    first.kill('SIGSTOP')
    await host.start({ batchSize: 4 })
    host.send(work.slice(15).map(one => one.draft))
    await until('the second one leads', async () => Number((await kit.db.leases.findOne({}))?.epoch) >= 2, 30)
    first.kill('SIGCONT')

    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
  })

  it('by SIGTERM stops in order and releases the lease', async () => {
    const work = makeWork(10)
    const lane = await host.start({})
    host.send(work.map(one => one.draft))
    await allOver(kit, work)
    lane.kill('SIGTERM')

    assert.equal(await lane.ended, null)
    const lease = await kit.db.leases.findOne({})
    assert.equal(lease?.expiresAt.getTime(), 0)
    await assertExactlyOnce(kit, work)
  })
})
