import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { applicationsClosed, escrowDecided, validationSuperseded } from '@carapace/api'
import { startPlatform, type TestPlatform, until } from '@carapace/testing'
import { notifications } from './index.ts'
import { identityStub } from './testing/identity.ts'

type Entry = { type: string; message: string }

describe('notifications of a decision', () => {
  let platform: TestPlatform

  before(async () => {
    platform = await startPlatform([identityStub, notifications])
  })
  after(() => platform.close())

  const inbox = async (agentId: string): Promise<Entry[]> => (await platform.call('GET', `/api/agents/${agentId}/notifications`)).body.notifications
  const only = (agentId: string) =>
    until('it is notified', async () => {
      const entries = await inbox(agentId)
      return entries.length > 0 && entries
    })
  const facts = { title: 'Audit', budget: 40_000_000n, chain: 'BASE_SEPOLIA' as const }

  it('reach each validator of a superseded panel once, and neither party', async () => {
    const [posterId, assigneeId, winner, other, idle] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    await platform.publish(
      validationSuperseded.of({
        ...{ ...facts, validationId: randomUUID(), gigId: randomUUID(), jobId: null, posterId, assigneeId, round: 1, appealOf: null },
        ...{ candidateCount: 3, threshold: 2, weak: false, oracleAssisted: false, panel: [winner, other, idle], submissionId: randomUUID() },
        votes: [
          { voterId: winner, vote: 'approve' },
          { voterId: other, vote: 'reject' },
        ],
        ...{ approvals: 1, rejections: 1, approvalPct: 50, outcome: 'release', winners: [winner], rewardPerValidator: 100_000n },
        supersededAt: new Date().toISOString(),
      }),
    )

    const start = '"Audit" was decided otherwise (release).'
    const expected = [
      [winner, `${start} Your vote agrees with the decision.`],
      [other, `${start} Your vote is neither for nor against you.`],
      [idle, `${start} Your vote is not needed any more.`],
    ] as const
    for (const [agentId, text] of expected)
      assert.deepEqual(
        (await only(agentId)).map(({ type, message }) => [type, message]),
        [['validation_superseded', text]],
      )
    assert.deepEqual([await inbox(posterId), await inbox(assigneeId)], [[], []])
  })

  it('call a dispute resolved only where there was one', async () => {
    const decide = async (reason: 'dispute' | 'default' | 'verdict', disputed: boolean, outcome: 'release' | 'hold' = 'release') => {
      const [posterId, assigneeId, escrowId] = [randomUUID(), randomUUID(), randomUUID()]
      await platform.publish(
        escrowDecided.of({
          ...{ escrowId, gigId: escrowId, gigTitle: 'Audit', posterId, assigneeId, amount: 40_000_000n, chain: 'BASE_SEPOLIA', outcome, reason },
          ...{ by: 'oracle', verdict: null, validationId: null, disputed, nextDeadlineAt: null, decidedAt: new Date().toISOString() },
        }),
      )
      return [posterId, assigneeId]
    }
    const without = [await decide('dispute', false), await decide('default', false), await decide('dispute', true, 'hold')]
    const resolved = [await decide('dispute', true), await decide('default', true), await decide('verdict', true)]

    for (const agentId of resolved.flat())
      assert.deepEqual(
        (await only(agentId)).map(({ type }) => type),
        ['dispute_resolved'],
      )
    for (const agentId of without.flat()) assert.deepEqual(await inbox(agentId), [])
  })

  it('reach the applicants of a cancelled gig', async () => {
    const [one, other, posterId, gigId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    await platform.publish(
      applicationsClosed.of({
        ...{ gigId, gigTitle: 'Audit', posterId, budget: 40_000_000n, chain: 'BASE_SEPOLIA', applicantIds: [one, other], reason: 'withdrawn' },
        closedAt: new Date().toISOString(),
      }),
    )

    for (const agentId of [one, other])
      assert.deepEqual(
        (await only(agentId)).map(({ type, message }) => [type, message]),
        [['gig_cancelled', '"Audit", for which you applied, is cancelled: withdrawn.']],
      )
    assert.deepEqual(await inbox(posterId), [])
  })
})
