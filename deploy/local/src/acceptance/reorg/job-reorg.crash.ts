import assert from 'node:assert/strict'
import { onChainKey } from '@carapace/chain'
import { daySeconds, type Player, until } from '@carapace/testing'
import { MaxUint256, Wallet, ZeroAddress } from 'ethers'
import { platformAroundTests } from '../../testing/around-tests.ts'
import {
  actOnJob,
  assignedCommerceJob,
  type CommerceJob,
  commerceJobIs,
  commerceJobOf,
  fundedCommerceJob,
  newCommerceJob,
  submittedCommerceJob,
} from '../../testing/commerce-job.ts'
import { untilCleared, untilHealthy } from '../../testing/health.ts'
import { micro } from '../../testing/job.ts'
import { reorganise, reversibleBlocks, signedCall } from '../../testing/reorganise.ts'

const chain = 'BASE_SEPOLIA'

describe('a commerce job of which the chain reverses something', function () {
  this.timeout(300_000)
  const platform = platformAroundTests({ ...reversibleBlocks, validators: true })

  const contracts = () => platform.networks[chain].contracts
  const job = (jobId: string) => commerceJobOf(platform, jobId)
  /** The block of the last step is replaced, with these transactions in the new one. */
  const reverseLastStep = async (jobId: string, transactions: readonly string[] = []) => {
    const { onChain } = await job(jobId)
    await reorganise(platform, chain, onChain.blockNumber, transactions)
    return onChain as { blockNumber: number; txHash: string }
  }
  const isReincluded = (jobId: string, first: { blockNumber: number }) =>
    until('its last step is in another block', async () => {
      const { onChain } = await job(jobId)
      return onChain.status === 'confirmed' && onChain.blockNumber !== first.blockNumber
    })
  const usdcOf = ({ wallet }: Player) => platform.usdcOf(chain, wallet.address)
  const settle = ({ jobId }: CommerceJob, body: object = {}) => actOnJob(platform, jobId, '/settle', body, platform.admin)
  const assertHealthy = () => untilHealthy(platform, 60)
  const receiptOf = async (jobId: string) => platform.call('GET', `/api/commerce/jobs/${jobId}/receipt`)
  /** A client whose treasury has 30 USDC. */
  const newSaver = async () => {
    const poster = await platform.newPlayer({ prefix: 'saver' })
    const { depositAddress } = await platform.post(`/api/agents/${poster.id}/treasury/fund`, {}, poster.headers)
    await platform.faucet(depositAddress, 30, chain)
    const balance = async () => (await platform.call('GET', `/api/agents/${poster.id}/treasury/balance`, { headers: poster.headers })).body.balance
    await until('the deposit is credited', async () => (await balance()) === 30_000_000)
    return { poster, depositAddress, balance }
  }
  const rejected = async (funded: CommerceJob) => {
    const { jobId, worker, poster } = funded
    await actOnJob(platform, jobId, '/apply', { proposal: 'I read fast.' }, worker.headers)
    await actOnJob(platform, jobId, '/accept', { agentId: worker.id }, poster.headers)
    await commerceJobIs(platform, jobId, 'assigned')
    await actOnJob(platform, jobId, '/submit', { deliverableUrl: 'https://example.org/summary' }, worker.headers)
    await commerceJobIs(platform, jobId, 'submitted')
    await settle(funded, { outcome: 'reject' })
    await commerceJobIs(platform, jobId, 'rejected')
  }
  /** A job that somebody else will make on the contract itself, before those of a new block. */
  const jobOfStranger = async () => {
    const stranger = new Wallet(Wallet.createRandom().privateKey)
    await platform.faucet(stranger.address, 1, chain)
    const { timestamp } = (await platform.networks[chain].provider.getBlock('latest'))!
    const terms = [ZeroAddress, stranger.address, timestamp + 30 * daySeconds, 'A job of somebody else', ZeroAddress]
    return { stranger, create: () => signedCall(platform, chain, { wallet: stranger }, contracts().commerce, 'createJob', terms) }
  }
  const hasNextNumber = (jobId: string, first: string) =>
    until('it has another number', async () => (await job(jobId)).onChainJobId === String(Number(first) + 1), 60)
  const earnedBy = async ({ id }: Player): Promise<{ jobId: string; txHash: string }[]> => (await platform.get(`/api/agents/${id}/earnings`)).history

  it('is open again when its funding is lost, and is funded again', async () => {
    const funded = await fundedCommerceJob(platform)
    const { jobId, poster } = funded
    const withdrawn = await signedCall(platform, chain, poster, contracts().usdc, 'approve', [contracts().commerce, 0])

    await reverseLastStep(jobId, [withdrawn])

    const { fundedFrom, onChainStatus } = await commerceJobIs(platform, jobId, 'open')
    assert.deepEqual([fundedFrom, onChainStatus, await usdcOf(poster)], [null, 'Open', funded.before.poster])
    await assertHealthy()

    await platform.approve(poster, chain)
    await actOnJob(platform, jobId, '/fund', {}, { 'x-wallet-address': poster.wallet.address })
    await commerceJobIs(platform, jobId, 'funded')
    await isReincluded(jobId, await reverseLastStep(jobId))
    await commerceJobIs(platform, jobId, 'funded')
    assert.equal(await usdcOf(poster), funded.before.poster - micro(funded.budget))
    await assertHealthy()
  })

  it('has the number that the contract gives it in the end', async () => {
    const { stranger, create } = await jobOfStranger()
    const { jobId, poster } = await newCommerceJob(platform)
    const { onChainJobId } = await job(jobId)

    await reverseLastStep(jobId, [await create()])

    await hasNextNumber(jobId, onChainJobId)
    await until('the other job has its number', async () => {
      const { body } = await platform.call('GET', `/api/erc8183/jobs/${onChainJobId}?chain=${chain}`)
      return body.posterWallet === stranger.address
    })
    await actOnJob(platform, jobId, '/fund', {}, { 'x-wallet-address': poster.wallet.address })
    await commerceJobIs(platform, jobId, 'funded')
    await assertHealthy()
  })

  it('follows an assignment, a delivery and a dispute into other blocks', async () => {
    const assigned = await assignedCommerceJob(platform)
    const { jobId, worker, poster } = assigned
    await isReincluded(jobId, await reverseLastStep(jobId))
    await commerceJobIs(platform, jobId, 'assigned')
    await actOnJob(platform, jobId, '/submit', { deliverableUrl: 'https://example.org/summary' }, worker.headers)
    await commerceJobIs(platform, jobId, 'submitted')
    await isReincluded(jobId, await reverseLastStep(jobId))
    await actOnJob(platform, jobId, '/dispute', { reason: 'half of it is missing' }, poster.headers)
    await commerceJobIs(platform, jobId, 'disputed')
    await isReincluded(jobId, await reverseLastStep(jobId))
    await commerceJobIs(platform, jobId, 'disputed')
    await settle(assigned, { outcome: 'reject' })
    await commerceJobIs(platform, jobId, 'rejected')
    await isReincluded(jobId, await reverseLastStep(jobId))
    await commerceJobIs(platform, jobId, 'rejected')
    assert.equal(await usdcOf(poster), assigned.before.poster)
    await assertHealthy()
  })

  it('is paid once in another block, and the receipt names the payment that exists', async () => {
    const submitted = await submittedCommerceJob(platform)
    const { jobId, worker } = submitted
    await settle(submitted)
    await commerceJobIs(platform, jobId, 'settled')

    await isReincluded(jobId, await reverseLastStep(jobId))

    await commerceJobIs(platform, jobId, 'settled')
    const { body: receipt } = await until('the receipt exists', async () => {
      const answer = await receiptOf(jobId)
      return answer.status === 200 && answer
    })
    const payment = await platform.networks[chain].provider.getTransactionReceipt(receipt.txHashSettled)
    assert.equal(payment?.status, 1)
    assert.equal((await usdcOf(worker)) - submitted.before.worker, micro(receipt.netPaid))
    await until('the earning names it', async () => {
      const earned = await earnedBy(worker)
      return earned.length === 1 && earned[0]?.txHash === receipt.txHashSettled
    })
    await assertHealthy()
  })

  it('gives a refund back to a custodial wallet once', async () => {
    const { poster, depositAddress, balance } = await newSaver()
    const funded = await fundedCommerceJob(platform, { poster })
    const { jobId } = funded
    await isReincluded(jobId, await reverseLastStep(jobId))
    await until('the treasury has paid once', async () => (await balance()) === 10_000_000)
    await rejected(funded)

    await isReincluded(jobId, await reverseLastStep(jobId))

    await until('the refund is credited', async () => (await balance()) === 30_000_000)
    assert.equal(await platform.usdcOf(chain, depositAddress), 30_000_000n)
    await assertHealthy()
  })

  it('has its refund in both ledgers under one name when it gets another number', async () => {
    const { poster, depositAddress, balance } = await newSaver()
    const { create } = await jobOfStranger()
    const funded = await fundedCommerceJob(platform, { poster })
    const { jobId } = funded
    const { onChainJobId, txHashCreated } = await job(jobId)
    const { blockNumber } = (await platform.networks[chain].provider.getTransactionReceipt(txHashCreated))!
    const created = await create()
    await rejected(funded)

    // commerce books in the block of the refund, the treasury two blocks later
    await reorganise(platform, chain, blockNumber, [created])

    await hasNextNumber(jobId, onChainJobId)
    await commerceJobIs(platform, jobId, 'rejected', 60)
    await until('the refund is there again', async () => (await platform.usdcOf(chain, depositAddress)) === 30_000_000n)
    await until('the refund is credited', async () => (await balance()) === 30_000_000)
    await untilCleared(platform)
    await assertHealthy()
  })

  it('is open again when the chain drops what its client paid in on the contract itself', async () => {
    const { jobId, poster, budget } = await newCommerceJob(platform)
    await platform.approve(poster, chain)
    const { provider } = platform.networks[chain]
    const before = await usdcOf(poster)
    const nonce = await provider.getTransactionCount(poster.wallet.address)
    const prefund = await signedCall(platform, chain, poster, contracts().commerce, 'prefund', [onChainKey(jobId), micro(budget)], nonce)
    const { hash } = await provider.broadcastTransaction(prefund)
    await provider.waitForTransaction(hash)
    await commerceJobIs(platform, jobId, 'funded')
    const { blockNumber } = (await provider.getTransactionReceipt(hash))!
    const other = await signedCall(platform, chain, poster, contracts().usdc, 'approve', [contracts().escrow, MaxUint256], nonce)

    await reorganise(platform, chain, blockNumber, [other])

    const { fundedFrom } = await commerceJobIs(platform, jobId, 'open', 60)
    assert.deepEqual([fundedFrom, await usdcOf(poster)], [null, before])
    await assertHealthy()
  })

  /** The last one: it moves the time of the blocks. */
  it('is cancelled when a claimed refund replaces its payment', async () => {
    const submitted = await submittedCommerceJob(platform)
    const { jobId, poster, worker } = submitted
    const { provider } = platform.networks[chain]
    const { onChainJobId } = await job(jobId)
    const claimed = await signedCall(platform, chain, poster, contracts().commerce, 'claimRefund', [onChainJobId])
    await provider.send('evm_increaseTime', [40 * daySeconds])
    await provider.send('evm_mine', [])
    await settle(submitted)
    await commerceJobIs(platform, jobId, 'settled')
    await until('the receipt exists', async () => (await receiptOf(jobId)).status === 200)

    await reverseLastStep(jobId, [claimed])

    const { onChainStatus, closeReason } = await commerceJobIs(platform, jobId, 'cancelled', 90)
    assert.deepEqual([onChainStatus, closeReason], ['Expired', 'expired'])
    assert.deepEqual([await usdcOf(poster), await usdcOf(worker)], [submitted.before.poster, submitted.before.worker])
    await until('its receipt is withdrawn', async () => (await receiptOf(jobId)).status === 404)
    await until('its earning is gone', async () => (await earnedBy(worker)).length === 0)
    await assertHealthy()
  })
})
