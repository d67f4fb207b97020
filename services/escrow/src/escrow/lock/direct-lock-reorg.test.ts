import assert from 'node:assert/strict'
import { type ChainLog, chainEvent, chainEventRemoved } from '@carapace/api'
import { escrowSlot, onChainKey } from '@carapace/chain'
import { newHash } from '@carapace/testing'
import { assertHealthy } from '../../testing/assert-healthy.ts'
import { contracts, lane, until } from '../../testing/harness.ts'
import { deliveredGig, escrowOf, eventOf, lockFunds, newGig, type Scenario, untilStatus } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'
import { zeroAddress } from '../commands.ts'

type Event = 'EscrowLocked' | 'EscrowReclaimed' | 'EscrowReleased' | 'EscrowRefunded'
interface Seen {
  event: Event
  scenario: Scenario
  txHash: string
  blockHash: string
  blockNumber: number
}

/** What others did on the contract itself, when the chain drops its block. */
describe('direct actions on the escrow contract whose block is dropped', () => {
  const harness = sharedHarness()

  const seen = (event: Event, scenario: Scenario): Seen => ({ event, scenario, txHash: newHash(), blockHash: newHash(), blockNumber: 3 })
  const elsewhere = (one: Seen): Seen => ({ ...one, blockHash: newHash(), blockNumber: one.blockNumber + 2 })
  const logOf = ({ event, scenario: { gigId, poster, worker, amount } }: Seen): ChainLog => {
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
    const { scenario, txHash, blockHash } = one
    harness.transactions.set(txHash, { from: scenario.poster.wallet, logs: [logOf(one)], final: true, blockHash })
    await announceFinal(one)
  }
  const announceFinal = (one: Seen) => harness.platform.publish(chainEvent('Escrow', one.event).of({ ...announced(one), final: true }))
  const announceDropped = (one: Seen) => harness.platform.publish(chainEventRemoved.of(announced(one)))
  const drop = async (one: Seen) => {
    harness.transactions.delete(one.txHash)
    await announceDropped(one)
  }
  const accepts = ({ gigId }: Scenario) => harness.commands.filter(({ opKey }) => opKey === `escrow.accept:${gigId}`)
  const rounds = (kind: string, { gigId }: Scenario) => harness.commands.filter(({ opKey }) => opKey === `${kind}:${gigId}`).map(({ round }) => round)
  const isUnknown = async ({ gigId }: Scenario) => (await harness.platform.call('GET', `/api/escrow/${gigId}`)).status === 404
  const stored = async ({ gigId }: Scenario) => {
    const row = await harness.platform.service('escrow').platform.db.connection.collection<{ _id: string }>('escrows').findOne({ _id: gigId })
    return row as unknown as { directLock: { blockNumber: number } | null; lock: { onChain: { blockNumber: number } } | null } | null
  }
  const postedGig = async () => {
    const scenario = await newGig(harness)
    await harness.platform.publish(eventOf.posted(scenario))
    return scenario
  }
  const directlyLocked = async () => {
    const scenario = await postedGig()
    const lock = seen('EscrowLocked', scenario)
    await include(lock)
    await untilStatus(harness, scenario.gigId, 'locked')
    return { scenario, lock }
  }

  it('a lock: nothing is decided about it until its acceptance is confirmed again or fails', async () => {
    const { scenario, lock } = await directlyLocked()

    await drop(lock)
    await untilStatus(harness, scenario.gigId, 'funding')
    assert.equal((await stored(scenario))?.directLock, null)
    await harness.outcome(accepts(scenario)[0]!, 'reorg', '', 2)
    await harness.outcome(accepts(scenario)[0]!, 'fail', 'REVERTED', 3)

    await until('there is no escrow', () => isUnknown(scenario))
    await assertHealthy(harness)
    assert.equal((await lockFunds(harness, scenario)).status, 201)
  })

  it('a lock that was dropped and is included again: it is accepted again', async () => {
    const { scenario, lock } = await directlyLocked()
    await drop(lock)
    await untilStatus(harness, scenario.gigId, 'funding')
    await harness.outcome(accepts(scenario)[0]!, 'fail', 'REVERTED', 2)
    await until('there is no escrow', () => isUnknown(scenario))

    await include(elsewhere(lock))

    await untilStatus(harness, scenario.gigId, 'locked')
    assert.deepEqual(rounds('escrow.accept', scenario), [1, 2])
    await assertHealthy(harness)
  })

  it('a lock in another block by then: it stays, under its new block', async () => {
    const { scenario, lock } = await directlyLocked()

    await include(elsewhere(lock))
    await announceDropped(lock)

    await until('its block is known', async () => (await stored(scenario))?.lock?.onChain.blockNumber === elsewhere(lock).blockNumber)
    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'locked')
  })

  it('a lock that was not accepted yet: it is forgotten', async () => {
    const scenario = await postedGig()
    const lock = seen('EscrowLocked', { ...scenario, amount: scenario.amount - 1n })
    await include(lock)
    await until('it is known', async () => (await stored(scenario))?.directLock)

    await drop(lock)

    await until('it is forgotten', async () => (await stored(scenario))?.directLock === null)
  })

  it('a reclaim: the lock is there again and is accepted', async () => {
    const scenario = await postedGig()
    harness.chain = ({ kind }) => (kind === 'escrow.accept' ? 'wait' : 'confirm')
    const [lock, reclaim] = [seen('EscrowLocked', scenario), seen('EscrowReclaimed', scenario)]
    await include(lock)
    const [accept] = await until('it is being accepted', () => accepts(scenario).length > 0 && accepts(scenario))
    await include(reclaim)
    await harness.outcome(accept!, 'fail')
    await until('it is taken back', () => isUnknown(scenario))
    harness.chain = () => 'confirm'

    await drop(reclaim)

    await untilStatus(harness, scenario.gigId, 'locked')
    assert.deepEqual(rounds('escrow.accept', scenario), [1, 2])
    await assertHealthy(harness)
  })

  it('a refund: the money is held again, and we send it back', async () => {
    const scenario = await deliveredGig(harness)
    const refund = seen('EscrowRefunded', scenario)
    await include(refund)
    await untilStatus(harness, scenario.gigId, 'refunded')

    await drop(refund)

    await untilStatus(harness, scenario.gigId, 'refunding')
    await assertHealthy(harness, 'stuck')
    await announceFinal(refund)
    await harness.platform.advance(61)
    const { refundTxHash } = await untilStatus(harness, scenario.gigId, 'refunded')
    assert.notEqual(refundTxHash, refund.txHash)
    assert.deepEqual(rounds('escrow.settle', scenario), [1])
    await assertHealthy(harness)
  })

  it('a refund in another block by then: it stays', async () => {
    const scenario = await deliveredGig(harness)
    const refund = seen('EscrowRefunded', scenario)
    await include(refund)
    await untilStatus(harness, scenario.gigId, 'refunded')

    await include(elsewhere(refund))
    await announceDropped(refund)
    const marker = await directlyLocked()

    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'refunded')
    assert.equal((await escrowOf(harness, marker.scenario.gigId)).status, 'locked')
    await assertHealthy(harness)
  })

  it('a payout by somebody else while ours is under way: ours pays', async () => {
    const scenario = await deliveredGig(harness)
    harness.chain = ({ kind }) => (kind === 'escrow.settle' ? 'wait' : 'confirm')
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    const settle = await until('it is sent', () => harness.commands.find(({ opKey }) => opKey === `escrow.settle:${scenario.gigId}`))
    const release = seen('EscrowReleased', scenario)
    await include(release)
    await untilStatus(harness, scenario.gigId, 'released')

    await drop(release)
    await untilStatus(harness, scenario.gigId, 'releasing')
    await assertHealthy(harness, 'stuck')
    await harness.outcome(settle, 'confirm', undefined, 1)

    await untilStatus(harness, scenario.gigId, 'released')
    assert.deepEqual(rounds('escrow.settle', scenario), [1])
    await assertHealthy(harness)
  })

  it('the log of our own payout: it is processed once, by the outcome of its command, before and after that', async () => {
    const scenario = await deliveredGig(harness)
    harness.chain = ({ kind }) => (kind === 'escrow.settle' ? 'wait' : 'confirm')
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    const settle = await until('it is sent', () => harness.commands.find(({ opKey }) => opKey === `escrow.settle:${scenario.gigId}`))
    const ownLog = async (txHash: string) => {
      const log = { ...seen('EscrowReleased', scenario), txHash }
      harness.transactions.set(txHash, { from: lane, logs: [logOf(log)], final: true, blockHash: log.blockHash })
      await announceFinal(log)
      await directlyLocked()
    }

    await ownLog(newHash())
    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'releasing')
    await harness.outcome(settle, 'confirm', undefined, 1)
    const paid = await untilStatus(harness, scenario.gigId, 'released')
    await ownLog(newHash())
    await ownLog(paid.releaseTxHash)

    const { fee, version, releaseTxHash } = await escrowOf(harness, scenario.gigId)
    assert.deepEqual([fee, version, releaseTxHash], [1.2, paid.version, paid.releaseTxHash])
  })

  it('our own payout: what its command says counts', async () => {
    const scenario = await deliveredGig(harness)
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    const { releaseTxHash } = await untilStatus(harness, scenario.gigId, 'released')
    const release = { ...seen('EscrowReleased', scenario), txHash: releaseTxHash }

    await announceDropped(release)
    await directlyLocked()

    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'released')
  })
})
