import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chains } from '@carapace/api'
import type { Extent } from '@carapace/service'
import { countedReads } from '@carapace/testing'
import { checks } from './invariants.ts'
import { type Parts, stores } from './parts.ts'
import { bondsIn } from './testing/bonds.ts'
import { usdc } from './testing/harness.ts'
import { deliveredGig, eventOf, untilStatus } from './testing/scenario.ts'
import { sharedHarness } from './testing/shared-harness.ts'

type Row = { _id: string; settlement?: { fee: bigint }; free?: bigint }

describe('the checks of the books of the escrow', () => {
  const harness = sharedHarness()
  const collection = (name: string) => harness.platform.service('escrow').platform.db.connection.collection<Row>(name)
  before(async () => {
    const scenario = await deliveredGig(harness)
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    await untilStatus(harness, scenario.gigId, 'released')
    await bondsIn(harness).bonded()
    const { networks } = stores(harness.platform.service('escrow').platform)
    for (const chain of chains)
      for (const address of Object.values(await networks.contracts(chain))) harness.balances.set(`${chain}/${address}`, usdc(1_000))
  })

  /** So many escrows, bonds and rewards of before, for which nothing is in the contracts. */
  const grow = async (count: number) => {
    const paid = (await collection('escrows').findOne({ status: 'released' }))!
    const bond = (await collection('bonds').findOne({}))!
    const reward = { gigId: null, jobId: null, title: 't', posterId: 'p', chain: 'BASE_SEPOLIA', shares: [], isFunded: true, topUps: [], version: 1 }
    const figures = { total: 0n, free: 0n, slashed: 0n }
    const of = { escrows: paid, bonds: { ...bond, ...figures }, rewards: { ...reward, fundedBy: { fee: 1n, refund: 0n, topUp: 0n } } }
    for (const [name, row] of Object.entries(of)) {
      // before those that the tests have made
      const rows = Array.from({ length: count }, () => ({ ...row, _id: `-${randomUUID()}`, createdAt: new Date(0), updatedAt: new Date(0) }))
      await collection(name).insertMany(rows)
    }
  }
  /** The checks as a process that has just been started makes them. */
  const opened = () => {
    const { platform } = harness.platform.service('escrow')
    const { db, reads } = countedReads(platform.db)
    const parts = { ...platform, db, ...stores({ ...platform, db }) } as Parts
    return { reads, check: (name: string, extent: Extent) => checks[name]!(parts, extent) }
  }

  it('find what is wrong with a record that has not changed for long, each time until it is right', async () => {
    const [escrow, bond] = [await collection('escrows').findOne({ status: 'released' }), await collection('bonds').findOne({ free: { $gt: 0n } })]
    const falsify = async (by: bigint) => {
      await collection('escrows').updateOne({ _id: escrow!._id }, { $inc: { 'settlement.fee': by }, $set: { updatedAt: new Date(0) } })
      await collection('bonds').updateOne({ _id: bond!._id }, { $inc: { free: by } })
    }
    const { check } = opened()
    const faults = async (extent: Extent) => [...(await check('settlements', extent)), ...(await check('bonds', extent))].length

    await falsify(1n)
    assert.equal(await faults('whole'), 2)
    // what it has once found it reads again, in whichever slice that is
    assert.equal(await faults('news'), 2)
    await falsify(-1n)

    assert.deepEqual([await faults('news'), await faults('whole')], [0, 0])
  })

  it('read as much in a minute where there are ten times as many records', async function () {
    this.timeout(120_000)
    const measured = async () => {
      const { reads, check } = opened()
      const found: Record<string, number[]> = {}
      for (const name of Object.keys(checks)) {
        await check(name, 'news')
        Object.assign(reads, { operations: 0, documents: 0 })
        await check(name, 'news')
        found[name] = [reads.operations, reads.documents]
      }
      return found
    }
    await grow(1_100)
    const few = await measured()
    await grow(9_900)

    assert.deepEqual(await measured(), few)
  })
})
