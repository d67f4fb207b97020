import assert from 'node:assert/strict'
import { daySeconds, type TestAgent, until } from '@carapace/testing'
import { stores } from '../parts.ts'
import { recomputeMany } from '../record.ts'
import { type Harness, newAgent, payGig, startMatureHarness } from '../testing/harness.ts'

describe('what counterparties have become', () => {
  let harness: Harness
  let anchor: TestAgent
  before(async () => {
    ;({ harness, anchor } = await startMatureHarness())
  })
  after(() => harness.close())

  const get = async (url: string) => (await harness.call('GET', url)).body
  const factsOf = async (id: string, type: string) => (await get(`/api/audit?agentId=${id}&type=${type}&limit=100`)).events
  const pay = (posterId: string, assigneeId: string) => payGig(harness, { posterId, assigneeId })

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

  /** Days go by until one adds no entry. */
  const settle = async (id: string) => {
    const count = async () => (await factsOf(id, 'counterparties_changed')).length
    for (let before = -1; before !== (await count()); await dayOver()) before = await count()
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
    await settle(worker.id)

    assert.deepEqual(
      entry.details.changed.map((one: { with: string }) => one.with),
      [poster.id],
    )
    assert.ok(entry.details.changed[0].theirStanding >= 200_000)
    assert.ok(scoreThen > before)
    assert.ok((await scoreOf(worker.id)) >= scoreThen)
    // half of the way each day, until less than a tenth is left
    const entries: { details: { changed: { theirStanding: number }[] } }[] = await factsOf(worker.id, 'counterparties_changed')
    assert.deepEqual(entries.map(({ details }) => details.changed[0]!.theirStanding).reverse(), [380_633, 570_949, 696_058, 758_612])
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
