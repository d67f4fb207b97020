import assert from 'node:assert/strict'
import { type Player, until } from '@carapace/testing'
import { id, Transaction } from 'ethers'
import { platformAroundTests } from '../../testing/around-tests.ts'
import { actOnJob, commerceJobIs, commerceJobOf, newCommerceJob } from '../../testing/commerce-job.ts'
import { untilHealthy } from '../../testing/health.ts'
import { micro } from '../../testing/job.ts'
import { depthOf, pauserOf, reversibleBlocks, signedCall } from '../../testing/reorganise.ts'

const chain = 'BASE_SEPOLIA'
const jobFunded = id('JobFunded(bytes32,address)')

describe('two equal jobs of one client whose numbers a reorganisation swaps', function () {
  this.timeout(300_000)
  const platform = platformAroundTests(reversibleBlocks)

  const network = () => platform.networks[chain]
  const job = (jobId: string) => commerceJobOf(platform, jobId)
  const fund = ({ jobId, poster }: { jobId: string; poster: { wallet: { address: string } } }) =>
    actOnJob(platform, jobId, '/fund', {}, { 'x-wallet-address': poster.wallet.address })

  /** The same transactions in one new block, but for one that a pause of the contract makes fail. */
  const reverseWithFailureOf = async (failing: string, pauser: Pick<Player, 'wallet'>) => {
    const { provider, contracts } = network()
    const nonce = await provider.getTransactionCount(pauser.wallet.address)
    const pause = await signedCall(platform, chain, pauser, contracts.commerce, 'pause', [], nonce)
    const unpause = await signedCall(platform, chain, pauser, contracts.commerce, 'unpause', [], nonce + 1)
    const { blockNumber } = (await provider.getTransactionReceipt(failing))!
    const latest = await provider.getBlockNumber()
    const included: unknown[] = []
    for (let number = blockNumber; number <= latest; number++) {
      const block = (await provider.getBlock(number, true))!
      for (const transaction of block.prefetchedTransactions) {
        const raw = Transaction.from(transaction).serialized
        included.push(...(transaction.hash === failing ? [pause, raw, unpause] : [raw]))
      }
    }
    await provider.send('anvil_reorg', [await depthOf(provider, blockNumber), included.map(transaction => [transaction, 0])])
  }
  const fundedOnChain = async (): Promise<bigint[]> => {
    const { provider, contracts } = network()
    const logs = await provider.getLogs({ address: contracts.commerce, topics: [jobFunded], fromBlock: 0 })
    return logs.map(({ topics }) => BigInt(topics[1]!))
  }

  it('has the one funded that was meant', async () => {
    const pauser = await pauserOf(platform, chain)
    const first = await newCommerceJob(platform)
    const second = await newCommerceJob(platform, first)
    await fund(first)
    await commerceJobIs(platform, first.jobId, 'funded')
    const { txHashCreated, onChainJobId } = await job(first.jobId)
    const { onChainJobId: next } = await job(second.jobId)

    await reverseWithFailureOf(txHashCreated, pauser)

    await until(
      'they have swapped their numbers',
      async () => {
        const numbers = [(await job(first.jobId)).onChainJobId, (await job(second.jobId)).onChainJobId]
        return String(numbers) === `${next},${onChainJobId}`
      },
      60,
    )
    await until('the first is funded', async () => (await fundedOnChain()).includes(BigInt(next)), 60)
    await commerceJobIs(platform, first.jobId, 'funded', 60)
    assert.deepEqual([await fundedOnChain(), (await job(second.jobId)).status], [[BigInt(next)], 'open'])
    assert.equal(await platform.usdcOf(chain, first.poster.wallet.address), first.before.poster - micro(first.budget))
    await untilHealthy(platform, 60)
  })
})
