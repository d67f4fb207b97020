import assert from 'node:assert/strict'
import { contractInterface } from '@carapace/chain'
import { until } from '@carapace/testing'
import { faultyKitPerTest } from '../testing/kit-per-test.ts'
import { countableKinds, fundTokens, sendForeign } from '../testing/workload.ts'

const transfers = 3

describe('contract events of a node that gives less than the chain has', function () {
  this.timeout(120_000)
  const { kit, door } = faultyKitPerTest(3)
  let to: string

  beforeEach(async () => {
    await fundTokens(kit.rpc, kit.devnet.addresses)
    to = (await (await kit.custody()).walletOf('treasury')).address
  })

  /** Transfers from outside that the next lane finds below its first head, each so many blocks apart. */
  async function transfersApart(blocks: number) {
    const former = await kit.start({ commandOf: countableKinds })
    await former.close()
    for (let index = 0; index < transfers; index++) {
      const data = contractInterface('USDC').encodeFunctionData('mint', [to, 1n + BigInt(index)])
      await sendForeign(kit.rpc, { to: kit.devnet.addresses.USDC, data })
      for (let mined = 0; mined < blocks; mined += 50) await kit.rpc.call('anvil_mine', ['0x32'])
    }
  }
  /** Does not wait: with such a node a lane may not get through its setup. */
  const lead = (real = false) => kit.start({ rpcUrl: door.url, commandOf: countableKinds, finality: 2, real, standby: true })
  const values = () =>
    kit.events.flatMap(({ type, data }) => {
      const args = data.args as { to: string; value: string }
      return type === 'chain.event.USDC.Transfer.v1' && args.to === to && data.final ? [args.value] : []
    })
  const areAllPublished = () => until('all are published', () => new Set(values()).size === transfers, 30)

  for (const [where, blocks] of [
    ['in blocks that are skipped', 400],
    ['in blocks that are followed', 50],
  ] as const)
    for (const noBlockReceipts of [false, true]) {
      const title = `${where}${noBlockReceipts ? ', without receipts of whole blocks,' : ''}`

      it(`${title} are published once it shows the logs`, async () => {
        await transfersApart(blocks)
        Object.assign(door.faults, { noBlockReceipts, hideLogs: 1 })
        const lane = await lead()
        await until('the lane waits', () => lane.current()?.contradiction !== undefined)
        assert.deepEqual(values(), [])

        Object.assign(door.faults, { hideLogs: 0 })

        await areAllPublished()
        await until('the lane continues', () => lane.current()?.contradiction === undefined)
      })

      it(`${title} are published on a real network that fills headers in its own way`, async () => {
        await transfersApart(blocks)
        Object.assign(door.faults, { noBlockReceipts, plainHeaders: true })
        const lane = await lead(true)

        await areAllPublished()
        assert.ok(lane.current()?.unchecked.has('logsBloom'))
      })
    }
})
