import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { changeRoles } from '../testing/exchange-roles.ts'
import { laneAddress, laneKey, nextAddress, nextKey } from '../testing/keys.ts'
import { dropFrom, type Kit, startKit } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, fundTokens, makeWork } from '../testing/workload.ts'

describe('the lane of a former key', function () {
  this.timeout(120_000)
  let kit: Kit
  before(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses, 84532, [laneAddress, nextAddress])
    await kit.rpc.call('anvil_setBalance', [nextAddress, '0x3635c9adc5dea00000'])
    assert.equal(await changeRoles(kit.devnet, 'grant', nextAddress), true)
  })
  after(() => kit.close())

  const headHash = async () => ((await kit.rpc.call('eth_getBlockByNumber', ['latest', false])) as { hash: string }).hash

  it('sends again what a reorganisation drops before it begins, though the new key has followed that already', async () => {
    const work = makeWork(4)
    const firstOf = (type: string) => work.map(({ draft }) => kit.of(draft.subject, type)[0])
    const former = await kit.start({ commandOf: countableKinds })
    await kit.send(...work.map(({ draft }) => draft))
    await until('the former key has sent all of it, final', () => firstOf('finalized').every(Boolean))
    await former.close()
    const lease = { _id: `BASE_SEPOLIA:${laneAddress}` }
    const heldElsewhere = { holder: 'another process', retiring: true, expiresAt: new Date(Date.now() + 3_600_000) }
    await kit.db.leases.updateOne(lease, { $set: heldElsewhere })
    await kit.start({ key: nextKey, retiringKey: laneKey, commandOf: countableKinds })
    const first = Math.min(...firstOf('confirmed').map(event => Number(event!.data.blockNumber)))
    await dropFrom(kit.rpc, first)
    const head = await headHash()
    await until('the new key has followed it', async () =>
      (await kit.db.cursors.findOne({ _id: 'BASE_SEPOLIA' }))?.ring.some(({ hash }) => hash === head),
    )

    await kit.db.leases.updateOne(lease, { $set: { expiresAt: new Date(0) } })

    await until('the loss is published', () => firstOf('reorged').every(Boolean))
    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
  })
})
