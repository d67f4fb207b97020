import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { jobIdOfKey, jobIdTopic, onChainKey } from '@carapace/chain'
import { newHash, until } from '@carapace/testing'
import { account } from '../ledger/accounts.ts'
import { treasuryLedger } from '../ledger/ledger.ts'
import { balance, call, fundedAgent } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { contracts, publishTransfer, usdc } from '../testing/token.ts'

const chain = 'BASE_SEPOLIA'

describe('the refund of a commerce job into a treasury', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  afterEach(() => assertHealthy(harness))
  after(() => harness.close())

  /** The contract pays 6 USDC back for the job that has this number, and this key. */
  const refund = async (onChainJobId: string, key: string) => {
    const agent = await fundedAgent(harness, 0n)
    const [txHash, amount] = [newHash(), usdc(6)]
    harness.jobKeys.set(onChainJobId, key)
    const args = { jobId: onChainJobId, client: agent.address, amount: String(amount) }
    harness.transactions.set(txHash, [{ contract: 'Commerce', event: 'Refunded', args, address: contracts.commerce, logIndex: 0 }])
    harness.balances.set(`${chain}/${agent.address}`, amount)
    const paid = { from: contracts.commerce, to: agent.address, amount, txHash, logIndex: 1 }
    await publishTransfer(harness, paid)
    await until('it is credited', async () => (await balance(harness, agent)).balance === Number(amount))
    return { ...agent, paid }
  }
  const clearing = (jobId: string) =>
    treasuryLedger(harness.platform.service('treasury').platform.db).balance(chain, account.clearing(`job.settle:${jobId}`))

  it('is booked under the id that is in its key, not under its number', async () => {
    const jobId = randomUUID()

    const agent = await refund('7', onChainKey(jobId))

    assert.deepEqual([await clearing(jobId), await clearing('7')], [usdc(-6), 0n])
    const { transactions } = (await call(harness, agent, 'GET', 'history')).body
    assert.deepEqual([transactions[0].description, transactions[0].amount], ['Refund', 6_000_000])
  })

  it('is booked under the id that commerce gives to a job which somebody made on the contract itself', async () => {
    const key = jobIdTopic(8n)

    await refund('8', key)

    assert.equal(await clearing(jobIdOfKey(chain, key)), usdc(-6))
  })

  it('is booked under the job that has its number after a reorganisation, whose block reports the same transfer', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    const { paid, ...agent } = await refund('9', onChainKey(first))

    harness.jobKeys.set('9', onChainKey(second))
    await publishTransfer(harness, { ...paid, blockHash: newHash() })

    await until('it is booked under the second', async () => (await clearing(second)) === usdc(-6))
    assert.deepEqual([await clearing(first), (await balance(harness, agent)).balance], [0n, 6_000_000])
  })
})
