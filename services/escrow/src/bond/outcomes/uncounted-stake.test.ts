import assert from 'node:assert/strict'
import { newHash, type TestAgent } from '@carapace/testing'
import { assertHealthy } from '../../testing/assert-healthy.ts'
import { bondLogsIn } from '../../testing/bond-logs.ts'
import { bondsIn } from '../../testing/bonds.ts'
import { contracts, formerBond, type Harness, newAgent, startHarness, until, usdc } from '../../testing/harness.ts'

describe('stake on a new Bond that the bond does not count', () => {
  const harness = {} as Harness
  const { deposit, status, rich } = bondsIn(harness)
  const { include } = bondLogsIn(harness)
  let blockNumber = 100
  before(() => startHarness({}, harness, true))
  after(() => harness.close())

  const becomesFinal = (
    event: 'BondDeposited' | 'BondWithdrawn',
    { wallet }: TestAgent,
    amount: number,
    address: string,
    inBlock = ++blockNumber,
  ) => {
    const args = { agent: wallet, from: wallet, to: wallet, amount: String(usdc(amount)) }
    const log = { contract: 'Bond', event, args, address, logIndex: 4, logPosition: 2 }
    return include({ log, from: wallet, txHash: newHash(), blockHash: newHash(), blockNumber: inBlock })
  }
  const has = (agent: TestAgent, amount: number) => until(`${amount} staked`, async () => (await status(agent)).availableBond === amount)
  const chainHas = (agent: TestAgent, amount: number) => harness.stakes.set(`${contracts.bond}/${agent.wallet}`, usdc(amount))
  /** Its bond was on the former Bond and is empty; meanwhile it deposited 15 on the new one, which do not count. */
  const movingAgent = async () => {
    const agent = await rich()
    await becomesFinal('BondDeposited', agent, 20, formerBond)
    await has(agent, 20)
    chainHas(agent, 15)
    await becomesFinal('BondDeposited', agent, 15, contracts.bond)
    await becomesFinal('BondWithdrawn', agent, 20, formerBond)
    await has(agent, 0)
    await harness.platform.advance(86_401)
    return agent
  }

  it('is to be withdrawn before a deposit, and its withdrawal reduces no such deposit, however late it becomes final', async () => {
    const agent = await movingAgent()
    const refused = await deposit(agent, 100)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.code, 'INVALID_STATE')
    assert.notEqual(refused.body.retryable, true)

    // mined, not final
    const withdrawnIn = ++blockNumber
    harness.blockNumber = withdrawnIn
    chainHas(agent, 0)
    assert.equal((await deposit(agent, 100)).status, 200)
    await has(agent, 100)
    await becomesFinal('BondWithdrawn', agent, 15, contracts.bond, withdrawnIn)
    await becomesFinal('BondWithdrawn', agent, 40, contracts.bond)

    await has(agent, 60)
    await assertHealthy(harness)
  })

  it('ends the bond when it is withdrawn together with what counts', async () => {
    const agent = await movingAgent()
    chainHas(agent, 1015)
    await becomesFinal('BondDeposited', agent, 1000, contracts.bond)
    await has(agent, 1000)

    harness.blockNumber = blockNumber + 1
    chainHas(agent, 0)
    await becomesFinal('BondWithdrawn', agent, 1015, contracts.bond)

    await has(agent, 0)
    assert.equal((await status(agent)).bondTier, 'UNBONDED')
    await assertHealthy(harness)
  })

  it('leaves none whose deposit is followed after its withdrawal', async () => {
    const agent = await newAgent(harness)
    chainHas(agent, 30)
    await becomesFinal('BondDeposited', agent, 30, contracts.bond)
    await has(agent, 30)
    const [depositedIn, withdrawnIn] = [++blockNumber, ++blockNumber]
    harness.blockNumber = withdrawnIn
    chainHas(agent, 0)

    await becomesFinal('BondWithdrawn', agent, 130, contracts.bond, withdrawnIn)
    await has(agent, 0)
    await becomesFinal('BondDeposited', agent, 100, contracts.bond, depositedIn)
    await becomesFinal('BondDeposited', agent, 25, contracts.bond)

    await has(agent, 25)
    await assertHealthy(harness)
  })

  it('waits until the effects of commands are final before the total of the contract counts', async () => {
    const agent = await rich()
    harness.blockNumber = 0
    assert.equal((await deposit(agent, 50)).status, 200)
    const bonds = harness.platform.service('escrow').platform.db.connection.collection('bonds')
    const depositedIn = (await bonds.findOne({ wallet: agent.wallet }))!.done[0].move.onChain.blockNumber
    harness.blockNumber = depositedIn - 1
    await becomesFinal('BondWithdrawn', agent, 60, contracts.bond, depositedIn - 1)
    // handled after it
    const other = await newAgent(harness)
    chainHas(other, 30)
    await becomesFinal('BondDeposited', other, 30, contracts.bond)
    await has(other, 30)
    assert.equal((await status(agent)).availableBond, 50)

    harness.blockNumber = depositedIn
    chainHas(agent, 7)

    await has(agent, 7)
    await assertHealthy(harness)
  })
})
