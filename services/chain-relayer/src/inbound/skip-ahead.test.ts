import assert from 'node:assert/strict'
import { contractInterface } from '@carapace/chain'
import { until } from '@carapace/testing'
import { type Kit, startKit } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, fundTokens, makeWork, sendForeign } from '../testing/workload.ts'

describe('a lane that was away for many blocks', function () {
  this.timeout(120_000)
  let kit: Kit
  before(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses)
  })
  after(() => kit.close())

  it('publishes each event of the blocks it skips once, as final, and finds its own transactions in them', async () => {
    const { address } = await (await kit.custody()).walletOf('treasury')
    const former = await kit.start({ commandOf: countableKinds })
    await former.close()
    const work = makeWork(10)
    const sent = kit.send(...work.map(one => one.draft))
    const abi = contractInterface('USDC')
    const transfers = 5
    for (let transfer = 0; transfer < transfers; transfer++) {
      const data = abi.encodeFunctionData('mint', [address, 1n + BigInt(transfer)])
      await sendForeign(kit.rpc, { to: kit.devnet.addresses.USDC, data })
      for (let pages = 0; pages < 5; pages++) await kit.rpc.call('anvil_mine', ['0x32'])
    }

    await kit.start({ commandOf: countableKinds })

    await sent
    const announced = () =>
      kit.events.filter(({ type, data }) => type === 'chain.event.USDC.Transfer.v1' && (data.args as { to: string }).to === address)
    await until('all are announced', () => announced().filter(event => event.data.final).length >= transfers)
    await allOver(kit, work)
    await assertExactlyOnce(kit, work, transfers)
    const ids = announced().map(event => event.id)
    assert.equal(ids.length, new Set(ids).size)
    const values = announced().flatMap(({ data }) => (data.final ? [(data.args as { value: string }).value] : []))
    assert.deepEqual(values.sort(), ['1', '2', '3', '4', '5'])
    for (const { data } of announced()) {
      const { logs } = (await kit.rpc.call('eth_getTransactionReceipt', [data.txHash])) as { logs: { logIndex: string }[] }
      assert.equal(Number(logs[Number(data.logPosition)]?.logIndex), data.logIndex)
    }
  })
})
