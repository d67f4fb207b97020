import assert from 'node:assert/strict'
import { type ChainCommand, chainOutcome } from '@carapace/api'
import { receiveCommands, until } from '@carapace/testing'
import { type Harness, hex, newHandle, startHarness, type TestAgent } from '../testing/harness.ts'

describe('the card of an agent that proves the wallet of another one', () => {
  let harness: Harness
  const sent: ChainCommand[] = []
  before(async () => {
    harness = await startHarness()
    await receiveCommands(harness.platform.bus, async command => void sent.push(command))
  })
  after(() => harness.close())

  const chain = 'BASE_SEPOLIA' as const
  const kinds = chainOutcome('card.mint')
  const about = (agentId: string, seq: number, round = 1) => ({
    ...{ opKey: `card.mint:${agentId}:${chain}`, round, kind: 'card.mint', network: chain, seq },
    aggregateKey: `agent:${agentId}`,
  })
  const minted = (agentId: string, seq = 2) => {
    const block = { txHash: hex(32), blockNumber: 7, blockHash: hex(32), blockTime: 1_700_000_000, logs: [], already: false }
    return harness.platform.publish(kinds.confirmed.of({ ...about(agentId, seq), ...block }), seq)
  }
  const refused = (agentId: string, { seq = 2, round = 1 } = {}) => {
    const failure = { code: 'REVERTED', terminal: true, message: 'Card_OnePerWallet', attempts: 5 } as const
    return harness.platform.publish(kinds.failed.of({ ...about(agentId, seq, round), ...failure }), seq)
  }
  const cardIs = async (agentId: string, status: string) => {
    const agents = harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>('agents')
    const found = () => agents.findOne({ _id: agentId, [`chains.${chain}.card.onChain.status`]: status })
    await until(`the card is ${status}`, async () => (await found()) !== null)
  }

  /** An agent that registered unproven, and the one that proved its wallet while the card of the first was on its way. */
  async function two(): Promise<[TestAgent, string]> {
    const loser = await harness.agent()
    const headers = { prefer: 'respond-async', 'x-test-signed-by': loser.wallet }
    const { body } = await harness.call('POST', '/api/register-agent', { body: { handle: newHandle(), walletAddress: loser.wallet }, headers })
    return [loser, body.agent.id]
  }
  const cardsOf = (agentId: string) =>
    sent.filter(({ opKey, kind }) => opKey.includes(agentId) && kind.startsWith('card.')).map(({ kind, round }) => `${kind} ${round}`)
  const replaced = ['card.mint 1', 'card.burn 1', 'card.mint 2']

  it('is minted once the other card is burnt, which arrived meanwhile', async () => {
    const [loser, winner] = await two()
    await minted(loser.id)
    await cardIs(loser.id, 'confirmed')
    await refused(winner)

    await until('both commands are sent', () => cardsOf(winner).length === 3)
    assert.deepEqual(cardsOf(winner), replaced)
  })

  it('is minted so also where the news of the other card comes last', async () => {
    const [loser, winner] = await two()
    await refused(winner)
    await cardIs(winner, 'failed')
    await minted(loser.id)

    await until('both commands are sent', () => cardsOf(winner).length === 3)
    assert.deepEqual(cardsOf(winner), replaced)
  })

  it('is not tried for ever: after the burn a failure is final', async () => {
    const [loser, winner] = await two()
    await minted(loser.id)
    await refused(winner)
    await until('both commands are sent', () => cardsOf(winner).length === 3)
    await refused(winner, { seq: 4, round: 2 })

    await cardIs(winner, 'failed')
    assert.deepEqual(cardsOf(winner), replaced)
  })
})
