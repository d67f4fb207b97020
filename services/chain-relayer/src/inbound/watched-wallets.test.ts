import assert from 'node:assert/strict'
import { contractInterface } from '@carapace/chain'
import { newWallet, until } from '@carapace/testing'
import { kitPerTest } from '../testing/kit-per-test.ts'
import { fundTokens, sendForeign } from '../testing/workload.ts'

describe('transfers of USDC', function () {
  this.timeout(120_000)
  const kit = kitPerTest()
  beforeEach(() => fundTokens(kit.rpc, kit.devnet.addresses))

  it('are published where they go to a wallet without a key here that is watched, and to no stranger', async () => {
    const [stranger, watched] = [newWallet(), newWallet()]
    await kit.start({ watchedWallets: [watched], finality: 1 })

    for (const to of [stranger, watched]) {
      const data = contractInterface('USDC').encodeFunctionData('mint', [to, 5n])
      await sendForeign(kit.rpc, { to: kit.devnet.addresses.USDC, data })
    }
    await kit.rpc.call('anvil_mine', ['0x3'])

    const receivers = (final: boolean) =>
      kit.events.flatMap(({ type, data }) =>
        type === 'chain.event.USDC.Transfer.v1' && data.final === final ? [(data.args as { to: string }).to] : [],
      )
    await until('it is final', () => receivers(true).includes(watched))
    assert.deepEqual([receivers(false).includes(watched), [...receivers(false), ...receivers(true)].includes(stranger)], [true, false])
  })
})
