import assert from 'node:assert/strict'
import { type ChainLog, chainEvent, chainEventRemoved } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { newHash, newWallet } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { sharedWorld } from '../testing/shared-world.ts'
import type { Story } from '../testing/story.ts'
import { assertWell } from '../testing/well.ts'
import { contracts, until } from '../testing/world.ts'

/** After 180 days anybody may unlock the bond of a gig on the contract. */
describe('a lock that somebody else unlocks', () => {
  const world = sharedWorld()
  const { status, history, bondedGig, unlocked } = bondsIn(world)

  interface Seen {
    story: Story
    txHash: string
    blockHash: string
    blockNumber: number
  }
  const newUnlock = (story: Story): Seen => ({ story, txHash: newHash(), blockHash: newHash(), blockNumber: 1_000_000 })
  const elsewhere = (seen: Seen): Seen => ({ ...seen, blockHash: newHash(), blockNumber: seen.blockNumber + 1 })
  const logOf = ({ story: { worker, gigId } }: Seen): ChainLog => {
    const args = { agent: worker.wallet, gigId: onChainKey(gigId), amount: '50000000' }
    return { contract: 'Bond', event: 'BondUnlocked', args, address: contracts.bond, logIndex: 2, logPosition: 0 }
  }
  const announced = (seen: Seen) => {
    const { txHash, blockHash, blockNumber } = seen
    return { logId: `BASE_SEPOLIA:${blockHash}:2`, network: 'BASE_SEPOLIA' as const, ...logOf(seen), txHash, blockHash, blockNumber, blockTime: 1 }
  }
  const announceFinal = (seen: Seen) => world.platform.publish(chainEvent('Bond', 'BondUnlocked').of({ ...announced(seen), final: true }))
  const announceGone = (seen: Seen) => world.platform.publish(chainEventRemoved.of(announced(seen)))
  const include = async (seen: Seen) => {
    world.transactions.set(seen.txHash, { from: newWallet(), logs: [logOf(seen)], final: true, blockHash: seen.blockHash })
    await announceFinal(seen)
  }
  const drop = async (seen: Seen) => {
    world.transactions.delete(seen.txHash)
    await announceGone(seen)
  }
  const isLocked = ({ worker }: Story) => until('it is locked', async () => (await status(worker)).lockedBond === 50)

  it('is locked again when the block of that is gone, and ends when it is included again', async () => {
    const story = await bondedGig()
    const first = newUnlock(story)
    await include(first)
    await unlocked(story.worker)

    await drop(first)
    await isLocked(story)
    await assertWell(world)
    await announceFinal(first)
    const second = elsewhere(first)
    for (let n = 0; n < 2; n++) await include(second)

    assert.equal((await unlocked(story.worker)).availableBond, 100)
    await assertWell(world)
    assert.deepEqual(
      (await history(story.worker)).map(([type]: [string]) => type),
      ['UNLOCK', 'LOCK', 'UNLOCK', 'LOCK', 'DEPOSIT'],
    )
  })

  it('stays unlocked when that is in another block by then', async () => {
    const [story, other] = [await bondedGig(), await bondedGig()]
    const first = newUnlock(story)
    await include(first)
    await unlocked(story.worker)

    await include(elsewhere(first))
    await announceGone(first)
    await include(newUnlock(other))
    await unlocked(other.worker)

    assert.equal((await status(story.worker)).availableBond, 100)
    await assertWell(world)
  })
})
