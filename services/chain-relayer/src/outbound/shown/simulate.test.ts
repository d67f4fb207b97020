import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { commands, contractInterface } from '@carapace/chain'
import { until } from '@carapace/testing'
import type { Lane } from '../../lane/lane.ts'
import { wallet } from '../../testing/kit.ts'
import { kitPerTest } from '../../testing/kit-per-test.ts'

const chain = 'BASE_SEPOLIA'
const signedTransfers = contractInterface('USDC')
  .fragments.filter(fragment => 'name' in fragment && fragment.name === 'transferWithAuthorization')
  .map(fragment => ('selector' in fragment ? String(fragment.selector).slice(2) : ''))

describe('a payment of an empty custodial wallet', function () {
  this.timeout(120_000)
  const kit = kitPerTest()

  it('fails before its node was shown anything that somebody else could submit later', async () => {
    const lane: Lane = (await kit.start({ finality: 2 })).current()!
    const requests: string[] = []
    const { batch } = lane.rpc
    Object.assign(lane.rpc, {
      batch: (calls: Parameters<typeof batch>[0], timeoutMs: number) => {
        requests.push(JSON.stringify(calls))
        return batch.call(lane.rpc, calls, timeoutMs)
      },
    })
    const { address: from } = await (await kit.custody()).walletOf(randomUUID())
    const deadline = new Date(Date.now() + 900_000)
    const draft = commands.treasuryPay({ paymentId: randomUUID(), from, to: wallet(), amount: 5_000_000n, chain, deadline })

    await kit.send(draft)

    await until('failed', () => kit.of(draft.subject, 'failed').find(({ data }) => data.terminal), 30)
    assert.ok(signedTransfers.length > 0)
    assert.ok(requests.some(text => text.includes(from.toLowerCase().slice(2)) || text.includes(from)))
    for (const selector of signedTransfers) assert.ok(!requests.some(text => text.includes(`0x${selector}`)), 'a signed transfer was shown')
    assert.equal(await kit.db.txs.countDocuments({ 'ops.opKey': draft.subject, nonce: { $ne: null } }), 0)
  })
})
