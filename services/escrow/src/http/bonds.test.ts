import assert from 'node:assert/strict'
import { newHash } from '@carapace/testing'
import { bondLogsIn } from '../testing/bond-logs.ts'
import { bondsIn } from '../testing/bonds.ts'
import { contracts, formerBond, type Harness, newAgent, startHarness, until, usdc } from '../testing/harness.ts'

describe('GET /api/bond/:agentId/status', () => {
  const harness = {} as Harness
  const { status } = bondsIn(harness)
  before(() => startHarness({}, harness, true))
  after(() => harness.close())

  it('names the Bond that has the stake, or that of the next deposit', async () => {
    const [staked, none] = [await newAgent(harness), await newAgent(harness)]
    const args = { agent: staked.wallet, from: staked.wallet, amount: String(usdc(20)) }
    const log = { contract: 'Bond', event: 'BondDeposited' as const, args, address: formerBond, logIndex: 4, logPosition: 2 }
    const { include } = bondLogsIn(harness)
    await include({ log, from: staked.wallet, txHash: newHash(), blockHash: newHash(), blockNumber: 7 })
    await until('it is staked', async () => (await status(staked)).availableBond === 20)

    const shown = await Promise.all([status(staked), status(none)])

    assert.deepEqual(
      shown.map(({ contract, contractUrl }) => [contract, contractUrl]),
      [
        [formerBond, null],
        [contracts.bond, null],
      ],
    )
  })
})
