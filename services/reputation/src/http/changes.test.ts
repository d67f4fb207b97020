import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { MICRO } from '@carapace/api'
import { daySeconds, newTestAgent, released, until } from '@carapace/testing'
import { stores } from '../parts.ts'
import { recomputeMany } from '../record.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('what counterparties have become', () => {
  const { agent: anchor, registered } = newTestAgent()
  let harness: Harness
  before(async () => {
    harness = await startHarness({ TRUST_ANCHORS: anchor.id })
    await harness.platform.publish(registered)
    await harness.platform.advance(61)
    await until('the market has matured', async () => (await get('/api/reputation/formulas')).market.maturedAt !== null)
  })
  after(() => harness.close())

  const get = async (url: string) => (await harness.call('GET', url)).body
  const factsOf = async (id: string, type: string) => (await get(`/api/audit?agentId=${id}&type=${type}&limit=100`)).events
  const pay = async (posterId: string, assigneeId: string) => {
    const gigId = randomUUID()
    await harness.platform.publish(released({ gigId, posterId, assigneeId, amount: 200n * MICRO, fee: 5n * MICRO, net: 195n * MICRO }))
    const isLogged = async (id: string) =>
      (await factsOf(id, 'settled')).some((event: { details: { gigId: string } }) => event.details.gigId === gigId)
    await until('the payment is logged', async () => (await isLogged(posterId)) && isLogged(assigneeId))
  }

  /** By the formula that reads it, in force or not. */
  const scoreOf = async (id: string) => {
    const { formulaVersion, fusedScore, shadow } = await get(`/api/agents/${id}/reputation/explain`)
    return formulaVersion === '6' ? fusedScore : shadow.fusedScore
  }

  /** All scores of a new day are computed. */
  const dayOver = async () => {
    const comparedAt = async () => (await get('/api/reputation/formulas')).comparison?.comparedAt
    const before = await comparedAt()
    await harness.platform.advance(daySeconds)
    await until('the scores of the new day are computed', async () => (await comparedAt()) !== before)
  }

  /** Days go by until one adds no entry. @returns how many did */
  const settle = async (id: string) => {
    const entries = async () => (await factsOf(id, 'counterparties_changed')).length
    for (let days = 0; ; days++) {
      const before = await entries()
      await dayOver()
      if ((await entries()) === before) return days
    }
  }

  it('is logged with each new day, half of the way, until the log says it, and raises whom they paid before anybody knew them', async () => {
    const [poster, worker] = [await newAgent(harness), await newAgent(harness)]
    await pay(poster.id, worker.id)
    const others = [await newAgent(harness), await newAgent(harness), await newAgent(harness), await newAgent(harness), await newAgent(harness)]
    for (const payer of [anchor, poster]) await Promise.all(others.map(({ id }) => pay(payer.id, id)))
    assert.deepEqual(await factsOf(worker.id, 'counterparties_changed'), [])
    const before = await scoreOf(worker.id)

    await dayOver()
    const [entry] = await factsOf(worker.id, 'counterparties_changed')
    const scoreThen = await scoreOf(worker.id)
    const daysUntilSettled = await settle(worker.id)

    assert.deepEqual(
      entry.details.changed.map((one: { with: string }) => one.with),
      [poster.id],
    )
    assert.ok(entry.details.changed[0].theirStanding >= 200_000)
    assert.ok(scoreThen > before)
    assert.ok((await scoreOf(worker.id)) >= scoreThen)
    // half of the way each day, until less than a tenth is left
    assert.ok(daysUntilSettled <= 4, String(daysUntilSettled))
    const [ofPayer] = await factsOf(anchor.id, 'counterparties_changed')
    assert.deepEqual(new Set(ofPayer.details.changed.map((one: { with: string }) => one.with)), new Set(others.map(({ id }) => id)))
    for (const { theirCredit } of ofPayer.details.changed) assert.ok(theirCredit > 320_000, String(theirCredit))
  })

  it('is logged once and counted, where the process ends between the two, and where it is computed twice a day', async () => {
    const [poster, worker] = [await newAgent(harness), await newAgent(harness)]
    await pay(poster.id, worker.id)
    const others = await Promise.all(Array.from({ length: 5 }, () => newAgent(harness)))
    for (const payer of [anchor, poster]) await Promise.all(others.map(({ id }) => pay(payer.id, id)))
    const { platform } = harness.platform.service('reputation')
    const parts = { ...platform, ...stores(platform) }
    const before = await scoreOf(worker.id)
    const ended = new Error('the process ends')
    const failing = { ...parts, scores: { ...parts.scores, changeAll: () => Promise.reject(ended), change: () => Promise.reject(ended) } }
    const docs = async () => [await parts.scores.need(worker.id)]

    await assert.rejects(recomputeMany(failing, await docs()), ended)
    assert.deepEqual([(await factsOf(worker.id, 'counterparties_changed')).length, await scoreOf(worker.id)], [1, before])
    for (let n = 0; n < 2; n++) await recomputeMany(parts, await docs())

    assert.equal((await factsOf(worker.id, 'counterparties_changed')).length, 1)
    assert.ok((await scoreOf(worker.id)) > before)
  })
})
