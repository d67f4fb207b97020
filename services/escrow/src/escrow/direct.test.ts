import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { escrowSlot, onChainKey } from '@carapace/chain'
import { newHash } from '@carapace/testing'
import { sharedWorld } from '../testing/shared-world.ts'
import { deliveredGig, escrowOf, lockFunds, newGig, type Story, told, untilStatus } from '../testing/story.ts'
import { contracts, until } from '../testing/world.ts'
import { zeroAddress } from './change.ts'

describe('locks that posters make on the contract itself', () => {
  const world = sharedWorld()

  const tell = (
    event: 'EscrowLocked' | 'EscrowReclaimed' | 'EscrowRefunded',
    { gigId, poster, amount }: Story,
    network: api.Chain = 'BASE_SEPOLIA',
  ) =>
    world.platform.publish(
      api.chainEvent('Escrow', event).of({
        ...{ logId: randomUUID(), network, contract: 'Escrow', event, address: contracts.escrow, logIndex: 0 },
        ...{ txHash: newHash(), blockNumber: 3, blockHash: newHash(), blockTime: 1, final: true },
        args: {
          ...{ key: onChainKey(gigId), slot: escrowSlot(gigId, poster.wallet), poster: poster.wallet, amount: String(amount) },
          ...{ payee: zeroAddress, refundTo: poster.wallet },
        },
      } as never),
    )
  const accepts = ({ gigId }: Story) => world.commands.filter(({ opKey }) => opKey === `escrow.accept:${gigId}`)
  const isUnknown = async ({ gigId }: Story) => (await world.platform.call('GET', `/api/escrow/${gigId}`)).status === 404
  const postedGig = async () => {
    const story = await newGig(world)
    await world.platform.publish(told.posted(story))
    return story
  }

  it('count on the network of the gig only', async () => {
    const story = await postedGig()

    await tell('EscrowLocked', story, 'SKALE_TESTNET')

    assert.deepEqual([accepts(story).length, await isUnknown(story)], [0, true])
    await tell('EscrowLocked', story)
    await untilStatus(world, story.gigId, 'locked')
  })

  it('are asked for once: what cannot be accepted stays the depositor’s, and the gig can be funded otherwise', async () => {
    const story = await postedGig()
    world.chain = ({ kind }) => (kind === 'escrow.accept' ? 'fail' : 'confirm')

    await tell('EscrowLocked', story)

    await until('it has failed', () => isUnknown(story))
    assert.equal(accepts(story).length, 1)
    assert.equal((await lockFunds(world, story)).status, 201)
  })

  it('are gone when they are taken back while they are being accepted', async () => {
    const story = await postedGig()
    world.chain = ({ kind }) => (kind === 'escrow.accept' ? 'wait' : 'confirm')
    await tell('EscrowLocked', story)
    const [accept] = await until('it is being accepted', () => accepts(story).length > 0 && accepts(story))

    await tell('EscrowReclaimed', story)
    await world.outcome(accept!, 'fail')

    await until('it has failed', () => isUnknown(story))
    assert.equal(accepts(story).length, 1)
  })

  it('end on their own network: what happens to the same slot elsewhere refunds nothing here', async () => {
    const story = await deliveredGig(world)

    await tell('EscrowRefunded', story, 'SKALE_TESTNET')

    assert.equal((await escrowOf(world, story.gigId)).status, 'locked')
    await tell('EscrowRefunded', story)
    await untilStatus(world, story.gigId, 'refunded')
  })
})
