import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chainOutcome, slashRecorded } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgent, registeredOn, startHarness } from '../testing/harness.ts'

describe('scores on their way to the networks', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())
  afterEach(() => {
    harness.chain = () => 'confirm'
  })

  const get = async (path: string) => (await harness.call('GET', path)).body
  const shownOf = async ({ id }: TestAgent) => (await get(`/api/reputation/across-chains/${id}`)).chains
  const hash = `0x${'cd'.repeat(32)}`

  /** An applied slash: the score falls below 15. */
  const slash = async ({ id }: TestAgent): Promise<number> => {
    const at = new Date().toISOString()
    const gig = { gigId: null, gigTitle: null, gigBudget: null, validationId: null }
    const change = { amount: 2_000_000n, status: 'APPLIED' as const, reason: 'late', txHash: null, createdAt: at, changedAt: at }
    await harness.platform.publish(slashRecorded.of({ slashId: randomUUID(), agentId: id, ...gig, ...change }))
    return until('the score has fallen', async () => {
      const { fusedScore } = await get(`/api/agents/${id}/reputation`)
      return fusedScore < 15 && fusedScore
    })
  }

  it('are followed by what changes while a batch is under way', async () => {
    const agent = await newAgent(harness)
    harness.chain = () => 'wait'
    await registeredOn(harness, agent, 'BASE_SEPOLIA')
    await harness.platform.advance(1)
    const { opKey, round, kind, network, aggregateKey } = await until('the first batch is sent', () => harness.commands[0])
    const score = await slash(agent)
    await harness.platform.advance(3600)
    assert.equal(harness.commands.length, 1)
    harness.chain = () => 'confirm'

    const block = { txHash: hash, blockNumber: 5, blockHash: hash, blockTime: 1, logs: [], already: false }
    await harness.platform.publish(chainOutcome(kind).confirmed.of({ opKey, round, kind, network, aggregateKey, seq: round, ...block }))
    assert.equal((await shownOf(agent)).BASE_SEPOLIA.score, 15)
    await harness.platform.advance(1)

    await until('the network knows the present score', async () => (await shownOf(agent)).BASE_SEPOLIA.score === score)
    const exported = await get(`/api/audit/agents/${agent.id}/export`)
    const sent = harness.commands.at(-1)!.args as { scores: { wallet: string; score: number }[] }
    const own = sent.scores.find(({ wallet }) => wallet === agent.wallet)!
    assert.deepEqual([exported.score.fusedScore, own.score], [score, Math.round(100 * exported.score.fusedScore)])
    const { onChain } = await get(`/api/agents/${agent.id}/reputation`)
    assert.deepEqual(
      onChain.baseSepolia.history.map((row: { score: number }) => row.score),
      [score, 15],
    )
    assert.deepEqual([onChain.baseSepolia.history[1].txHash, onChain.skale.history], [hash, []])
  })

  it('stay due for one network when the other was requested', async () => {
    const agent = await newAgent(harness)
    await registeredOn(harness, agent, 'BASE_SEPOLIA')
    await harness.platform.advance(1)
    await until('the network knows the first score', async () => (await shownOf(agent)).BASE_SEPOLIA.score === 15)
    const score = await slash(agent)

    await harness.call('POST', `/api/agents/${agent.id}/sync-to-skale`, { body: {} })
    assert.deepEqual([(await shownOf(agent)).SKALE_TESTNET.score, (await shownOf(agent)).BASE_SEPOLIA.score], [score, 15])
    await harness.platform.advance(3600)

    await until('the other network knows it, too', async () => (await shownOf(agent)).BASE_SEPOLIA.score === score)
  })

  it('are sent again when their batch fails in the end, and not after an older failure', async () => {
    const agent = await newAgent(harness)
    harness.chain = () => 'wait'
    const before = harness.commands.length
    await registeredOn(harness, agent, 'BASE_SEPOLIA')
    await harness.platform.advance(1)
    const { opKey, round, kind, network, aggregateKey } = await until('the batch is sent', () => harness.commands[before])
    const about = { opKey, round, kind, network, aggregateKey }
    const block = { txHash: hash, blockNumber: 5, blockHash: hash, blockTime: 1, logs: [], already: false }
    const fail = (seq: number) =>
      harness.platform.publish(
        chainOutcome(kind).failed.of({ ...about, seq, code: 'REVERTED', message: 'reverted', terminal: true, attempts: 1, txHash: hash }),
      )

    await harness.platform.publish(chainOutcome(kind).confirmed.of({ ...about, seq: 3, ...block }))
    await fail(2)
    assert.equal((await shownOf(agent)).BASE_SEPOLIA.score, 15)
    await fail(4)
    assert.equal((await shownOf(agent)).BASE_SEPOLIA.score, null)
    assert.deepEqual((await get(`/api/agents/${agent.id}/reputation`)).onChain.baseSepolia.history, [])

    harness.chain = () => 'confirm'
    await harness.platform.advance(3600)
    await harness.platform.advance(1)
    await until('the network knows the score again', async () => (await shownOf(agent)).BASE_SEPOLIA.score === 15)
  })
})
