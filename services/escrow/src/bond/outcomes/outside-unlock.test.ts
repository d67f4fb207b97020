import assert from 'node:assert/strict'
import { type ChainLog, chainEvent, chainEventRemoved } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { newHash, newWallet } from '@carapace/testing'
import { assertHealthy } from '../../testing/assert-healthy.ts'
import { bondsIn } from '../../testing/bonds.ts'
import { contracts, until } from '../../testing/harness.ts'
import type { Scenario } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

/** After 180 days anybody may unlock the bond of a gig on the contract. */
describe('a lock that somebody else unlocks', () => {
  const harness = sharedHarness()
  const { status, history, bondedGig, unlocked } = bondsIn(harness)

  interface Seen {
    scenario: Scenario
    txHash: string
    blockHash: string
    blockNumber: number
  }
  const newUnlock = (scenario: Scenario): Seen => ({ scenario, txHash: newHash(), blockHash: newHash(), blockNumber: 1_000_000 })
  const elsewhere = (seen: Seen): Seen => ({ ...seen, blockHash: newHash(), blockNumber: seen.blockNumber + 1 })
  const logOf = ({ scenario: { worker, gigId } }: Seen): ChainLog => {
    const args = { agent: worker.wallet, gigId: onChainKey(gigId), amount: '50000000' }
    return { contract: 'Bond', event: 'BondUnlocked', args, address: contracts.bond, logIndex: 2, logPosition: 0 }
  }
  const announced = (seen: Seen) => {
    const { txHash, blockHash, blockNumber } = seen
    return { logId: `BASE_SEPOLIA:${blockHash}:2`, network: 'BASE_SEPOLIA' as const, ...logOf(seen), txHash, blockHash, blockNumber, blockTime: 1 }
  }
  const announceFinal = (seen: Seen) => harness.platform.publish(chainEvent('Bond', 'BondUnlocked').of({ ...announced(seen), final: true }))
  const announceDropped = (seen: Seen) => harness.platform.publish(chainEventRemoved.of(announced(seen)))
  const include = async (seen: Seen) => {
    harness.transactions.set(seen.txHash, { from: newWallet(), logs: [logOf(seen)], final: true, blockHash: seen.blockHash })
    await announceFinal(seen)
  }
  const drop = async (seen: Seen) => {
    harness.transactions.delete(seen.txHash)
    await announceDropped(seen)
  }
  const isLocked = ({ worker }: Scenario) => until('it is locked', async () => (await status(worker)).lockedBond === 50)

  it('is locked again when the block of that is dropped, and ends when it is included again', async () => {
    const scenario = await bondedGig()
    const first = newUnlock(scenario)
    await include(first)
    await unlocked(scenario.worker)

    await drop(first)
    await isLocked(scenario)
    await assertHealthy(harness)
    await announceFinal(first)
    const second = elsewhere(first)
    for (let n = 0; n < 2; n++) await include(second)

    assert.equal((await unlocked(scenario.worker)).availableBond, 100)
    await assertHealthy(harness)
    assert.deepEqual(
      (await history(scenario.worker)).map(([type]: [string]) => type),
      ['UNLOCK', 'LOCK', 'UNLOCK', 'LOCK', 'DEPOSIT'],
    )
  })

  it('stays unlocked when that is in another block by then', async () => {
    const [scenario, other] = [await bondedGig(), await bondedGig()]
    const first = newUnlock(scenario)
    await include(first)
    await unlocked(scenario.worker)

    await include(elsewhere(first))
    await announceDropped(first)
    await include(newUnlock(other))
    await unlocked(other.worker)

    assert.equal((await status(scenario.worker)).availableBond, 100)
    await assertHealthy(harness)
  })
})
