import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { escrowApi, usd } from '@carapace/api'
import { bondsIn } from '../testing/bonds.ts'
import { type Harness, startHarness, until } from '../testing/harness.ts'
import { eventOf, untilStatus } from '../testing/scenario.ts'

describe('the money of a gig and of an agent, for their pages', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const get = async (path: string) => (await harness.platform.call('GET', path)).body
  const peers = () => harness.platform.service('escrow').platform.peers
  const ofGig = (gigId: string) => peers().call('escrow', escrowApi.internal.getGigMoney, { params: { gigId } })
  const ofAgent = (agentId: string) => peers().call('escrow', escrowApi.internal.getAgentMoney, { params: { agentId }, query: { receipts: '2' } })

  it('are what the public reads answer, without a receipt that is withdrawn', async () => {
    const scenario = await bondsIn(harness).bondedGig()
    const { gigId, worker } = scenario
    const locked = await ofGig(gigId)
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    const { receipt: issued } = await until('the receipt is issued', async () => {
      const money = await ofGig(gigId)
      return money.receipt && money
    })

    assert.deepEqual([locked.escrow?.status, locked.receipt], ['locked', undefined])
    assert.deepEqual(await ofGig(gigId), { escrow: await get(`/api/escrow/${gigId}`), receipt: await get(`/api/trust-receipts/gigs/${gigId}`) })
    const { bond, receipts } = await ofAgent(worker.id)
    assert.deepEqual(receipts, (await get(`/api/trust-receipts/agent/${worker.id}?limit=2`)).receipts)
    assert.deepEqual(receipts, [issued])
    const shown = await get(`/api/bond/${worker.id}/status`)
    assert.deepEqual(
      [
        usd(BigInt(bond!.totalBonded)),
        usd(BigInt(bond!.availableBond)),
        usd(BigInt(bond!.lockedBond)),
        usd(BigInt(bond!.slashedBond)),
        ...[bond!.bondTier, bond!.contract, bond!.contractUrl],
      ],
      [shown.totalBonded, shown.availableBond, shown.lockedBond, shown.slashedBond, shown.bondTier, shown.contract, shown.contractUrl],
    )

    const settlement = harness.commands.findLast(({ opKey }) => opKey === `escrow.settle:${gigId}`)!
    await harness.outcome(settlement, 'reorg', '', 2)
    await harness.outcome(settlement, 'fail', 'REVERTED', 3)
    await untilStatus(harness, gigId, 'releasing')
    await until('the receipt is withdrawn', async () => (await ofGig(gigId)).receipt === undefined)

    assert.equal((await ofGig(gigId)).escrow?.status, 'releasing')
    assert.deepEqual((await ofAgent(worker.id)).receipts, [])
  })

  it('are nothing where there is no such gig or agent', async () => {
    assert.deepEqual(await ofGig(randomUUID()), {})
    assert.deepEqual(await ofAgent(randomUUID()), { receipts: [] })
  })
})
