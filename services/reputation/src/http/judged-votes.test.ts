import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { inProcessBus, quiet } from '@carapace/bus'
import { newHash, newWallet, published, released, type TestAgent, until } from '@carapace/testing'
import { type Parts, stores } from '../parts.ts'
import { record } from '../record.ts'
import { type Harness, newAgent, startHarness } from '../testing/harness.ts'

type Choice = 'approve' | 'reject'
type Refund = Partial<api.PayloadOf<typeof api.escrowRefunded>>

function rowOf(votes: api.ValidationRow['votes'], more: Partial<api.ValidationRow>): api.ValidationRow {
  const at = new Date().toISOString()
  return {
    ...{ validationId: randomUUID(), gigId: randomUUID(), jobId: null, submissionId: randomUUID(), title: 'Audit', round: 1 },
    ...{ posterId: randomUUID(), assigneeId: randomUUID(), budget: '40000000', chain: 'BASE_SEPOLIA', parentValidationId: null, appealOf: null },
    ...{ nextValidationId: null, status: 'approved', candidateCount: 3, threshold: 2, weak: false, oracleAssisted: false, frozen: false },
    ...{ disputeReason: null, panel: votes.map(({ voterId }) => voterId), votes, approvals: 0, rejections: 0, approvalPct: 0 },
    ...{ expiresAt: at, resolvedAt: at, settleAfter: null, appealUntil: null, version: 5 },
    ...more,
  }
}

