import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import type { RunningLane } from '../leader.ts'
import { changeRoles } from '../testing/exchange-roles.ts'
import { laneAddress, laneKey, nextAddress, nextKey } from '../testing/keys.ts'
import { dropFrom, type Kit, startKit } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, fundTokens, makeWork, type Work } from '../testing/workload.ts'

const lease = { _id: `BASE_SEPOLIA:${laneAddress}` }

describe('a reorganisation that the new key follows before the lane of the former one has begun', function () {
  this.timeout(120_000)
  let kit: Kit
  let work: Work[]
  let next: RunningLane
  const firstOf = (type: string) => work.map(({ draft }) => kit.of(draft.subject, type)[0])

  beforeEach(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses, 84532, [laneAddress, nextAddress])
    await kit.rpc.call('anvil_setBalance', [nextAddress, '0x3635c9adc5dea00000'])
    assert.equal(await changeRoles(kit.devnet, 'grant', nextAddress), true)
    work = makeWork(4)
    const former = await kit.start({ commandOf: countableKinds })
    await kit.send(...work.map(({ draft }) => draft))
    await until('the former key has sent all of it, final', () => firstOf('finalized').every(Boolean))
    await former.close()
    const heldElsewhere = { holder: 'another process', retiring: true, expiresAt: new Date(Date.now() + 3_600_000) }
    await kit.db.leases.updateOne(lease, { $set: heldElsewhere })
    next = await kit.start({ key: nextKey, retiringKey: laneKey, commandOf: countableKinds })
    await dropFrom(kit.rpc, Math.min(...firstOf('confirmed').map(event => Number(event!.data.blockNumber))))
    const { hash: head } = (await kit.rpc.call('eth_getBlockByNumber', ['latest', false])) as { hash: string }
    await until('the new key has followed it', async () =>
      (await kit.db.cursors.findOne({ _id: 'BASE_SEPOLIA' }))?.ring.some(({ hash }) => hash === head),
    )
  })
  afterEach(() => kit.close())

  const assertSentAgain = async () => {
    await until('the loss is published', () => firstOf('reorged').every(Boolean))
    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
  }
  const free = () => kit.db.leases.updateOne(lease, { $set: { expiresAt: new Date(0) } })

  it('is followed by that lane too, which sends again what it dropped', async () => {
    await free()

    await assertSentAgain()
  })

  it('is followed by that key where the exchange is reversed', async () => {
    await next.close()
    await free()

    await kit.start({ key: laneKey, retiringKey: nextKey, commandOf: countableKinds })

    await assertSentAgain()
  })
})
