import assert from 'node:assert/strict'
import { type ChainLog, chainEvent, chainEventRemoved } from '@carapace/api'
import { newHash, type TestAgent } from '@carapace/testing'
import { assertWell } from '../testing/well.ts'
import { contracts, newAgent, startWorld, until, usdc, type World } from '../testing/world.ts'

/** Stake that agents move on the contract by themselves, when the chain takes blocks back. */
describe('direct deposits and withdrawals of stake', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.close())

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
  const logOf = ({ event, agent: { wallet }, amount, logIndex, logPosition }: Seen): ChainLog => {
    const args = { agent: wallet, from: wallet, to: wallet, amount: String(usdc(amount)) }
    return { contract: 'Bond', event, args, address: contracts.escrow, logIndex, ...(logPosition === undefined ? {} : { logPosition }) }
  }
  const announced = (seen: Seen) => {
    const { txHash, blockHash, blockNumber, logIndex } = seen
    const logId = `BASE_SEPOLIA:${blockHash}:${logIndex}`
    return { logId, network: 'BASE_SEPOLIA' as const, ...logOf(seen), txHash, blockNumber, blockHash, blockTime: 1 }
  }
  const mine = (seen: Seen) =>
    world.transactions.set(seen.txHash, { from: seen.agent.wallet, logs: [logOf(seen)], final: true, blockHash: seen.blockHash })
  const drop = (seen: Seen) => world.transactions.delete(seen.txHash)
  const tellFinal = (seen: Seen) => world.platform.publish(chainEvent('Bond', seen.event).of({ ...announced(seen), final: true }))
  const tellGone = (seen: Seen) => world.platform.publish(chainEventRemoved.of(announced(seen)))
  const include = async (seen: Seen) => {
    mine(seen)
    await tellFinal(seen)
  }
  const freeOf = async ({ id }: TestAgent) => (await world.platform.call('GET', `/api/bond/${id}/status`)).body.availableBond
  const has = (agent: TestAgent, amount: number) => until(`${amount} staked`, async () => (await freeOf(agent)) === amount)
  const deposit = (agent: TestAgent, amount: number, more: Partial<Seen> = {}): Seen => {
    const place = { txHash: newHash(), blockHash: newHash(), blockNumber: 5, logIndex: 4, logPosition: 2 }
    return { event: 'BondDeposited', agent, amount, ...place, ...more }
  }
  const elsewhere = (seen: Seen): Seen => ({ ...seen, blockHash: newHash(), blockNumber: seen.blockNumber + 1, logIndex: seen.logIndex + 5 })
  /** Something told later has been followed: whatever was told before has been, too. */
  const marker = async (agent: TestAgent, expected: number) => {
    await include(deposit(agent, 1))
    await has(agent, expected + 1)
  }

  it('counts once in whatever block it is, is undone when it is gone, and counts again when it comes back', async () => {
    const agent = await newAgent(world)
    const first = deposit(agent, 30)
    await include(first)
    await has(agent, 30)

    const second = elsewhere(first)
    await include(second)
    await tellGone(first)
    await marker(agent, 30)

    drop(first)
    await tellGone(second)
    await has(agent, 1)
    const third = elsewhere(second)
    for (let n = 0; n < 2; n++) await include(third)
    await has(agent, 31)
    await marker(agent, 31)
    await assertWell(world)
  })

  it('takes the new content of the same log', async () => {
    const agent = await newAgent(world)
    const first = deposit(agent, 30)
    await include(first)
    await has(agent, 30)

    await include({ ...elsewhere(first), amount: 12 })
    await tellGone(first)

    await has(agent, 12)
    await marker(agent, 12)
    await assertWell(world)
  })

  it('gives back what was withdrawn in a block that is gone', async () => {
    const agent = await newAgent(world)
    await include(deposit(agent, 30))
    await has(agent, 30)
    const taken: Seen = { ...deposit(agent, 10), event: 'BondWithdrawn' }
    await include(taken)
    await has(agent, 20)

    drop(taken)
    await tellGone(taken)

    await has(agent, 30)
    await assertWell(world)
  })

  it('knows what was booked by its place in the block', async () => {
    const agent = await newAgent(world)
    const { logPosition: _, ...old } = deposit(agent, 30)
    await include(old)
    await has(agent, 30)

    await include({ ...elsewhere(old), logPosition: 2 })
    await marker(agent, 30)

    drop(old)
    await tellGone({ ...old, logPosition: 2 })
    await has(agent, 1)
    assert.equal((await world.platform.call('GET', `/api/agents/${agent.id}/bond/history`)).body.total, 3)
    await assertWell(world)
  })
})
