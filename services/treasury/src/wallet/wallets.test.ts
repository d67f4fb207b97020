import assert from 'node:assert/strict'
import { chainRelayerApi } from '@carapace/api'
import { newHash, newWallet, until } from '@carapace/testing'
import { balance, call, fundedAgent, newAgent, peers } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { publishTransfer, usdc } from '../testing/token.ts'

describe('treasury wallets', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('makes one wallet for an agent, however often and concurrently it is requested', async () => {
    const agent = await newAgent(harness)
    await until('the agent is known', async () => (await call(harness, agent, 'POST', 'fund')).status < 300)

    const answers = await Promise.all([1, 2, 3].map(() => call(harness, agent, 'POST', 'fund')))

    assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${body.existing}`))], ['200 true'])
    assert.equal(new Set(answers.map(({ body }) => body.depositAddress + body.walletId)).size, 1)
  })

  it('shows zeros to an agent without a wallet', async () => {
    const { walletExists, balance: amount, walletId } = await balance(harness, await newAgent(harness))

    assert.deepEqual([walletExists, amount, walletId], [false, 0, null])
  })

  it('refuses what belongs to another agent', async () => {
    const [one, other] = [await newAgent(harness), await newAgent(harness)]

    const answer = await harness.platform.call('GET', `/api/agents/${one.id}/treasury/balance`, { headers: other.headers })

    assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN'])
  })

  it('credits a final transfer once, by its log', async () => {
    const agent = await fundedAgent(harness, 0n)
    const seen = { to: agent.address, from: newWallet(), amount: usdc(12.5), txHash: newHash() }

    for (const final of [false, true, true]) await publishTransfer(harness, { ...seen, final })
    await publishTransfer(harness, { to: agent.address, amount: 1n })

    await until('both deposits', async () => (await balance(harness, agent)).balance === 12_500_001)
    const { transactions, total } = (await call(harness, agent, 'GET', 'history')).body
    assert.equal(total, 2)
    assert.deepEqual(
      transactions.map(({ type, amount, status }: Record<string, unknown>) => [type, amount, status]),
      [
        ['credit', 1, 'executed'],
        ['credit', 12_500_000, 'executed'],
      ],
    )
  })

  it('credits nothing for a transfer that is not final', async () => {
    const agent = await fundedAgent(harness, 0n)

    await publishTransfer(harness, { to: agent.address, amount: 5n, final: false })
    await publishTransfer(harness, { to: agent.address, amount: 3n })

    await until('the final one', async () => (await balance(harness, agent)).balance === 3)
  })

  it('separates the networks and shows the home network', async () => {
    const agent = await fundedAgent(harness, 7n, 'SKALE_TESTNET')

    await publishTransfer(harness, { chain: 'BASE_SEPOLIA', to: agent.address, amount: 4n })

    const { balances, balance: home } = await until('both', async () => {
      const found = await balance(harness, agent)
      return found.balances.BASE_SEPOLIA === 4 && found
    })
    assert.deepEqual([home, balances], [7, { BASE_SEPOLIA: 4, SKALE_TESTNET: 7 }])
  })

  it('credits a transfer that came before its wallet was known here', async () => {
    const agent = await newAgent(harness)
    const custody = { body: { owner: agent.id } }
    const { address } = await peers(harness).call('chain-relayer', chainRelayerApi.internal.custodyWallet, custody)
    await publishTransfer(harness, { to: address, amount: 9n })

    await until('the wallet', async () => (await call(harness, agent, 'POST', 'fund')).body.depositAddress === address)

    await until('credited', async () => (await balance(harness, agent)).balance === 9)
  })

  it('is healthy when the chain holds what the wallets are credited with', async () => {
    const own = await startHarness()
    try {
      await fundedAgent(own, usdc(3))
      await assertHealthy(own)
    } finally {
      await own.close()
    }
  })
})
