import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { commands, contractInterface, onChainKey } from '@carapace/chain'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { kitPerTest } from '../testing/kit-per-test.ts'

const chain = 'BASE_SEPOLIA'
const budget = 20_000_000n
const fees = { type: 2, chainId: 84532, gasLimit: 400_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }

describe('a funding of a job whose client has paid by itself', function () {
  this.timeout(120_000)
  const kit = kitPerTest()

  /** A job on chain that its client has paid for, and what a funding of it needs. */
  const paidJob = async (...funded: string[]) => {
    const client = Wallet.createRandom()
    for (const to of [client.address, ...funded]) {
      const mint = commands.faucetMint({ chain, requestId: randomUUID(), to, amount: budget })
      await kit.send(mint)
      await until('the wallet has money', () => kit.of(mint.subject, 'confirmed')[0])
    }
    const jobId = randomUUID()
    const jobKey = onChainKey(jobId)
    const expiredAt = Math.floor(Date.now() / 1_000) + 40 * 86_400
    const create = commands.jobCreate({ chain, jobId, client: client.address, budget, expiredAt, description: 'x' })
    await kit.send(create)
    await until('the job is created', () => kit.of(create.subject, 'confirmed')[0])
    const { USDC, Commerce } = kit.devnet.addresses
    await kit.rpc.call('anvil_setBalance', [client.address, '0xde0b6b3a7640000'])
    const send = async (nonce: number, to: string, data: string) =>
      kit.rpc.call('eth_sendRawTransaction', [await client.signTransaction({ ...fees, nonce, to, data })])
    await send(0, USDC, contractInterface('USDC').encodeFunctionData('approve', [Commerce, budget]))
    await send(1, Commerce, contractInterface('Commerce').encodeFunctionData('prefund', [jobKey, budget]))
    await until('the client has paid', async () => {
      const data = contractInterface('Commerce').encodeFunctionData('depositOf', [jobKey])
      const answer = String(await kit.rpc.call('eth_call', [{ to: Commerce, data }, 'latest']))
      return contractInterface('Commerce').decodeFunctionResult('depositOf', answer)[0].payer === client.address
    })
    return { chain, jobId, jobKey, client: client.address, amount: budget, round: 1 } as const
  }
  const ended = (subject: string) => until('the funding has ended', () => kit.of(subject, 'confirmed')[0] ?? kit.of(subject, 'failed')[0], 30)

  it('fails where a custodial wallet was to pay, so that its money is free again', async () => {
    await kit.start()
    const { address: from } = await (await kit.custody()).walletOf(randomUUID())
    const fund = commands.jobFund({ ...(await paidJob(from)), source: { kind: 'custodial', from } })
    await kit.send(fund)

    const { type, data } = await ended(fund.subject)

    assert.match(type, /\.failed/)
    assert.match(String(data.message), /AlreadyPaidIn/)
  })

  it('has its effect where the allowance of the client was to pay', async () => {
    await kit.start()
    const fund = commands.jobFund({ ...(await paidJob()), source: { kind: 'allowance' } })
    await kit.send(fund)

    const { type, data } = await ended(fund.subject)

    assert.match(type, /\.confirmed/)
    assert.equal(data.already, true)
  })
})
