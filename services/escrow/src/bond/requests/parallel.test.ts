import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestAgent } from '@carapace/testing'
import { bondsIn } from '../../testing/bonds.ts'
import { oracle, until, usdc } from '../../testing/harness.ts'
import { newGig } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'

const calls = 200

describe(`${calls} concurrent calls on one aggregate`, function () {
  this.timeout(120_000)
  const harness = sharedHarness()
  const { bonded, rich, status } = bondsIn(harness)

  const burst = async (path: string, body: object, agent: TestAgent) => {
    const answers = await Promise.all(Array.from({ length: calls }, () => harness.platform.call('POST', path, { body, headers: agent.headers })))
    const codes = new Map<number, number>()
    for (const answer of answers) codes.set(answer.status, (codes.get(answer.status) ?? 0) + 1)
    return codes
  }
  /** Runs `work` and counts the transactions that the service began meanwhile. */
  const begun = async <T>(work: () => Promise<T>): Promise<{ result: T; transactions: number }> => {
    const { connection } = harness.platform.service('escrow').platform.db
    const original = connection.startSession
    let transactions = 0
    connection.startSession = (...options) => {
      transactions += 1
      return original.apply(connection, options)
    }
    try {
      return { result: await work(), transactions }
    } finally {
      connection.startSession = original
    }
  }
  const isFinal = (codes: Map<number, number>) => [...codes.keys()].every(code => [200, 201, 202, 402, 409, 429].includes(code))

  const accepted = (codes: Map<number, number>) => (codes.get(200) ?? 0) + (codes.get(202) ?? 0)

  it('deposits what is accepted, without transactions that abort each other', async () => {
    const agent = await rich()

    const { result: codes, transactions } = await begun(() => burst(`/api/bond/${agent.id}/deposit`, { amount: 10 }, agent))

    assert.ok(isFinal(codes), JSON.stringify([...codes]))
    assert.ok(accepted(codes) >= 32 && accepted(codes) + (codes.get(409) ?? 0) === calls, JSON.stringify([...codes]))
    // one for each outcome; some more for races with jobs
    assert.ok(transactions <= accepted(codes) + 20, `${transactions} transactions`)
    await until('all are confirmed', async () => (await status(agent)).totalBonded === accepted(codes) * 10, 60)
  })

  it('withdraws what is accepted, never more than there is', async () => {
    const agent = await bonded(20)

    const codes = await burst(`/api/bond/${agent.id}/withdraw`, { amount: 1 }, agent)

    assert.deepEqual([accepted(codes), codes.get(409)], [20, calls - 20])
    await until('all are paid', async () => (await status(agent)).totalBonded === 0, 60)
  })

  it('slashes what is accepted, and refuses what would wait too long', async () => {
    const agent = await bonded(500)
    harness.chain = () => 'wait'

    const codes = await burst(`/api/bond/${agent.id}/slash`, { amount: 1, reason: 'late' }, { ...agent, headers: oracle })

    harness.chain = () => 'confirm'
    assert.ok(isFinal(codes), JSON.stringify([...codes]))
    assert.deepEqual([accepted(codes), codes.get(409)], [32, calls - 32])
    const sent = harness.commands.filter(
      ({ kind, opKey }) => kind === 'bond.slash' && harness.memory.answer([{ opKey, seq: 0 }]).outcomes[0]!.ended === false,
    )
    await Promise.all(sent.map(command => harness.outcome(command, 'confirm')))
    await until('all are made', async () => (await status(agent)).totalBonded === 500 - accepted(codes), 60)
  })

  it('locks a budget once', async () => {
    const scenario = await newGig(harness)
    harness.balances.set(`${scenario.chain}/${scenario.poster.wallet}`, usdc(1_000_000))

    const codes = await burst('/api/escrow/create', { gigId: scenario.gigId, amount: 40 }, scenario.poster)

    assert.deepEqual([(codes.get(201) ?? 0) + (codes.get(202) ?? 0), codes.get(409)], [1, calls - 1])
  })

  it('raises one dispute', async () => {
    const { bondedGig } = bondsIn(harness)
    const scenario = await bondedGig()

    const codes = await burst('/api/escrow/dispute', { gigId: scenario.gigId, reason: `Wrong ${randomUUID()}` }, scenario.poster)

    assert.deepEqual([codes.get(200), codes.get(409)], [1, calls - 1])
  })
})
