import assert from 'node:assert/strict'
import { type ChainLog, chainEvent, chainEventRemoved } from '@carapace/api'
import { newHash, type TestAgent } from '@carapace/testing'
import { assertHealthy } from '../../testing/assert-healthy.ts'
import { contracts, type Harness, newAgent, startHarness, until, usdc } from '../../testing/harness.ts'

/** Stake that agents move on the contract by themselves, when the chain drops blocks. */
describe('direct deposits and withdrawals of stake', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

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
    return { contract: 'Bond', event, args, address: contracts.bond, logIndex, ...(logPosition === undefined ? {} : { logPosition }) }
  }
  const announced = (seen: Seen) => {
    const { txHash, blockHash, blockNumber, logIndex } = seen
    const logId = `BASE_SEPOLIA:${blockHash}:${logIndex}`
    return { logId, network: 'BASE_SEPOLIA' as const, ...logOf(seen), txHash, blockNumber, blockHash, blockTime: 1 }
  }
  const mine = (seen: Seen) =>
    harness.transactions.set(seen.txHash, { from: seen.agent.wallet, logs: [logOf(seen)], final: true, blockHash: seen.blockHash })
  const drop = (seen: Seen) => harness.transactions.delete(seen.txHash)
  const announceFinal = (seen: Seen) => harness.platform.publish(chainEvent('Bond', seen.event).of({ ...announced(seen), final: true }))
  const announceDropped = (seen: Seen) => harness.platform.publish(chainEventRemoved.of(announced(seen)))
  const include = async (seen: Seen) => {
    mine(seen)
    await announceFinal(seen)
  }
  const freeOf = async ({ id }: TestAgent) => (await harness.platform.call('GET', `/api/bond/${id}/status`)).body.availableBond
  const has = (agent: TestAgent, amount: number) => until(`${amount} staked`, async () => (await freeOf(agent)) === amount)
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
    const { body } = await harness.platform.call('GET', `/api/agents/${agent.id}/bond/history`)
    const rows = body.events.map(({ eventType, amount }: { eventType: string; amount: number }) => `${eventType} ${amount}`)
    assert.deepEqual(rows.toSorted(), ['DEPOSIT 1000', 'WITHDRAW 1000'])
    await assertHealthy(harness)
  })
})
