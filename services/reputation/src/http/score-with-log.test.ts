import assert from 'node:assert/strict'
import { reputationApi } from '@carapace/api'
import { released, until } from '@carapace/testing'
import { type Harness, newAgent, startHarness, stranger } from '../testing/harness.ts'

describe('a score with its log, for the page of an agent', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const get = async (path: string) => (await harness.call('GET', path)).body
  const read = (agentId: string, entries: number) =>
    harness.platform
      .service('reputation')
      .platform.peers.call('reputation', reputationApi.internal.getScoreWithLog, { params: { agentId }, query: { entries: String(entries) } })

  it('is what the public reads answer', async () => {
    const [poster, worker] = [await newAgent(harness), await newAgent(harness)]
    await harness.platform.publish(released({ gigId: stranger, posterId: poster.id, assigneeId: worker.id }))
    await until('the score has risen', async () => (await get(`/api/agents/${worker.id}/reputation`)).fusedScore > 15)

    const { reputation, risk, events } = await read(worker.id, 2)

    assert.deepEqual(reputation, await get(`/api/agents/${worker.id}/reputation`))
    assert.deepEqual(risk, await get(`/api/risk/${worker.id}`))
    assert.deepEqual(events, (await get(`/api/audit?agentId=${worker.id}&limit=2`)).events)
    assert.deepEqual([events.length, events[0]?.handle], [2, worker.handle])
  })

  it('has no score of an unknown agent, and no entries', async () => {
    assert.deepEqual(await read(stranger, 2), { events: [] })
  })
})
