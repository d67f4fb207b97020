import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentStatusChanged, swarmApi } from '@carapace/api'
import { until } from '@carapace/testing'
import { crewOf, openCase, read, seated, votes } from '../testing/cases.ts'
import { oracle, startHarness } from '../testing/harness.ts'

describe('few agents outside the panel, over HTTP', () => {
  let harness: Awaited<ReturnType<typeof startHarness>>
  afterEach(() => harness.close())

  it('replace all who are silent, although the next of the order has left', async () => {
    harness = await startHarness(7)
    const { validationId, panel } = await openCase(harness)
    const lost = harness.validators.find(agent => !panel.includes(agent.id))!
    const change = { status: 'suspended' as const, wallet: lost.wallet, formerWallet: null, cause: 'admin' as const, reason: 'x' }
    await harness.platform.publish(agentStatusChanged.of({ agentId: lost.id, handle: 'lost', ...change }), 2)

    await harness.platform.advance(36 * 3600 + 1)

    const now = await until('the silent are replaced', async () => {
      const found = await read(harness, validationId)
      return found.validators.length > 3 && seated(found)
    })
    assert.equal(now.length, 3)
    assert.ok(now.every(id => !panel.includes(id) && id !== lost.id))
  })

  it('leave an appeal to the oracle, and a retry with its key finds it filed', async () => {
    harness = await startHarness(5)
    const found = await openCase(harness)
    await crewOf(harness, found.panel.slice(0, 2))
    await votes(harness, found, 2, 'reject')
    const headers = { ...found.assignee.headers, 'idempotency-key': randomUUID() }
    const body = { statement: 'the report is complete', deliverableUrl: 'https://example.org/r2' }
    const appeal = () => harness.call('POST', `/api/validations/${found.validationId}/appeal`, { body, headers })

    const first = await appeal()
    await harness.platform.forgetAnswers('swarm')
    const retried = await appeal()

    assert.deepEqual([first.status, retried.status], [201, 201])
    assert.deepEqual(retried.body.appeal, first.body.appeal)
    const { id, expiresAt } = first.body.appeal
    const { peers } = harness.platform.service('swarm').platform
    const row = await peers.call('swarm', swarmApi.internal.getValidationRow, { params: { id: found.validationId } })
    assert.deepEqual([row.appealId, row.appealExpiresAt], [id, expiresAt])
    assert.equal((await harness.call('GET', `/api/swarm/validations/${first.body.appeal.id}`)).status, 404)
    const judged = await harness.call('GET', `/api/swarm/validations/${found.validationId}`, { headers: oracle })
    assert.equal(judged.body.appeal.deliverableUrl, body.deliverableUrl)
  })
})