describe('the votes on a piece of work', () => {
  let harness: Harness
  let poster: TestAgent
  let assignee: TestAgent
  let voters: TestAgent[]
  before(async () => {
    harness = await startHarness()
    const agents = await Promise.all(Array.from({ length: 7 }, () => newAgent(harness)))
    poster = agents[0]!
    assignee = agents[1]!
    voters = agents.slice(2)
  })
  after(() => harness.close())
  beforeEach(() => {
    harness.validationsOf = () => []
  })

  const eventsOf = async (agentId: string) => (await harness.call('GET', `/api/audit?agentId=${agentId}&limit=100`)).body.events
  const judgedOf = async (agentId: string): Promise<{ validationId: string; withVerdict: boolean }[]> =>
    (await eventsOf(agentId)).filter(({ type }: { type: string }) => type === 'vote_judged').map(({ details }: { details: unknown }) => details)
  /** A panel that has voted, as the swarm shows it. */
  const panelOf = (choices: readonly Choice[], more: Partial<api.ValidationRow> = {}): api.ValidationRow =>
    rowOf(
      choices.map((vote, at) => ({ voterId: voters[at]!.id, vote })),
      { posterId: poster.id, assigneeId: assignee.id, ...more },
    )
  const shows = (...rows: api.ValidationRow[]) => {
    harness.validationsOf = subject => rows.filter(({ gigId, jobId }) => gigId === subject || jobId === subject)
  }
  const publish = (draft: api.Draft) => harness.platform.publish(draft)
  const paymentOf = ({ gigId, validationId }: api.ValidationRow, more: Partial<api.PayloadOf<typeof api.escrowReleased>> = {}) =>
    released({ posterId: poster.id, assigneeId: assignee.id, gigId: gigId!, validationId, ...more })
  const pay = (...given: Parameters<typeof paymentOf>) => publish(paymentOf(...given))
  const refund = ({ gigId }: api.ValidationRow, more: Refund) =>
    publish(
      api.escrowRefunded.of({
        ...{ escrowId: randomUUID(), gigId: gigId!, gigTitle: 'Audit', posterId: poster.id, assigneeId: assignee.id, amount: 40_000_000n },
        ...{ chain: 'BASE_SEPOLIA', fundedFrom: { kind: 'allowance', address: newWallet() }, txHash: newHash(), blockNumber: 5, reason: 'verdict' },
        ...{ by: 'swarm', failure: 'rejected', payoutLost: false, disputed: false, refundedAt: new Date().toISOString(), ...more },
      }),
    )
  /** Whether each vote of a panel had the final verdict; undefined for one that was not judged. */
  const rightOf = async ({ votes, validationId }: api.ValidationRow) => {
    const found = await Promise.all(votes.map(async ({ voterId }) => (await judgedOf(voterId)).filter(fact => fact.validationId === validationId)))
    for (const facts of found) assert.ok(facts.length < 2)
    return found.map(([fact]) => fact?.withVerdict)
  }
  const areJudged = (row: api.ValidationRow, expected: readonly boolean[]) =>
    until('the votes are judged', async () => {
      const right = await rightOf(row)
      return right.length === expected.length && right.every((one, at) => one === expected[at])
    })
  /** All that was published before has been handled. */
  const areHandled = async (row: api.ValidationRow) => {
    const marker = rowOf([{ voterId: voters.at(-1)!.id, vote: 'approve' }], {})
    const earlier = harness.validationsOf
    harness.validationsOf = subject => (subject === marker.gigId ? [marker] : earlier(subject))
    await pay(marker)
    await areJudged(marker, [true])
    return rightOf(row)
  }
  const jobOf = ({ jobId }: api.ValidationRow) => ({
    ...{ jobId: jobId!, onChainJobId: '1', title: 'Summarise', posterId: poster.id, assigneeId: assignee.id, budget: 20_000_000n },
    ...{ chain: 'BASE_SEPOLIA' as const, txHash: newHash(), at: new Date().toISOString() },
    ...{ by: 'swarm' as const, weak: false, creditable: true, afterDispute: false },
  })
  const paidJob = { requiredSkills: [], fee: 600_000n, net: 19_400_000n, posterScore: 15, assigneeScore: 15, status: 'settled' as const }

  it('count nothing with the verdict alone, nor with a gig that was never funded', async () => {
    const row = panelOf(['approve', 'approve', 'reject'])
    const { gigId, validationId, votes } = row
    shows(row)
    await publish(
      api.validationResolved.of({
        ...{ validationId, gigId, jobId: null, title: 'Audit', posterId: poster.id, assigneeId: assignee.id, budget: 1_000_000n, round: 1 },
        ...{ chain: 'BASE_SEPOLIA', appealOf: null, candidateCount: 3, threshold: 2, weak: false, oracleAssisted: false },
        ...{ panel: row.panel, votes, approvals: 2, rejections: 1, approvalPct: 66.7, submissionId: row.submissionId, verdict: 'approved' },
        ...{ frozen: false, disputeReason: null, winners: [], rewardPerValidator: 100_000n, settleAfter: null, appealUntil: null },
        resolvedAt: new Date().toISOString(),
      }),
    )
    await publish(
      api.escrowDecided.of({
        ...{ escrowId: randomUUID(), gigId: gigId!, gigTitle: 'Audit', posterId: poster.id, assigneeId: assignee.id, amount: 0n },
        ...{ chain: 'BASE_SEPOLIA', outcome: 'unfunded', reason: 'verdict', by: 'swarm', verdict: 'approved', validationId },
        ...{ nextDeadlineAt: null, disputed: false, decidedAt: new Date().toISOString() },
      }),
    )

    assert.deepEqual(await areHandled(row), [undefined, undefined, undefined])
  })

  it('are judged once when the gig is paid after an approval, and not again by a repeated event', async () => {
    const row = panelOf(['approve', 'approve', 'reject'])
    shows(row)
    const payment = published(paymentOf(row))
    await harness.platform.bus.publish([payment])
    await areJudged(row, [true, true, false])
    const scores = async () =>
      Promise.all(row.votes.map(async ({ voterId }) => (await harness.call('GET', `/api/agents/${voterId}/reputation`)).body.fusedScore))
    const before = await scores()

    await harness.platform.bus.publish([payment])
    await pay(row, { settledAt: later() })

    assert.deepEqual(await areHandled(row), [true, true, false])
    assert.deepEqual(await scores(), before)
    assert.ok(before[0] > 15 && before[2] <= before[0])
  })

  it('are judged when the gig is refunded by the rejection', async () => {
    const row = panelOf(['reject', 'approve', 'reject'], { status: 'rejected' })
    shows(row)
    await refund(row, {})
    await areJudged(row, [true, false, true])
  })

  it('are judged by the outcome of the appeal, with those of its panel', async () => {
    const first = panelOf(['reject', 'reject', 'approve'], { status: 'rejected', frozen: true })
    const appeal = panelOf(['approve', 'approve', 'approve', 'approve', 'reject'], { gigId: first.gigId, appealOf: first.validationId })
    shows(appeal, first)
    await pay(appeal)
    await areJudged(first, [false, false, true])
    await areJudged(appeal, [true, true, true, true, false])

    const lost = panelOf(['reject', 'reject', 'approve'], { status: 'rejected', frozen: true })
    const expired = panelOf(['approve'], { gigId: lost.gigId, appealOf: lost.validationId, status: 'expired' })
    shows(expired, lost)
    await refund(lost, { by: 'swarm', disputed: true })
    await areJudged(lost, [true, true, false])
    assert.deepEqual(await rightOf(expired), [undefined])
  })

  it('of the panel of a lost appeal are judged where the first panel was weak', async () => {
    const weak = panelOf(['reject'], { status: 'rejected', frozen: true, weak: true })
    const appeal = panelOf(['reject', 'approve', 'reject'], { gigId: weak.gigId, appealOf: weak.validationId, status: 'rejected' })
    shows(appeal, weak)
    await refund(weak, { failure: null })
    await areJudged(appeal, [true, false, true])
    assert.deepEqual(await rightOf(weak), [undefined])
  })

  it('are judged by the decision of a dispute and not by the verdict before it', async () => {
    const [won, lost] = [panelOf(['reject', 'reject', 'approve'], { status: 'rejected' }), panelOf(['approve', 'approve', 'reject'])]
    shows(won, lost)
    await pay(won, { by: 'admin', verdict: 'ORACLE', afterDispute: true })
    await refund(lost, { reason: 'dispute', by: 'admin', failure: 'dispute_lost', disputed: true })
    await areJudged(won, [false, false, true])
    await areJudged(lost, [false, false, true])
  })

  it('count nothing where the money moved without a judgement, or the panel has no verdict', async () => {
    const rows = Array.from({ length: 4 }, () => panelOf(['approve', 'reject']))
    const open = (['pending', 'expired', 'superseded'] as const).map(status => panelOf(['approve'], { status }))
    shows(...rows, ...open)
    const [byTime, missed, byDefault, lost] = rows as [api.ValidationRow, api.ValidationRow, api.ValidationRow, api.ValidationRow]
    await pay(byTime, { by: 'time', verdict: 'DEFAULT', creditable: false })
    await refund(missed, { reason: 'cancelled', by: 'time', failure: 'deadline_missed' })
    await refund(byDefault, { reason: 'default', by: 'time', failure: null, disputed: true })
    await refund(lost, { reason: 'verdict', failure: null, payoutLost: true })
    for (const row of open) await pay(row, { by: 'oracle' })

    await areHandled(byTime)
    for (const row of rows) assert.deepEqual(await rightOf(row), [undefined, undefined])
    for (const row of open) assert.deepEqual(await rightOf(row), [undefined])
  })

  it('of a job are those on the delivery that was paid or rejected, judged once', async () => {
    const ofJob = { gigId: null, jobId: randomUUID() }
    const [dropped, paid] = [panelOf(['approve', 'reject'], ofJob), panelOf(['approve', 'reject'], ofJob)]
    const rejected = panelOf(['approve', 'reject', 'reject'], { gigId: null, jobId: randomUUID(), status: 'rejected' })
    const byTime = panelOf(['approve'], { gigId: null, jobId: randomUUID() })
    shows(dropped, paid, rejected, byTime)

    await publish(api.jobSettled.of({ ...jobOf(paid), ...paidJob, validationId: paid.validationId }))
    await publish(api.jobRejected.of({ ...jobOf(rejected), status: 'rejected', validationId: rejected.validationId }))
    await publish(api.jobSettled.of({ ...jobOf(byTime), ...paidJob, by: 'time', creditable: false, validationId: byTime.validationId }))
    await areJudged(paid, [true, false])
    await areJudged(rejected, [false, true, true])
    // a reorganisation has reversed the payment, and the oracle ends the job otherwise
    await publish(api.jobRejected.of({ ...jobOf(paid), at: later(), status: 'rejected', afterDispute: true, validationId: paid.validationId }))

    assert.deepEqual(await areHandled(paid), [true, false])
    assert.deepEqual([await rightOf(dropped), await rightOf(byTime)], [[undefined, undefined], [undefined]])
  })

  it('that an earlier version judged at the verdict are not judged again', async () => {
    const row = panelOf(['approve', 'reject'])
    shows(row)
    const parts = partsOf()
    const resolved = { id: randomUUID(), time: new Date(Date.now() - 60_000).toISOString(), source: '/carapace/swarm' } as api.CloudEvent
    const [first] = row.votes
    await record(parts, resolved, first!.voterId, { type: 'vote_judged', validationId: row.validationId, withVerdict: true, vote: 'approve' })

    await pay(row)

    await areJudged(row, [true, false])
  })

  it('count in the score also where the process ended between the log and the score', async () => {
    const row = panelOf(['approve'])
    shows(row)
    const parts = partsOf()
    const { voterId } = row.votes[0]!
    const inputsOf = async () => (await harness.call('GET', `/api/agents/${voterId}/reputation`)).body.inputs
    const before = await inputsOf()
    const at = new Date().toISOString()
    const payment = published(paymentOf(row, { settledAt: at }))
    const fact = { type: 'vote_judged', validationId: row.validationId, withVerdict: true, vote: 'approve' } as const
    const scores = { before: 15, after: 15 }
    const key = `vote_judged ${row.validationId}`
    await parts.audit.append([{ agentId: voterId, fact, key, eventId: payment.event.id, source: 'escrow', txHash: null, at: new Date(at), scores }])

    await harness.platform.bus.publish([payment])

    await until('the score has it', async () => (await inputsOf()).count === before.count + 1)
    assert.deepEqual(await rightOf(row), [true])
  })

  const later = () => new Date(Date.now() + 1_000).toISOString()
  const partsOf = (): Parts => {
    const { platform } = harness.platform.service('reputation')
    return { ...platform, ...stores(platform) }
  }
})

