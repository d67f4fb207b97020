import assert from 'node:assert/strict'
import { agentRegistered, agentStatusChanged, type PayloadOf } from '@carapace/api'
import { newTestAgent, type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgent, registeredOn, startHarness } from '../testing/harness.ts'

describe('the score of a wallet that passes to another agent', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())
  const chain = 'BASE_SEPOLIA'

  type Sent = { wallet: string; nonce: string; score: number }
  /** What was sent of a wallet, in order. */
  const sentOf = ({ wallet }: TestAgent): Sent[] =>
    harness.commands
      .flatMap(({ kind, args }) => (kind === 'score.sync' ? (args as { scores: Sent[] }).scores : []))
      .filter(sent => sent.wallet === wallet)
  const isSynced = async ({ id }: TestAgent) => (await harness.call('GET', `/api/reputation/across-chains/${id}`)).body.chains[chain].score === 15

  /** An agent whose record has had many changes, and its score on the network. */
  async function syncedAgent(): Promise<TestAgent> {
    const agent = await newAgent(harness)
    await registeredOn(harness, agent, chain)
    await harness.platform.advance(1)
    await until('its score is on the network', () => isSynced(agent))
    return agent
  }
  async function successor({ wallet }: TestAgent): Promise<TestAgent> {
    const { agent, registered } = newTestAgent()
    await harness.platform.publish(agentRegistered.of({ ...(registered.data as PayloadOf<typeof agentRegistered>), wallet }))
    await until('the successor is scored', async () => (await harness.call('GET', `/api/agents/${agent.id}/reputation`)).status === 200)
    return { ...agent, wallet }
  }
  const loseWallet = ({ id, handle, wallet }: TestAgent) =>
    harness.platform.publish(
      agentStatusChanged.of({
        agentId: id,
        handle,
        status: 'suspended',
        wallet: null,
        formerWallet: wallet,
        cause: 'wallet_reclaimed',
        reason: null,
      }),
    )

  it('is that of the new agent: its nonce is above all that the former one had', async () => {
    const former = await syncedAgent()
    await loseWallet(former)
    const agent = await successor(former)
    await registeredOn(harness, agent, chain)
    await harness.platform.advance(1)
    await until('its score is on the network', () => isSynced(agent))

    const nonces = sentOf(agent).map(({ nonce }) => BigInt(nonce))
    assert.equal(nonces.length, 2)
    assert.ok(nonces[1]! > nonces[0]!, `${nonces[1]} after ${nonces[0]}`)
  })

  it('is not that of the former one again where the news of its loss is late', async () => {
    const former = await syncedAgent()
    const agent = await successor(former)
    await registeredOn(harness, agent, chain)
    await harness.platform.advance(1)
    await until('its score is on the network', () => isSynced(agent))
    const before = sentOf(agent).length

    await harness.call('POST', '/api/reputation/sync', { body: { agentId: former.id } })

    assert.equal(sentOf(agent).length, before)
    assert.equal((await harness.call('GET', `/api/reputation/across-chains/${agent.wallet}`)).body.agentId, agent.id)
  })
})
