import assert from 'node:assert/strict'
import { quiet } from '@carapace/bus'
import { until } from '@carapace/testing'
import { laneAddress, laneKey, nextAddress, nextKey } from '../../testing/keys.ts'
import { type Kit, laneParts, quickTimings, startKit } from '../../testing/kit.ts'
import { heldAggregates } from '../held-aggregates.ts'
import { acquireLease } from '../lease.ts'
import type { Op } from '../records.ts'
import { leadingAddress } from './network-leases.ts'
import { retirementOf } from './retirement.ts'
import { needKeysOfStored } from './unknown-keys.ts'

type Balance = Awaited<ReturnType<Parameters<typeof retirementOf>[1]['balance']>>

const chain = 'BASE_SEPOLIA'
const former = `${chain}:${laneAddress}`
const next = `${chain}:${nextAddress}`

describe('a lane of one of two keys', () => {
  let kit: Kit
  beforeEach(async () => {
    kit = await startKit()
  })
  afterEach(() => kit.close())
  const epochOf = async (lane: string) => Number((await kit.db.leases.findOne({ _id: lane }))?.epoch ?? 0)
  const partsOf = (key: string) => laneParts({ chain, devnet: kit.devnet, db: kit.db, bus: kit.bus, rpc: kit.rpc }, { key })

  /** Resolves when the lanes under test have read several times from now on who holds the leases: by then they would have acquired what is vacant. */
  const itHasReadOften = async () => {
    const { leases } = kit.db
    const find = leases.find.bind(leases) as typeof leases.find
    let reads = 0
    leases.find = ((...args: Parameters<typeof find>) => {
      reads++
      return find(...args)
    }) as typeof leases.find
    await until('the lanes have read the leases', () => reads >= 10)
    leases.find = find
  }

  it('that retires waits until its present key is led', async () => {
    // a process of the other direction has the present key as its former one
    const held = await acquireLease(kit.db.leases, former, quickTimings, false, true)
    await kit.start({ key: laneKey, retiringKey: nextKey, standby: true })
    await itHasReadOften()

    assert.equal(await epochOf(next), 0)

    await held!.release()
    await until('both are held', async () => (await epochOf(former)) === 2 && (await epochOf(next)) === 1)
  })

  it('that waits for the leader under the other key acquires nothing, and names that one', async () => {
    const leader = await acquireLease(kit.db.leases, former, quickTimings)
    assert.equal(await leadingAddress(await partsOf(nextKey)), nextAddress, 'it only begins')
    await leader!.begun()
    await kit.start({ key: nextKey, standby: true, log: quiet })
    await itHasReadOften()

    assert.equal(await epochOf(next), 0)
    assert.equal(await leadingAddress(await partsOf(nextKey)), laneAddress)
    await leader!.release()
  })

  it('is needed while an effect that it found is not final, and while a command pays to it', async () => {
    const found = { _id: 'a', lane: former, aggregateKey: 'gig', state: 'CONFIRMED', result: { already: true } }
    await kit.db.ops.insertOne(found as unknown as Op)
    const parts = await partsOf(nextKey)

    await assert.rejects(needKeysOfStored(parts), new RegExp(`commands of ${laneAddress} are not finished`))
    const held = heldAggregates(kit.db, former, 0)
    await held.refresh()
    assert.deepEqual([...held.keys], ['gig'])
    const retirement = async () =>
      retirementOf(await partsOf(laneKey), { balance: async () => ({ usdc: '0' }) as Balance }, new Date(Date.now() + 601_000))
    assert.equal((await retirement()).commands, 1)
    const lease = await acquireLease(kit.db.leases, former, quickTimings, false, true)
    await kit.db.ops.deleteMany({})
    assert.equal((await retirement()).drained, true)
    const payment = { _id: 'b', lane: next, state: 'QUEUED', args: { to: laneAddress } }
    await kit.db.ops.insertOne(payment as unknown as Op)
    assert.deepEqual([(await retirement()).commands, (await retirement()).drained], [1, false])
    await lease!.release()
  })
})
