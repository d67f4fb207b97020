import assert from 'node:assert/strict'
import type { AgentRow } from '@carapace/api'
import { until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('what an agent has lost without an event that says so', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  /** How its writes are answered once identity knows this of it. */
  const refusalAfter = async (change: Partial<AgentRow>) => {
    const agent = harness.agent()
    const headers = { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet }
    const write = () => harness.call('POST', '/api/gigs', { headers, body: {} })
    assert.equal((await write()).status, 200)
    harness.upstream.agents.set(agent.agentId, { ...agent, ...change, version: agent.version + 1 })

    const { body } = await until('it binds the gateway', async () => {
      const answer = await write()
      return answer.status !== 200 && answer
    })
    return body.code
  }

  it('binds the gateway after a few seconds: a suspension, and a policy', async () => {
    assert.equal(await refusalAfter({ status: 'suspended' }), 'ACCOUNT_SUSPENDED')
    assert.equal(await refusalAfter({ requireSignature: true }), 'SIGNATURE_REQUIRED')
  })
})
