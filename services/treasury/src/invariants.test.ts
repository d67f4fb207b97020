import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { countedReads } from '@carapace/testing'
import { checks } from './invariants.ts'
import { account } from './ledger/accounts.ts'
import { type Parts, stores } from './parts.ts'
import { fundedAgent } from './testing/agents.ts'
import { type Harness, startHarness } from './testing/harness.ts'

const chain = 'BASE_SEPOLIA'

describe('the checks of the books of the treasury', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
    await fundedAgent(harness, 5_000_000n)
  })
  after(() => harness.close())

  const platform = () => harness.platform.service('treasury').platform
  type Row = { _id: string; balance?: bigint }
  const collection = (name: string) => platform().db.connection.collection<Row>(name)

  /** So many wallets with money in them, and reads that were sold before. */
  const grow = async (count: number) => {
    const { _id, ...wallet } = (await collection('wallets').findOne({}))!
    const agents = Array.from({ length: count }, () => `-${randomUUID()}`)
    const times = { createdAt: new Date(0), updatedAt: new Date(0), version: 1 }
    await collection('wallets').insertMany(agents.map(agentId => ({ ...wallet, ...times, _id: agentId, agentId, address: agentId })))
    const balances = agents.map(agentId => ({ account: account.available(agentId), chain, balance: 5n }))
    await collection('ledger_accounts').insertMany(balances.map(row => ({ ...row, _id: `${chain}/${row.account}` })))
    const sold = {
      ...times,
      scheme: 'v2',
      state: 'served',
      route: 'GET /x',
      amount: 1n,
      payTo: '0x1',
      agentId: null,
      buyer: 'b',
      payer: '0x2',
      chain,
    }
    await collection('x402_payments').insertMany(
      agents.map(id => ({ ...sold, _id: id, nonce: id, onChain: { txHash: `0x${'ab'.repeat(32)}` }, settledAt: null })),
    )
    const income = { _id: `${chain}/${account.x402Income}` }
    await collection('ledger_accounts').updateOne(
      income,
      { $inc: { balance: BigInt(count) }, $set: { chain, account: account.x402Income } as never },
      { upsert: true },
    )
    await collection('sums').deleteMany({ _id: { $gt: 'x402_payments/', $lt: 'x402_payments0' } })
  }

  it('read as much in a minute where there are ten times as many wallets and payments', async function () {
    this.timeout(60_000)
    const measured = async () => {
      const { db, reads } = countedReads(platform().db)
      const parts = { ...platform(), db, ...stores({ ...platform(), db }) } as Parts
      const found: Record<string, unknown> = {}
      for (const name of ['reserved', 'debts', 'payments', 'clearing', 'x402', 'stuck']) {
        await checks[name]!(parts, 'news')
        Object.assign(reads, { operations: 0, documents: 0 })
        const faults = await checks[name]!(parts, 'news')
        found[name] = [reads.operations, reads.documents, faults.filter(fault => !fault.startsWith('x402 payment'))]
      }
      return found
    }
    await grow(250)
    const few = await measured()
    await grow(2_250)

    assert.deepEqual(await measured(), few)
  })
})