describe('the votes on a gig that is paid while the swarm is away', () => {
  it('are judged when it is back, and the payment counts meanwhile', async () => {
    const bus = inProcessBus({ log: quiet, retry: { delaysMs: [100], limit: 200 } })
    const harness = await startHarness({}, { bus })
    after(() => harness.close().then(() => bus.close()))
    const [poster, worker, voter] = await Promise.all([newAgent(harness), newAgent(harness), newAgent(harness)])
    const row = rowOf([{ voterId: voter.id, vote: 'approve' }], {})
    const typesOf = async ({ id }: TestAgent): Promise<string[]> =>
      (await harness.call('GET', `/api/audit?agentId=${id}&limit=100`)).body.events.map(({ type }: { type: string }) => type)
    let isAway = true
    harness.validationsOf = () => (isAway ? api.refuse('DEPENDENCY_UNAVAILABLE') : [row])

    await harness.platform.publish(released({ gigId: row.gigId!, validationId: row.validationId, posterId: poster.id, assigneeId: worker.id }))
    await until('the payment is logged', async () => (await typesOf(worker)).includes('settled'))
    const before = await typesOf(voter)
    isAway = false
    await until('the vote is judged', async () => (await typesOf(voter)).includes('vote_judged'))

    assert.deepEqual(
      [before, await typesOf(voter), await typesOf(worker)],
      [['registered'], ['vote_judged', 'registered'], ['settled', 'registered']],
    )
  })
})
