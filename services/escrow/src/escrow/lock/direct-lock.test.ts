import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { escrowSlot, onChainKey } from '@carapace/chain'
import { newHash } from '@carapace/testing'
import { contracts, formerEscrow, until } from '../../testing/harness.ts'
import { deliveredGig, escrowOf, eventOf, lockFunds, newGig, type Scenario, untilStatus } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'
import { zeroAddress } from '../commands.ts'

describe('locks that posters make on the contract itself', () => {
  const harness = sharedHarness()

  const announce = (
    event: 'EscrowLocked' | 'EscrowReclaimed' | 'EscrowRefunded',
    { gigId, poster, amount }: Scenario,
    network: api.Chain = 'BASE_SEPOLIA',
    address: string = contracts.escrow,
  ) => {
    const txHash = newHash()
    harness.transactions.set(txHash, { from: poster.wallet, logs: [], final: true })
    return harness.platform.publish(
      api.chainEvent('Escrow', event).of({
        ...{ logId: randomUUID(), network, contract: 'Escrow', event, address, logIndex: 0 },
        ...{ txHash, blockNumber: 3, blockHash: newHash(), blockTime: 1, final: true },
        args: {
          ...{ key: onChainKey(gigId), slot: escrowSlot(gigId, poster.wallet), poster: poster.wallet, amount: String(amount) },
          ...{ payee: zeroAddress, refundTo: poster.wallet },
        },
      } as never),
    )
  }
  const accepts = ({ gigId }: Scenario) => harness.commands.filter(({ opKey }) => opKey === `escrow.accept:${gigId}`)
  const isUnknown = async ({ gigId }: Scenario) => (await harness.platform.call('GET', `/api/escrow/${gigId}`)).status === 404
  const postedGig = async () => {
    const scenario = await newGig(harness)
    await harness.platform.publish(eventOf.posted(scenario))
    return scenario
  }

  it('count on the network of the gig only', async () => {
    const scenario = await postedGig()

    await announce('EscrowLocked', scenario, 'SKALE_TESTNET')

    assert.deepEqual([accepts(scenario).length, await isUnknown(scenario)], [0, true])
    await announce('EscrowLocked', scenario)
    await untilStatus(harness, scenario.gigId, 'locked')
  })

  it('are accepted once: what cannot be accepted stays the depositor’s, and the gig can be funded otherwise', async () => {
    const scenario = await postedGig()
    harness.chain = ({ kind }) => (kind === 'escrow.accept' ? 'fail' : 'confirm')

    await announce('EscrowLocked', scenario)

    await until('it has failed', () => isUnknown(scenario))
    assert.equal(accepts(scenario).length, 1)
    assert.equal((await lockFunds(harness, scenario)).status, 201)
  })

  it('are dropped when they are reclaimed while they are being accepted', async () => {
    const scenario = await postedGig()
    harness.chain = ({ kind }) => (kind === 'escrow.accept' ? 'wait' : 'confirm')
    await announce('EscrowLocked', scenario)
    const [accept] = await until('it is being accepted', () => accepts(scenario).length > 0 && accepts(scenario))

    await announce('EscrowReclaimed', scenario)
    await harness.outcome(accept!, 'fail')

    await until('it has failed', () => isUnknown(scenario))
    assert.equal(accepts(scenario).length, 1)
  })

  const onFormer = (event: 'EscrowLocked' | 'EscrowRefunded' | 'EscrowReclaimed', scenario: Scenario) =>
    announce(event, scenario, 'BASE_SEPOLIA', formerEscrow)
  const contractsOf = ({ gigId }: Scenario) =>
    harness.commands.filter(({ opKey }) => opKey.endsWith(gigId)).map(({ args }) => (args as { contract?: string }).contract)

  it('count on a former contract, where everything about the gig then is', async () => {
    const scenario = await postedGig()

    await onFormer('EscrowLocked', scenario)

    await untilStatus(harness, scenario.gigId, 'locked')
    assert.deepEqual(contractsOf(scenario), [formerEscrow])
    assert.equal((await escrowOf(harness, scenario.gigId)).depositAddress, formerEscrow)
    await announce('EscrowRefunded', scenario)
    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'locked')
    await onFormer('EscrowRefunded', scenario)
    await untilStatus(harness, scenario.gigId, 'refunded')
  })

  it('count on no other contract than the one that the gig was opened on, and are in the way of none there', async () => {
    const scenario = await postedGig()
    harness.chain = ({ kind }) => (kind === 'escrow.lock' ? 'fail' : 'confirm')
    await lockFunds(harness, scenario)
    await until('it has failed', () => isUnknown(scenario))

    await onFormer('EscrowLocked', scenario)
    assert.equal(accepts(scenario).length, 0)
    await announce('EscrowLocked', scenario)

    await untilStatus(harness, scenario.gigId, 'locked')
    await onFormer('EscrowReclaimed', scenario)
    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'locked')
    assert.deepEqual(contractsOf(scenario), [contracts.escrow, contracts.escrow])
  })

  it('end on their own network: what happens to the same slot elsewhere refunds nothing here', async () => {
    const scenario = await deliveredGig(harness)

    await announce('EscrowRefunded', scenario, 'SKALE_TESTNET')

    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'locked')
    await announce('EscrowRefunded', scenario)
    await untilStatus(harness, scenario.gigId, 'refunded')
  })
})
