import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { laneAddress } from '../testing/keys.ts'
import { dropFrom, type KitLane, wallet } from '../testing/kit.ts'
import { faultyKitPerTest } from '../testing/kit-per-test.ts'
import { endOf, lockedGig, payableGig } from '../testing/locked-gig.ts'

const chain = 'BASE_SEPOLIA'
const amount = 5_000_000n
const tvlCap = 500_000_000_000n

describe('a command that needs what all aggregates share', function () {
  this.timeout(120_000)
  const { kit, door } = faultyKitPerTest(12)
  const lead = (options: KitLane = {}) => kit.start({ rpcUrl: door.url, finality: 100, ...options })
  const untilTried = (subject: string) => until('it was tried', async () => Number((await kit.db.ops.findOne({ _id: subject }))?.attempts) > 0)

  /** Lets the escrow hold one budget at a time. */
  async function capEscrow() {
    const { Escrow: address } = kit.devnet.addresses
    const word = (value: bigint | number) => `0x${value.toString(16).padStart(64, '0')}`
    for (let slot = 0; slot < 64; slot++)
      if (String(await kit.rpc.call('eth_getStorageAt', [address, word(slot), 'latest'])) === word(tvlCap))
        return kit.rpc.call('anvil_setStorageAt', [address, word(slot), word(amount)])
    throw new Error('the cap is in none of the first slots')
  }

  it('is carried out where the cap refuses what a dropped refund lets in, when that is included again', async () => {
    await lead()
    const [first, second] = [await lockedGig(kit, amount), await payableGig(kit, amount)]
    await capEscrow()
    await kit.send(first.settle)
    const { data } = await endOf(kit, first.settle, 'confirmed')
    // The lane does not see the reorganisation, the state that its call is tried on does.
    door.faults.staleBy = 0
    await dropFrom(kit.rpc, Number(data.blockNumber))
    await kit.send(second.lock)
    await untilTried(second.lock.subject)

    door.faults.staleBy = undefined

    await endOf(kit, second.lock, 'confirmed')
    assert.equal(kit.of(second.lock.subject, 'failed').length, 0)
    assert.ok(kit.of(first.settle.subject, 'reorged').length > 0)
  })

  it('fails immediately where the cap refuses it and no refund was dropped', async () => {
    await lead()
    await lockedGig(kit, amount)
    const { lock } = await payableGig(kit, amount)
    await capEscrow()

    await kit.send(lock)

    const { data } = await endOf(kit, lock, 'failed')
    assert.deepEqual([data.code, data.attempts], ['REVERTED', 1])
    assert.match(String(data.message), /Escrow_TvlCapReached/)
  })

  it('is returned from the intake while another return waits', async () => {
    await lead({ timings: { retryDelaysMs: [60_000] } })
    const mint = commands.faucetMint({ chain, requestId: randomUUID(), to: laneAddress, amount })
    await kit.send(mint)
    await endOf(kit, mint, 'confirmed')
    const payBack = (returned: bigint) =>
      commands.treasuryPay({ chain, paymentId: randomUUID(), from: laneAddress, to: wallet(), amount: returned, isReturn: true })
    const [uncovered, other] = [payBack(amount + 1n), payBack(amount)]
    await kit.send(uncovered)
    await untilTried(uncovered.subject)

    await kit.send(other)

    await endOf(kit, other, 'confirmed')
    assert.equal((await kit.db.ops.findOne({ _id: uncovered.subject }))?.state, 'QUEUED')
  })
})
