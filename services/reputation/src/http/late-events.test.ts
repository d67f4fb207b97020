import assert from 'node:assert/strict'
import { agentOnchainConfirmed, agentStatusChanged } from '@carapace/api'
import { newHash, type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('events of an agent that come late', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const loggedOf = async ({ id }: TestAgent, type: string): Promise<number> =>
    (await harness.call('GET', `/api/audit?agentId=${id}&type=${type}`)).body.events.length
  const reasonsFor = async ({ wallet }: TestAgent): Promise<string[]> =>
    (await harness.call('GET', `/api/reputation/check-eligibility?wallet=${wallet}`)).body.reasons

  /** Publishes a change of the status, and waits until it is in the log. */
  async function become({ id, handle }: TestAgent, status: 'active' | 'suspended', wallet: string | null, version: number): Promise<void> {
    const change = {
      agentId: id,
      handle,
      status,
      wallet,
      formerWallet: null,
      cause: wallet === null ? 'wallet_reclaimed' : 'admin',
      reason: null,
    } as const
    await harness.platform.publish(agentStatusChanged.of(change), version)
    await until('the change is logged', async () => (await loggedOf({ id } as TestAgent, status === 'active' ? 'reinstated' : status)) === 1)
  }

  it('do not suspend it again', async () => {
    const agent = await newAgent(harness)
    await become(agent, 'active', agent.wallet, 3)
    await become(agent, 'suspended', agent.wallet, 2)

    assert.deepEqual(await reasonsFor(agent), [])
  })

  it('do not give it back a wallet that it has lost', async () => {
    const agent = await newAgent(harness)
    await become(agent, 'suspended', null, 3)
    await become(agent, 'active', agent.wallet, 2)

    assert.deepEqual(await reasonsFor(agent), ['Wallet is not registered'])
  })

  it('do not restore a token of a dropped block', async () => {
    const agent = await newAgent(harness)
    const chain = 'BASE_SEPOLIA' as const
    for (const [tokenId, version] of [
      ['9', 5],
      ['7', 4],
    ] as const) {
      const about = {
        agentId: agent.id,
        handle: agent.handle,
        wallet: agent.wallet,
        chain,
        tokenId,
        txHash: newHash(),
        blockNumber: 5,
        preferred: true,
      }
      const before = await loggedOf(agent, 'onchain_confirmed')
      await harness.platform.publish(agentOnchainConfirmed.of({ ...about, confirmedAt: new Date().toISOString() }), version)
      await until('it is logged', async () => (await loggedOf(agent, 'onchain_confirmed')) > before)
    }

    assert.equal((await harness.call('GET', `/api/reputation/check-eligibility?wallet=${agent.wallet}`)).body.erc8004TokenId, '9')
  })
})
