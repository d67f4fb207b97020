import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { interfaceOf } from '@carapace/contracts'
import { until } from '@carapace/testing'
import { Contract, MaxUint256, Wallet } from 'ethers'
import { platformAroundTests } from '../testing/around-tests.ts'
import { untilHealthy } from '../testing/health.ts'
import { micro } from '../testing/job.ts'

const chain = 'BASE_SEPOLIA'

describe('stake that a wallet deposited before it was registered', function () {
  this.timeout(120_000)
  const platform = platformAroundTests()

  it('is withdrawn with the rest, and no stake remains that the contract has not', async () => {
    const { provider, contracts, usdc } = platform.networks[chain]
    const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`, provider)
    await platform.faucet(wallet.address, 1_000, chain)
    const bondOf = (owner: Wallet) => new Contract(contracts.bond, interfaceOf('Bond'), owner.connect(provider))
    const bond = bondOf(wallet)
    const send = async (contract: Contract, fn: string, ...args: unknown[]) => (await contract.getFunction(fn)(...args)).wait()
    const totalIs = (id: string, usd: number) =>
      until(`${usd} USDC are staked`, async () => (await platform.get(`/api/bond/${id}/status`)).totalBonded === usd)
    await send(usdc.connect(wallet) as Contract, 'approve', contracts.bond, MaxUint256)
    await send(bond, 'deposit', micro(10))
    // logs are followed in their order
    const other = await platform.newPlayer({ usdc: 20, prefix: 'other' })
    await send(bondOf(other.wallet), 'deposit', micro(12))
    await totalIs(other.id, 12)
    const draft = { handle: `staked-${randomBytes(5).toString('hex')}`, walletAddress: wallet.address, skills: ['solidity'], chain }
    const { agent } = await platform.post('/api/register-agent', draft)
    const headers = { 'x-agent-id': agent.id, 'x-wallet-address': wallet.address }
    await platform.post(`/api/bond/${agent.id}/deposit`, { amount: 600 }, headers)
    await totalIs(agent.id, 600)

    await send(bond, 'withdraw', micro(610))

    await totalIs(agent.id, 0)
    assert.equal((await platform.get(`/api/bond/${agent.id}/status`)).bondTier, 'UNBONDED')
    await untilHealthy(platform, 60)
    await platform.post(`/api/bond/${agent.id}/deposit`, { amount: 20 }, headers)
    await totalIs(agent.id, 20)
    await send(bond, 'withdraw', micro(5))
    await totalIs(agent.id, 15)
    assert.equal(await platform.usdcOf(chain, contracts.bond), micro(12 + 15))
    await untilHealthy(platform, 60)
  })
})
