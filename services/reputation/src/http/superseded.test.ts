import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { validationSuperseded } from '@carapace/api'
import { until } from '@carapace/testing'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

describe('a superseded validation', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const typesOf = async (agentId: string) =>
    (await harness.call('GET', `/api/audit?agentId=${agentId}`)).body.events.map(({ type }: { type: string }) => type)

  it('excuses who had not voted and judges nobody', async () => {
    const [voter, idle] = [await newAgent(harness), await newAgent(harness)]
    await harness.platform.publish(
      validationSuperseded.of({
        ...{ validationId: randomUUID(), gigId: randomUUID(), jobId: null, title: 'Audit', posterId: randomUUID(), assigneeId: randomUUID() },
        ...{ budget: 40_000_000n, chain: 'BASE_SEPOLIA', round: 1, appealOf: null, candidateCount: 3, threshold: 2, weak: false },
        ...{ oracleAssisted: false, panel: [voter.id, idle.id], votes: [{ voterId: voter.id, vote: 'reject' }], approvals: 0, rejections: 1 },
        ...{ approvalPct: 0, submissionId: randomUUID(), outcome: 'release', winners: [], rewardPerValidator: 100_000n },
        supersededAt: new Date().toISOString(),
      }),
    )

    await until('the log has it', async () => (await typesOf(idle.id)).includes('vote_excused'))
    assert.deepEqual([await typesOf(voter.id), await typesOf(idle.id)], [['registered'], ['vote_excused', 'registered']])
  })
})
