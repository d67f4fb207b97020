import assert from 'node:assert/strict'
import { type ChainLog, chainEvent, chainEventRemoved } from '@carapace/api'
import { escrowSlot, onChainKey } from '@carapace/chain'
import { newHash } from '@carapace/testing'
import { sharedWorld } from '../testing/shared-world.ts'
import { deliveredGig, escrowOf, lockFunds, newGig, type Story, told, untilStatus } from '../testing/story.ts'
import { assertWell } from '../testing/well.ts'
import { contracts, until } from '../testing/world.ts'
import { zeroAddress } from './change.ts'

type Event = 'EscrowLocked' | 'EscrowReclaimed' | 'EscrowReleased' | 'EscrowRefunded'
interface Seen {
  event: Event
  story: Story
  txHash: string
  blockHash: string
  blockNumber: number
}

/** What others did on the contract itself, when the chain takes its block back. */
describe('direct actions on the escrow contract whose block is gone', () => {
  const world = sharedWorld()

  const seen = (event: Event, story: Story): Seen => ({ event, story, txHash: newHash(), blockHash: newHash(), blockNumber: 3 })
  const elsewhere = (one: Seen): Seen => ({ ...one, blockHash: newHash(), blockNumber: one.blockNumber + 2 })
  const logOf = ({ event, story: { gigId, poster, worker, amount } }: Seen): ChainLog => {
    const slot = { key: onChainKey(gigId), slot: escrowSlot(gigId, poster.wallet) }
    const args = {
      EscrowLocked: { key: slot.key, poster: poster.wallet, payee: zeroAddress, amount: String(amount) },
      EscrowReclaimed: { ...slot, poster: poster.wallet, amount: String(amount) },
      EscrowReleased: { key: slot.key, payee: worker.wallet, net: String(amount), fee: '0', splitTo: zeroAddress, splitAmount: '0' },
      EscrowRefunded: { ...slot, refundTo: poster.wallet, amount: String(amount) },
    }[event]
    return { contract: 'Escrow', event, args, address: contracts.escrow, logIndex: 4, logPosition: 1 }
  }
  const announced = (one: Seen) => {
    const { txHash, blockHash, blockNumber } = one
    return { logId: `BASE_SEPOLIA:${blockHash}:4`, network: 'BASE_SEPOLIA' as const, ...logOf(one), txHash, blockHash, blockNumber, blockTime: 1 }
  }
  const include = async (one: Seen) => {
    const { story, txHash, blockHash } = one
    world.transactions.set(txHash, { from: story.poster.wallet, logs: [logOf(one)], final: true, blockHash })
    await announceFinal(one)
  }
  const announceFinal = (one: Seen) => world.platform.publish(chainEvent('Escrow', one.event).of({ ...announced(one), final: true }))
  const announceGone = (one: Seen) => world.platform.publish(chainEventRemoved.of(announced(one)))
  const drop = async (one: Seen) => {
    world.transactions.delete(one.txHash)
    await announceGone(one)
  }
  const accepts = ({ gigId }: Story) => world.commands.filter(({ opKey }) => opKey === `escrow.accept:${gigId}`)
  const rounds = (kind: string, { gigId }: Story) => world.commands.filter(({ opKey }) => opKey === `${kind}:${gigId}`).map(({ round }) => round)
  const isUnknown = async ({ gigId }: Story) => (await world.platform.call('GET', `/api/escrow/${gigId}`)).status === 404
  const stored = async ({ gigId }: Story) => {
    const row = await world.platform.service('escrow').platform.db.connection.collection<{ _id: string }>('escrows').findOne({ _id: gigId })
    return row as unknown as { directLock: { blockNumber: number } | null; lock: { blockNumber: number } | null } | null
  }
  const postedGig = async () => {
    const story = await newGig(world)
    await world.platform.publish(told.posted(story))
    return story
  }
  const directlyLocked = async () => {
    const story = await postedGig()
    const lock = seen('EscrowLocked', story)
    await include(lock)
    await untilStatus(world, story.gigId, 'locked')
    return { story, lock }
  }

  it('a lock: nothing is decided about it until its acceptance is confirmed again or fails', async () => {
    const { story, lock } = await directlyLocked()

    await drop(lock)
    await untilStatus(world, story.gigId, 'funding')
    assert.equal((await stored(story))?.directLock, null)
    await world.outcome(accepts(story)[0]!, 'reorg', '', 2)
    await world.outcome(accepts(story)[0]!, 'fail', 'REVERTED', 3)

    await until('there is no escrow', () => isUnknown(story))
    await assertWell(world)
    assert.equal((await lockFunds(world, story)).status, 201)
  })

  it('a lock that was gone and is included again: it is accepted again', async () => {
    const { story, lock } = await directlyLocked()
    await drop(lock)
    await untilStatus(world, story.gigId, 'funding')
    await world.outcome(accepts(story)[0]!, 'fail', 'REVERTED', 2)
    await until('there is no escrow', () => isUnknown(story))

    await include(elsewhere(lock))

    await untilStatus(world, story.gigId, 'locked')
    assert.deepEqual(rounds('escrow.accept', story), [1, 2])
    await assertWell(world)
  })

  it('a lock in another block by then: it stays, under its new block', async () => {
    const { story, lock } = await directlyLocked()

    await include(elsewhere(lock))
    await announceGone(lock)

    await until('its block is known', async () => (await stored(story))?.lock?.blockNumber === elsewhere(lock).blockNumber)
    assert.equal((await escrowOf(world, story.gigId)).status, 'locked')
  })

  it('a lock that was not accepted yet: it is forgotten', async () => {
    const story = await postedGig()
    const lock = seen('EscrowLocked', { ...story, amount: story.amount - 1n })
    await include(lock)
    await until('it is known', async () => (await stored(story))?.directLock)

    await drop(lock)

    await until('it is forgotten', async () => (await stored(story))?.directLock === null)
  })

  it('a reclaim: the lock is there again and is accepted', async () => {
    const story = await postedGig()
    world.chain = ({ kind }) => (kind === 'escrow.accept' ? 'wait' : 'confirm')
    const [lock, reclaim] = [seen('EscrowLocked', story), seen('EscrowReclaimed', story)]
    await include(lock)
    const [accept] = await until('it is being accepted', () => accepts(story).length > 0 && accepts(story))
    await include(reclaim)
    await world.outcome(accept!, 'fail')
    await until('it is taken back', () => isUnknown(story))
    world.chain = () => 'confirm'

    await drop(reclaim)

    await untilStatus(world, story.gigId, 'locked')
    assert.deepEqual(rounds('escrow.accept', story), [1, 2])
    await assertWell(world)
  })

  it('a refund: the money is held again, and we send it back', async () => {
    const story = await deliveredGig(world)
    const refund = seen('EscrowRefunded', story)
    await include(refund)
    await untilStatus(world, story.gigId, 'refunded')

    await drop(refund)

    await untilStatus(world, story.gigId, 'refunding')
    await assertWell(world, 'stuck')
    await announceFinal(refund)
    await world.platform.advance(61)
    const { refundTxHash } = await untilStatus(world, story.gigId, 'refunded')
    assert.notEqual(refundTxHash, refund.txHash)
    assert.deepEqual(rounds('escrow.settle', story), [1])
    await assertWell(world)
  })

  it('a refund in another block by then: it stays', async () => {
    const story = await deliveredGig(world)
    const refund = seen('EscrowRefunded', story)
    await include(refund)
    await untilStatus(world, story.gigId, 'refunded')

    await include(elsewhere(refund))
    await announceGone(refund)
    const marker = await directlyLocked()

    assert.equal((await escrowOf(world, story.gigId)).status, 'refunded')
    assert.equal((await escrowOf(world, marker.story.gigId)).status, 'locked')
    await assertWell(world)
  })

  it('a payout by somebody else while ours is under way: ours pays', async () => {
    const story = await deliveredGig(world)
    world.chain = ({ kind }) => (kind === 'escrow.settle' ? 'wait' : 'confirm')
    await world.platform.publish(told.resolved(story, 'approved'))
    const settle = await until('it is sent', () => world.commands.find(({ opKey }) => opKey === `escrow.settle:${story.gigId}`))
    const release = seen('EscrowReleased', story)
    await include(release)
    await untilStatus(world, story.gigId, 'released')

    await drop(release)
    await untilStatus(world, story.gigId, 'releasing')
    await assertWell(world, 'stuck')
    await world.outcome(settle, 'confirm', undefined, 1)

    await untilStatus(world, story.gigId, 'released')
    assert.deepEqual(rounds('escrow.settle', story), [1])
    await assertWell(world)
  })

  it('our own payout: what its command says counts', async () => {
    const story = await deliveredGig(world)
    await world.platform.publish(told.resolved(story, 'approved'))
    const { releaseTxHash } = await untilStatus(world, story.gigId, 'released')
    const release = { ...seen('EscrowReleased', story), txHash: releaseTxHash }

    await announceGone(release)
    await directlyLocked()

    assert.equal((await escrowOf(world, story.gigId)).status, 'released')
  })
})
