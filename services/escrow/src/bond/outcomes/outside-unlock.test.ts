import assert from 'node:assert/strict'
import { onChainKey } from '@carapace/chain'
import { newHash, newWallet } from '@carapace/testing'
import { assertHealthy } from '../../testing/assert-healthy.ts'
import { bondLogsIn, type SeenLog } from '../../testing/bond-logs.ts'
import { bondsIn } from '../../testing/bonds.ts'
import { contracts, until } from '../../testing/harness.ts'
import type { Scenario } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

/** After 180 days anybody may unlock the bond of a gig on the contract. */
describe('a lock that somebody else unlocks', () => {
  const harness = sharedHarness()
  const { status, history, bondedGig, unlocked } = bondsIn(harness)
  const logs = bondLogsIn(harness)

  interface Seen {
    scenario: Scenario
    txHash: string
    blockHash: string
    blockNumber: number
  }
  const newUnlock = (scenario: Scenario): Seen => ({ scenario, txHash: newHash(), blockHash: newHash(), blockNumber: 1_000_000 })
  const elsewhere = (seen: Seen): Seen => ({ ...seen, blockHash: newHash(), blockNumber: seen.blockNumber + 1 })
  const logOf = ({ scenario: { worker, gigId }, ...place }: Seen): SeenLog => {
    const args = { agent: worker.wallet, gigId: onChainKey(gigId), amount: '50000000' }
    const log = { contract: 'Bond', event: 'BondUnlocked' as const, args, address: contracts.bond, logIndex: 2, logPosition: 0 }
    return { log, from: newWallet(), ...place }
  }
  const announceFinal = (seen: Seen) => logs.announceFinal(logOf(seen))
  const announceDropped = (seen: Seen) => logs.announceDropped(logOf(seen))
  const include = (seen: Seen) => logs.include(logOf(seen))
  const drop = async (seen: Seen) => {
    logs.drop(logOf(seen))
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
