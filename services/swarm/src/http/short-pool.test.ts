import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentStatusChanged } from '@carapace/api'
import { until } from '@carapace/testing'
import { crewOf, openCase, read, seated, votes } from '../testing/cases.ts'
import { oracle, startWorld } from '../testing/world.ts'

describe('few agents beside the panel, over HTTP', () => {
  let world: Awaited<ReturnType<typeof startWorld>>
  afterEach(() => world.close())

  it('replace all who are silent, although the next of the order has left', async () => {
    world = await startWorld(7)
    const { validationId, panel } = await openCase(world)
    const gone = world.validators.find(agent => !panel.includes(agent.id))!
    const change = { status: 'suspended' as const, wallet: gone.wallet, formerWallet: null, cause: 'admin' as const, reason: 'x' }
    await world.platform.publish(agentStatusChanged.of({ agentId: gone.id, handle: 'gone', ...change }), 2)

    await world.platform.advance(36 * 3600 + 1)

    const now = await until('the silent are replaced', async () => {
      const found = await read(world, validationId)
      return found.validators.length > 3 && seated(found)
    })
    assert.equal(now.length, 3)
    assert.ok(now.every(id => !panel.includes(id) && id !== gone.id))
  })

  it('leave an appeal to the oracle, and a retry with its key finds it filed', async () => {
    world = await startWorld(5)
    const found = await openCase(world)
    await crewOf(world, found.panel.slice(0, 2))
    await votes(world, found, 2, 'reject')
    const headers = { ...found.assignee.headers, 'idempotency-key': randomUUID() }
    const body = { statement: 'the report is complete', deliverableUrl: 'https://example.org/r2' }
    const appeal = () => world.call('POST', `/api/validations/${found.validationId}/appeal`, { body, headers })

    const first = await appeal()
    await world.platform.service('swarm').platform.db.connection.collection('idempotency').deleteMany({})
    const retried = await appeal()

    assert.deepEqual([first.status, retried.status], [201, 201])
    assert.deepEqual(retried.body.appeal, first.body.appeal)
    assert.equal((await world.call('GET', `/api/swarm/validations/${first.body.appeal.id}`)).status, 404)
    const judged = await world.call('GET', `/api/swarm/validations/${found.validationId}`, { headers: oracle })
    assert.equal(judged.body.appeal.deliverableUrl, body.deliverableUrl)
  })
})
