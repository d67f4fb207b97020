import assert from 'node:assert/strict'
import { newHash, type TestAgent } from '@carapace/testing'
import { assertHealthy } from '../../testing/assert-healthy.ts'
import { bondLogsIn, type SeenLog } from '../../testing/bond-logs.ts'
import { bondsIn } from '../../testing/bonds.ts'
import { contracts, newAgent, until, usdc } from '../../testing/harness.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

/** Stake that agents move on the contract by themselves, when the chain drops blocks. */
describe('direct deposits and withdrawals of stake', () => {
  const harness = sharedHarness()
  const { status, history } = bondsIn(harness)
  const logs = bondLogsIn(harness)

  interface Seen {
    event: 'BondDeposited' | 'BondWithdrawn'
    agent: TestAgent
    amount: number
    txHash: string
    blockHash: string
    blockNumber: number
    logIndex: number
    logPosition?: number
  }
  const logOf = ({ event, agent: { wallet }, amount, logIndex, logPosition, ...place }: Seen): SeenLog => {
    const args = { agent: wallet, from: wallet, to: wallet, amount: String(usdc(amount)) }
    const log = { contract: 'Bond', event, args, address: contracts.bond, logIndex, ...(logPosition === undefined ? {} : { logPosition }) }
    return { log, from: wallet, ...place }
  }
  const drop = (seen: Seen) => logs.drop(logOf(seen))
  const announceDropped = (seen: Seen) => logs.announceDropped(logOf(seen))
  const include = (seen: Seen) => logs.include(logOf(seen))
  const has = (agent: TestAgent, amount: number) => until(`${amount} staked`, async () => (await status(agent)).availableBond === amount)
  const deposit = (agent: TestAgent, amount: number, more: Partial<Seen> = {}): Seen => {
    const place = { txHash: newHash(), blockHash: newHash(), blockNumber: 5, logIndex: 4, logPosition: 2 }
    return { event: 'BondDeposited', agent, amount, ...place, ...more }
  }
  const elsewhere = (seen: Seen): Seen => ({ ...seen, blockHash: newHash(), blockNumber: seen.blockNumber + 1, logIndex: seen.logIndex + 5 })
  /** Something published later has been handled: what was published before has been, too. */
  const marker = async (agent: TestAgent, expected: number) => {
    await include(deposit(agent, 1))
    await has(agent, expected + 1)
  }

  it('counts once in any block, is reversed when its block is dropped, and counts again when it is included again', async () => {
    const agent = await newAgent(harness)
    const first = deposit(agent, 30)
    await include(first)
    await has(agent, 30)

    const second = elsewhere(first)
    await include(second)
    await announceDropped(first)
    await marker(agent, 30)

    drop(first)
    await announceDropped(second)
    await has(agent, 1)
    const third = elsewhere(second)
    for (let n = 0; n < 2; n++) await include(third)
    await has(agent, 31)
    await marker(agent, 31)
    await assertHealthy(harness)
  })

  it('uses the new content of the same log', async () => {
    const agent = await newAgent(harness)
    const first = deposit(agent, 30)
    await include(first)
    await has(agent, 30)

    await include({ ...elsewhere(first), amount: 12 })
    await announceDropped(first)

    await has(agent, 12)
    await marker(agent, 12)
    await assertHealthy(harness)
  })

  it('restores what was withdrawn in a dropped block', async () => {
    const agent = await newAgent(harness)
    await include(deposit(agent, 30))
    await has(agent, 30)
    const withdrawn: Seen = { ...deposit(agent, 10), event: 'BondWithdrawn' }
    await include(withdrawn)
    await has(agent, 20)

    drop(withdrawn)
    await announceDropped(withdrawn)

    await has(agent, 30)
    await assertHealthy(harness)
  })

  it('knows what was booked by its place in the block', async () => {
    const agent = await newAgent(harness)
    const { logPosition: _, ...old } = deposit(agent, 30)
    await include(old)
    await has(agent, 30)

    await include({ ...elsewhere(old), logPosition: 2 })
    await marker(agent, 30)

    drop(old)
    await announceDropped({ ...old, logPosition: 2 })
    await has(agent, 1)
    assert.equal((await harness.platform.call('GET', `/api/agents/${agent.id}/bond/history`)).body.total, 3)
    await assertHealthy(harness)
  })

  it('leaves no stake that the contract has not, when what was deposited before the registration is withdrawn with it', async () => {
    const agent = await newAgent(harness)
    await include(deposit(agent, 1000))
    await has(agent, 1000)

    await include({ ...deposit(agent, 1010), event: 'BondWithdrawn' })

    await has(agent, 0)
    assert.deepEqual((await history(agent)).toSorted(), [
      ['DEPOSIT', 1000],
      ['WITHDRAW', 1000],
    ])
    await assertHealthy(harness)
  })
})
