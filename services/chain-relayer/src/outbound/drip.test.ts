import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { laneAddress } from '../testing/keys.ts'
import { type Kit, startKit, wallet } from '../testing/kit.ts'

const chain = 'SKALE_TESTNET'

describe('a drip that the lane cannot afford', () => {
  let kit: Kit
  before(async () => {
    kit = await startKit({ chain })
    await kit.start()
  })
  after(() => kit.close())

  it('waits until there are funds, and delays no other operation', async () => {
    const to = wallet()
    const drip = commands.gasDrip({ chain, wallet: to })
    const other = commands.faucetMint({ chain, requestId: randomUUID(), to: wallet(), amount: 1n })
    await kit.send(drip, other)

    await until('the other is final', () => kit.of(other.subject, 'finalized').length > 0)
    assert.equal(kit.of(drip.subject).length, 0)
    await kit.rpc.call('anvil_setBalance', [laneAddress, '0xde0b6b3a7640000'])

    await until('given', () => kit.of(drip.subject, 'confirmed').length > 0)
    assert.equal(BigInt(String(await kit.rpc.call('eth_getBalance', [to, 'latest']))), 10n ** 16n)
    assert.equal((await kit.db.ops.findOne({ _id: drip.subject }))?.attempts, 0)
  })

  it('leaves its slot when the money was spent before it was sent', async () => {
    const drips = [wallet(), wallet()].map(to => commands.gasDrip({ chain, wallet: to }))
    const other = commands.faucetMint({ chain, requestId: randomUUID(), to: wallet(), amount: 1n })
    await kit.rpc.call('anvil_setBalance', [laneAddress, '0x2386f26fc10000'])
    await kit.send(...drips, other)

    await until('the other is final', () => kit.of(other.subject, 'finalized').length > 0)
    await until('one is given', () => drips.some(drip => kit.of(drip.subject, 'confirmed').length > 0))
    await kit.rpc.call('anvil_setBalance', [laneAddress, '0xde0b6b3a7640000'])
    await until('both are given', () => drips.every(drip => kit.of(drip.subject, 'confirmed').length > 0))
  })
})
