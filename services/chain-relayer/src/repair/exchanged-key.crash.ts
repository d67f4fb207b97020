import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { failPoints } from '../lane/lane.ts'
import { changeRoles } from '../testing/exchange-roles.ts'
import { laneAddress, laneKey, nextAddress, nextKey } from '../testing/keys.ts'
import { type Kit, startKit } from '../testing/kit.ts'
import { deadAmidst, type LaneHost, laneHost } from '../testing/lane-host.ts'
import { allOver, assertExactlyOnce, fundTokens, makeWork } from '../testing/workload.ts'

/** The first test exchanges `laneKey` for `nextKey`, the second one the other way round, and so on. */
describe('a lane that is killed as its key is exchanged', function () {
  this.timeout(120_000)
  let kit: Kit
  let host: LaneHost
  before(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses, 84532, [laneAddress, nextAddress])
    await kit.rpc.call('anvil_setBalance', [nextAddress, '0x3635c9adc5dea00000'])
    assert.equal(await changeRoles(kit.devnet, 'grant', nextAddress), true)
  })
  after(() => kit.close())
  beforeEach(() => {
    host = laneHost(kit, kit.place)
  })
  afterEach(() => host.close())

  for (const [index, at] of failPoints.entries()) {
    it(`at "${at}" leaves every operation done, and done once`, async () => {
      const [key, next] = index % 2 === 0 ? [laneKey, nextKey] : [nextKey, laneKey]
      const work = makeWork(24)
      const drafts = work.map(one => one.draft)
      // it still has the key of the test before
      await deadAmidst(host, drafts, { key, retiringKey: next, die: { at, hit: 2 }, batchSize: 4 })

      await host.start({ key: next, retiringKey: key, batchSize: 4 })

      await allOver(kit, work)
      await assertExactlyOnce(kit, work)
      await until('every command was handled', () => host.unhandled === 0)
    })
  }
})
