import assert from 'node:assert/strict'
import { contractInterface } from '@carapace/chain'
import { until } from '@carapace/testing'
import { type Kit, startKit } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, fundTokens, makeWork, sendForeign } from '../testing/workload.ts'

describe('a lane that was away for many blocks', function () {
  this.timeout(60_000)
  let kit: Kit
  before(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses)
  })
  after(() => kit.close())

  it('tells each event of the blocks it leaps over once, as final, and finds its own transactions in them', async () => {
    const { address } = await (await kit.custody()).walletOf('treasury')
    const gone = await kit.start({ commandOf: countableKinds })
    await gone.close()
    const work = makeWork(10)
    const sent = kit.send(...work.map(one => one.draft))
    const abi = contractInterface('USDC')
    const gifts = 5
    for (let gift = 0; gift < gifts; gift++) {
      const data = abi.encodeFunctionData('mint', [address, 1n + BigInt(gift)])
      await sendForeign(kit.rpc, { to: kit.devnet.addresses.USDC, data })
      for (let pages = 0; pages < 5; pages++) await kit.rpc.call('anvil_mine', ['0x32'])
    }

    await kit.start({ commandOf: countableKinds })

    await sent
    const told = () => kit.events.filter(({ type, data }) => type === 'chain.event.USDC.Transfer.v1' && (data.args as { to: string }).to === address)
    await until('all are told', () => told().filter(event => event.data.final).length >= gifts)
    await allOver(kit, work)
    await assertExactlyOnce(kit, work, gifts)
    const ids = told().map(event => event.id)
    assert.equal(ids.length, new Set(ids).size)
    const values = told().flatMap(({ data }) => (data.final ? [(data.args as { value: string }).value] : []))
    assert.deepEqual(values.sort(), ['1', '2', '3', '4', '5'])
    for (const { data } of told()) {
      const { logs } = (await kit.rpc.call('eth_getTransactionReceipt', [data.txHash])) as { logs: { logIndex: string }[] }
      assert.equal(Number(logs[Number(data.logPosition)]?.logIndex), data.logIndex)
    }
  })
})
