import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CloudEvent } from '@carapace/api'
import { mergedFacts } from './facts.ts'
import { type Parts, stores } from './parts.ts'
import { record } from './record.ts'
import { standingAt } from './standing.ts'
import { type Harness, newAgent, startHarness } from './testing/harness.ts'

describe('the standing of an agent', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const event = () => ({ id: randomUUID(), time: new Date().toISOString(), source: '/carapace/identity' }) as CloudEvent

  it('is of the whole log when another fact is recorded between the reading of the log and the storing', async () => {
    const { id } = await newAgent(harness)
    const { platform } = harness.platform.service('reputation')
    const parts: Parts = { ...platform, ...stores(platform) }
    let reads = 0
    const overtaken: Parts = {
      ...parts,
      audit: {
        ...parts.audit,
        factsOf: async ids => {
          const facts = await parts.audit.factsOf(ids)
          if (++reads === 2) await record(parts, event(), id, { type: 'onchain_confirmed', chain: 'BASE_SEPOLIA' })
          return facts
        },
      },
    }

    await record(overtaken, event(), id, { type: 'skill_verified', skill: 'solidity' })

    const { badges, fusedScore } = await parts.scores.need(id)
    const whole = standingAt(mergedFacts(id, await parts.audit.factsOf([id])), new Date())
    assert.deepEqual([badges, fusedScore], [whole.badges, whole.fusedScore])
    assert.equal(badges.length, 2)
  })

  it('is of the whole log when a fact cancels another one that was recorded after the document was read', async () => {
    const { id } = await newAgent(harness)
    const { platform } = harness.platform.service('reputation')
    const parts: Parts = { ...platform, ...stores(platform) }
    const bond = (to: Parts, total: string, secondsAgo: number) =>
      record(to, event(), id, { type: 'bond', total, change: 'deposited' }, { at: new Date(Date.now() - secondsAgo * 1_000).toISOString() })
    await bond(parts, '0', 300)
    let reads = 0
    const overtaken: Parts = {
      ...parts,
      scores: {
        ...parts.scores,
        get: async agentId => {
          const doc = await parts.scores.get(agentId)
          if (++reads === 1) await bond(parts, '500000000', 200)
          return doc
        },
      },
    }

    await bond(overtaken, '0', 100)

    const whole = standingAt(mergedFacts(id, await parts.audit.factsOf([id])), new Date())
    assert.deepEqual([(await parts.scores.need(id)).bond, whole.bond], [0, 0])
  })
})
