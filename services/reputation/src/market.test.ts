import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { MICRO } from '@carapace/api'
import { marketId } from '@carapace/formula'
import { newTestAgent, released, until } from '@carapace/testing'
import { matureMarket } from './market.ts'
import { stores } from './parts.ts'
import { type Harness, newAgent, payGig, startHarness, stranger } from './testing/harness.ts'

describe('a market with anchors', () => {
  const { agent: anchor, registered } = newTestAgent()
  let harness: Harness
  before(async () => {
    harness = await startHarness({ TRUST_ANCHORS: `${stranger},${anchor.id}` })
  })
  after(() => harness.close())

  const get = async (url: string) => (await harness.call('GET', url)).body
  const marketOf = async () => (await get('/api/reputation/formulas')).market
  const parts = () => {
    const { platform } = harness.platform.service('reputation')
    return { ...platform, ...stores(platform) }
  }

  it('is young while none of them is registered, though others are', async () => {
    await newAgent(harness)

    assert.equal(await matureMarket(parts()), false)
    assert.equal((await marketOf()).maturedAt, null)
  })

  it('has matured by the first that is, which is logged once with its id and never reversed', async () => {
    await harness.platform.publish(registered)
    await until('the anchor is scored', async () => (await harness.call('GET', `/api/agents/${anchor.id}/reputation`)).status === 200)
    await harness.platform.advance(61)
    const { reason, maturedAt } = await until('the market has matured', async () => {
      const market = await marketOf()
      return market.maturedAt === null ? undefined : market
    })
    const without = parts()
    assert.equal(await matureMarket({ ...without, config: { ...without.config, TRUST_ANCHORS: [] } }), true)

    const { events, total } = await get(`/api/audit?agentId=${marketId}`)
    assert.deepEqual([reason, total, events[0].type, events[0].handle], ['anchors', 1, 'market_matured', null])
    assert.equal(events[0].details.anchor, anchor.id)
    assert.equal((await marketOf()).maturedAt, maturedAt)
    assert.deepEqual(await parts().audit.verify(), [])
  })

  it('counts what an anchor pays whole, and has its maturity among the inputs of each score', async () => {
    const [other, worker] = [await newAgent(harness), await newAgent(harness)]
    for (const posterId of [anchor.id, other.id]) await harness.platform.publish(released({ gigId: randomUUID(), posterId, assigneeId: worker.id }))

    const events = await until('both payments are facts', async () => {
      const found = (await get(`/api/audit?agentId=${worker.id}&type=settled`)).events
      return found.length === 2 && found
    })
    const standings = new Map(
      events.map(({ details }: { details: { with: string; theirStanding: number } }) => [details.with, details.theirStanding]),
    )
    assert.deepEqual([standings.get(anchor.id), standings.get(other.id)], [1_000_000, 0])
    const facts = await until('the score is of the payments', async () => {
      const exported = (await get(`/api/audit/agents/${worker.id}/export`)).facts as { agentId: string; type: string }[]
      return exported.filter(({ type }) => type === 'settled').length === 2 && exported
    })
    assert.deepEqual(
      facts.filter(({ agentId }) => agentId === marketId).map(({ type }) => type),
      ['market_matured'],
    )
    assert.ok((await get(`/api/agents/${worker.id}/reputation/explain`)).fusedScore > 15)
  })
})

describe('a market without anchors', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('is young until ten agents have vouched, and have paid 1,000 USDC of fees together', async () => {
    const { platform } = harness.platform.service('reputation')
    const parts = { ...platform, ...stores(platform) }
    const agents = await Promise.all(Array.from({ length: 10 }, () => newAgent(harness)))
    const [other, worker] = [await newAgent(harness), await newAgent(harness)]
    const vouch = (id: string) => parts.scores.change(id, doc => ({ state: { ...doc, vouches: true }, events: [] }))
    const pay = (posterId: string, fee: bigint) => payGig(harness, { posterId, assigneeId: worker.id, fee })
    await pay(agents[0]!.id, 600n * MICRO)
    await pay(other.id, 400n * MICRO)
    for (const { id } of agents.slice(1)) await vouch(id)

    assert.equal(await matureMarket(parts), false)
    await vouch(agents[0]!.id)
    assert.equal(await matureMarket(parts), false)
    await pay(agents[9]!.id, 399n * MICRO)
    assert.equal(await matureMarket(parts), false)
    await pay(agents[5]!.id, 1n * MICRO)
    assert.equal(await matureMarket(parts), true)
    const { market } = (await harness.call('GET', '/api/reputation/formulas')).body
    assert.deepEqual([market.reason, market.vouchers], ['vouchers', 10])
  })
})
