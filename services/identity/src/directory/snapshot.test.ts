import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type CloudEvent, identityApi, identitySnapshot } from '@carapace/api'
import { until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('agents announced again', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('come page by page in order of id, each with its row and version', async () => {
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.push((await harness.agent()).id)
    const received: CloudEvent[] = []
    const queue = { name: `test.${randomUUID()}`, exchange: 'events' as const, bindings: [identitySnapshot.type] }
    const consumer = await harness.platform.bus.subscribe(queue, async event => void received.push(event))
    const { peers } = harness.platform.service('identity').platform
    const announce = (after?: string) =>
      peers.call('identity', identityApi.internal.announceAgents, { body: { kind: 'agent', limit: 2, ...(after ? { after } : {}) } })

    const pages: Awaited<ReturnType<typeof announce>>[] = []
    do pages.push(await announce(pages.at(-1)?.last ?? undefined))
    while (pages.at(-1)!.announced > 0)

    const all = pages.reduce((sum, page) => sum + page.announced, 0)
    assert.equal(pages.at(-1)!.last, null)
    await until('all are received', () => received.length === all)
    const rows = received.map(({ data }) => identitySnapshot.read(data)).sort((a, b) => (a.id < b.id ? -1 : 1))
    assert.deepEqual(
      rows.map(({ id }) => id).filter(id => ids.includes(id)),
      ids.toSorted(),
    )
    for (const { id, version, row } of rows) assert.deepEqual([row.agentId, row.version], [id, version])
    await consumer.close()
  })
})
