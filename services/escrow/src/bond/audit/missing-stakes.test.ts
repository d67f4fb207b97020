import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { doctorChecks, newHash, type TestAgent } from '@carapace/testing'
import { bondLogsIn } from '../../testing/bond-logs.ts'
import { bondsIn } from '../../testing/bonds.ts'
import { contracts, type Harness, startHarness, until, usdc } from '../../testing/harness.ts'

const minutes = (count: number) => count * 60
/** In which the harness confirms commands, and one in which nothing of ours was made yet. */
const [finalBlock, earlierBlock] = [9, 4]

describe('the check of the stake of each bond', () => {
  const harness = {} as Harness
  const { bonded, call, status } = bondsIn(harness)
  beforeEach(() => startHarness({}, harness))
  afterEach(() => harness.close())

  const chainHas = (agent: TestAgent, amount: number) => harness.stakes.set(`${contracts.bond}/${agent.wallet}`, usdc(amount))
  const bondedOnChain = async (amount: number) => {
    const agent = await bonded(amount)
    chainHas(agent, amount)
    return agent
  }
  const faults = async () => (await doctorChecks(harness.platform, 'escrow')).find(({ name }) => name === 'stakes')!.detail
  const missing = ({ id }: TestAgent, counted: number, held: number) =>
    `BASE_SEPOLIA: bond ${id} counts ${usdc(counted)}, its contract has ${usdc(held)} of it`
  const withdraw = (agent: TestAgent, amount: number) => call(`/api/bond/${agent.id}/withdraw`, { amount }, agent.headers)

  it('names the one that counts too much where another one counts too little, until both are right', async () => {
    const [tooLow, tooHigh] = [await bondedOnChain(100), await bondedOnChain(100)]
    assert.deepEqual(await faults(), [])
    chainHas(tooLow, 200)
    chainHas(tooHigh, 0)

    await faults()
    await harness.platform.advance(minutes(3))
    assert.deepEqual(await faults(), [missing(tooHigh, 100, 0)])

    chainHas(tooHigh, 100)
    assert.deepEqual(await faults(), [])
  })

  it('names none that waits for the outcome of a command, or whose command is not final', async () => {
    const [waiting, confirmed] = [await bondedOnChain(100), await bonded(50)]
    harness.chain = () => 'wait'
    const withdrawn = withdraw(waiting, 30)
    const command = await until('it is requested', async () => harness.commands.find(({ kind }) => kind === 'bond.withdraw'))
    chainHas(waiting, 0)
    harness.blockNumber = earlierBlock

    await faults()
    await harness.platform.advance(minutes(3))
    assert.deepEqual(await faults(), [])

    harness.blockNumber = finalBlock
    await faults()
    await harness.platform.advance(minutes(3))
    assert.deepEqual(await faults(), [missing(confirmed, 50, 0)])
    await harness.outcome(command, 'confirm')
    assert.equal((await withdrawn).status, 200)
  })

  it('names none whose owner withdraws on the contract itself, before and after that is followed', async () => {
    const agent = await bondedOnChain(100)
    for (const left of [60, 20]) {
      chainHas(agent, left)
      assert.deepEqual(await faults(), [])
      const args = { agent: agent.wallet, to: agent.wallet, amount: String(usdc(40)) }
      const log = { contract: 'Bond', event: 'BondWithdrawn' as const, args, address: contracts.bond, logIndex: 4, logPosition: 2 }
      const { include } = bondLogsIn(harness)
      await include({ log, from: agent.wallet, txHash: newHash(), blockHash: newHash(), blockNumber: left })
      await until('it is followed', async () => (await status(agent)).availableBond === left)
      await harness.platform.advance(minutes(3))
    }

    assert.deepEqual(await faults(), [])
  })

  it('reads no more of the chain where there are many times as many bonds', async () => {
    const agent = await bondedOnChain(100)
    const bonds = harness.platform.service('escrow').platform.db.connection.collection<{ _id: string }>('bonds')
    let accounts = 0
    harness.stakes = Object.assign(new Map<string, bigint>(), {
      get: () => {
        accounts++
        return usdc(100)
      },
    })
    const row = (await bonds.findOne({ _id: agent.id }))!
    const readWith = async (more: number) => {
      await bonds.insertMany(Array.from({ length: more }, () => ({ ...row, _id: randomUUID(), updatedAt: new Date(0) })))
      accounts = 0
      assert.deepEqual(await faults(), [])
      return accounts
    }

    const few = await readWith(300)
    assert.ok(few > 0)
    assert.equal(await readWith(3_000), few)
  })
})
