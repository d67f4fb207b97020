import assert from 'node:assert/strict'
import { dayMs, hourMs, type JobStatus, jobStatuses, Refusal } from '@carapace/api'
import { codeOf } from '@carapace/testing'
import {
  assigned,
  assigneeId,
  delivery,
  disputed,
  drafted,
  followed,
  funded,
  funding,
  later,
  momentAt,
  open,
  posterId,
  settled,
  start,
  submitted,
  wallets,
} from '../testing/walk.ts'
import { applyStepOutcome } from './apply-step-outcome.ts'
import { reserveFunds, sendAssign, sendCreate, sendDispute, sendSettle, sendSubmit, sendWithdraw } from './commands.ts'
import type { ContractJob } from './contract-job.ts'
import { isBeingPaid, type Job, needAssignee, type Step } from './job.ts'
import { type JobTrigger, jobStates } from './job-states.ts'
import { mirror, regress } from './mirror.ts'
import type { Observed } from './observed.ts'
import { postings } from './postings.ts'
import { dueOf, onTime } from './timers.ts'
import { recordVerdict } from './verdict.ts'

const settle = (job: Job, outcome: 'complete' | 'reject' | 'withdraw', trigger: 'settle' | 'reject' | 'withdraw') =>
  sendSettle(job, { outcome, trigger, by: trigger === 'withdraw' ? 'party' : 'oracle', reason: '', at: start }).state
const confirm = (job: Job, step: Step, now = start): Job => followed(job, step, 'confirmed', now).state
/** Requested by time alone, and confirmed. */
const byTime = (job: Job, ms: number, step: Step): Job => confirm(onTime(job, momentAt(later(ms)))!.state, step, later(ms))
const judged = (job: Job, result: 'approved' | 'rejected', more: { weak?: boolean; frozen?: boolean } = {}): Job =>
  recordVerdict(job, job.delivery!.submissionId, { ...verdictOf(result), ...more })!.state
const verdictOf = (result: 'approved' | 'rejected', validationId = 'v1') => ({
  ...{ result, validationId, weak: false, frozen: false, at: start, settleAfter: null },
})
/** The block of the last step is dropped, and its transaction fails when it is sent again. */
const lost = (job: Job, step: Step): Job => followed(followed(job, step, 'reorged').state, step, 'failed', start, { terminal: true }).state

const contract = (more: Partial<ContractJob>): ContractJob => ({
  ...{
    client: wallets.poster,
    provider: wallets.assignee,
    evaluator: wallets.poster,
    description: '',
    budget: 20_000_000n,
    expiredAt: later(40 * dayMs),
  },
  ...{ status: 'Open', deposit: null, isDisputed: false },
  ...more,
})
/** What somebody did on the contract itself. */
const mirrored = (job: Job, more: Partial<ContractJob>, step: Step = 'settle', seen: Partial<Observed> = {}) => {
  const terms = { contract: contract(more), posterId, assigneeId, isOurEvaluator: true, isWithdrawal: false }
  const place = { payer: null, txHash: `0x${'cd'.repeat(32)}`, blockNumber: 9 }
  return mirror(job, { ...terms, step, ...place, deliverableHash: null, submissionId: 's1', ...seen }, momentAt(start)) ?? { state: job, events: [] }
}
const onContract = (job: Job, more: Partial<ContractJob>): Job => mirrored(job, more).state
const withdrawn = (job: Job) => mirrored(job, { status: 'Rejected' }, 'settle', { isWithdrawal: true })
const otherHash = `0x${'ee'.repeat(32)}`
/** The deadline is missed, and while the refund is on its way a block has the delivery. */
const deliveredAtLast = (): Job => {
  const expiring = onTime(assigned(), momentAt(later(49 * hourMs)))!.state
  return onContractAt(expiring, 'submit', { status: 'Submitted' })!
}
const submittedOf = (job: Job): Job => ({ ...job, status: 'submitted', settlement: null })
const paidIn = { deposit: { payer: wallets.poster, amount: 20_000_000n } }

/** Jobs that have ended, by the edge on which a reorganisation leads back: what they ended from differs. */
const ended = {
  settled: { backToSubmitted: settled, backToDisputed: () => confirm(settle(disputed(), 'complete', 'settle'), 'settle') },
  rejected: {
    backToAssigned: () => onContract(assigned(), { status: 'Rejected' }),
    backToSubmitted: () => confirm(settle(submitted(), 'reject', 'reject'), 'settle'),
    backToDisputed: () => confirm(settle(disputed(), 'reject', 'reject'), 'settle'),
  },
  cancelled: {
    backToOpen: () => byTime(open(), 48 * hourMs, 'settle'),
    backToFunded: () => byTime(funded(), 48 * hourMs, 'settle'),
    backToAssigned: () => byTime(assigned(), 49 * hourMs, 'settle'),
    backToSubmitted: () => onContract(submitted(), { status: 'Expired' }),
    backToDisputed: () => onContract(disputed(), { status: 'Expired' }),
  },
} satisfies Partial<Record<JobStatus, Partial<Record<JobTrigger, () => Job>>>>

/** How the rules accept each edge of the table; nothing else leads there. */
const accepted: Readonly<Record<JobStatus, Partial<Record<JobTrigger, () => Job>>>> = {
  open: {
    fund: () => confirm(funding(), 'fund'),
    withdraw: () => confirm(settle(open(), 'withdraw', 'withdraw'), 'settle'),
    expire: () => byTime(open(), 48 * hourMs, 'settle'),
    claim: () => onContract(open(), { status: 'Expired' }),
  },
  funded: {
    assign: () => confirm(sendAssign(funded(), assigneeId, wallets.assignee).state, 'assign'),
    withdraw: () => onContract(funded(), { status: 'Rejected' }),
    expire: () => byTime(funded(), 48 * hourMs, 'settle'),
    claim: () => onContract(funded(), { status: 'Expired' }),
    backToOpen: () => lost(funded(), 'fund'),
  },
  assigned: {
    submit: () => confirm(sendSubmit(assigned(), delivery()).state, 'submit'),
    reject: () => onContract(assigned(), { status: 'Rejected' }),
    expire: () => byTime(assigned(), 49 * hourMs, 'settle'),
    claim: () => onContract(assigned(), { status: 'Expired' }),
    backToFunded: () => lost(assigned(), 'assign'),
  },
  submitted: {
    settle: () => byTime(judged(submitted(), 'approved'), dayMs, 'settle'),
    reject: () => byTime(judged(submitted(), 'rejected'), dayMs, 'settle'),
    dispute: () => byTime(submitted(), 7 * dayMs, 'dispute'),
    expire: () => confirm(deliveredAtLast(), 'settle', later(49 * hourMs)),
    claim: () => onContract(submitted(), { status: 'Expired' }),
    backToAssigned: () => lost(submitted(), 'submit'),
  },
  disputed: {
    settle: () => byTime(judged(disputed(), 'approved'), 14 * dayMs, 'settle'),
    reject: () => byTime(disputed(), 14 * dayMs, 'settle'),
    expire: () => confirm(onContractAt(deliveredAtLast(), 'dispute', { status: 'Submitted', isDisputed: true })!, 'settle', later(49 * hourMs)),
    claim: () => onContract(disputed(), { status: 'Expired' }),
    backToSubmitted: () => lost(disputed(), 'dispute'),
  },
  settled: {
    backToSubmitted: () => lost(ended.settled.backToSubmitted(), 'settle'),
    backToDisputed: () => lost(ended.settled.backToDisputed(), 'settle'),
  },
  rejected: {
    backToAssigned: () => regressed(ended.rejected.backToAssigned()),
    backToSubmitted: () => lost(ended.rejected.backToSubmitted(), 'settle'),
    backToDisputed: () => lost(ended.rejected.backToDisputed(), 'settle'),
  },
  cancelled: {
    backToOpen: () => lost(ended.cancelled.backToOpen(), 'settle'),
    backToFunded: () => lost(ended.cancelled.backToFunded(), 'settle'),
    backToAssigned: () => lost(ended.cancelled.backToAssigned(), 'settle'),
    backToSubmitted: () => regressed(ended.cancelled.backToSubmitted(), { status: 'Submitted', ...paidIn }),
    backToDisputed: () => regressed(ended.cancelled.backToDisputed(), { status: 'Submitted', ...paidIn, isDisputed: true }),
  },
}

const regressed = (job: Job, more: Partial<ContractJob> = { status: 'Funded', ...paidIn }): Job =>
  regress(job, `0x${'cd'.repeat(32)}`, contract(more), start)!.state

const inState: Readonly<Record<JobStatus, () => Job>> = {
  open,
  funded,
  assigned,
  submitted,
  disputed,
  settled,
  rejected: ended.rejected.backToSubmitted,
  cancelled: ended.cancelled.backToOpen,
}

/** What a caller may request, and what a state that has no such edge answers. */
const requests: Readonly<Record<'fund' | 'assign' | 'submit' | 'dispute' | 'settle' | 'reject' | 'withdraw', (job: Job) => unknown>> = {
  fund: job => reserveFunds(job, { operationId: 'o2', kind: 'allowance', from: wallets.poster }),
  assign: job => sendAssign(job, assigneeId, wallets.assignee),
  submit: job => sendSubmit(job, delivery()),
  dispute: job => sendDispute(job, { by: posterId, reason: 'r', at: start }, wallets.poster),
  settle: job => settle(job, 'complete', 'settle'),
  reject: job => settle(job, 'reject', 'reject'),
  withdraw: job => sendWithdraw(job, { at: start }).state,
}

/** The step was requested, and the chain refused it. */
const byChain =
  (step: Step, request: (job: Job) => Job) =>
  (job: Job): Job =>
    followed(request(job), step, 'failed', start, { terminal: true }).state
/** Nobody may request it there. */
const byRule =
  (request: (job: Job) => unknown) =>
  (job: Job): undefined => {
    assert.equal(
      codeOf(() => request(job)),
      'INVALID_STATE',
    )
  }
/** Time alone does nothing a moment too early. */
const tooEarly =
  (ms: number) =>
  (job: Job): Job | undefined =>
    onTime(job, momentAt(later(ms - 1)))?.state
/** The contract shows no more than the record. */
const nothingNew = (job: Job): Job | undefined => onContractAt(job, 'create', {})
const onContractAt = (job: Job, step: Step, more: Partial<ContractJob>): Job | undefined => mirrored(job, more, step).state
/** A failure that does not end the round, and the block of a transaction that is not the one of the step, reverse nothing. */
const notLost =
  (step: Step) =>
  (job: Job): Job | undefined => {
    const reorged = followed(job, step, 'reorged').state
    const postponed = followed(reorged, step, 'failed', start, { terminal: false }).state
    return regress(postponed, `0x${'ef'.repeat(32)}`, contract({}), start)?.state ?? postponed
  }

/** The block of somebody else's end is dropped, and the contract shows that end all the same: it is in another block. */
const stillShown =
  (status: ContractJob['status']) =>
  (job: Job): Job | undefined =>
    regress(job, job.on.settle!.onChain.txHash!, contract({ status }), start)?.state

/** What leaves a job where it is, for each edge of the table. */
const refused: Readonly<Record<JobStatus, Partial<Record<JobTrigger, (job: Job) => Job | undefined>>>> = {
  open: {
    fund: byChain('fund', funding),
    withdraw: byChain('settle', job => sendWithdraw(job, { at: start }).state),
    expire: tooEarly(48 * hourMs),
    claim: nothingNew,
  },
  funded: {
    assign: byChain('assign', job => sendAssign(job, assigneeId, wallets.assignee).state),
    withdraw: byRule(requests.withdraw),
    expire: tooEarly(48 * hourMs),
    claim: nothingNew,
    backToOpen: notLost('fund'),
  },
  assigned: {
    submit: byChain('submit', job => sendSubmit(job, delivery()).state),
    reject: byRule(requests.reject),
    expire: tooEarly(49 * hourMs),
    claim: nothingNew,
    backToFunded: notLost('assign'),
  },
  submitted: {
    settle: job => tooEarly(dayMs)(judged(job, 'approved')),
    reject: job => tooEarly(dayMs)(judged(job, 'rejected')),
    dispute: tooEarly(7 * dayMs),
    expire: tooEarly(49 * hourMs),
    claim: nothingNew,
    backToAssigned: notLost('submit'),
  },
  disputed: {
    settle: job => tooEarly(14 * dayMs)(judged(job, 'approved')),
    reject: tooEarly(14 * dayMs),
    expire: tooEarly(49 * hourMs),
    claim: nothingNew,
    backToSubmitted: notLost('dispute'),
  },
  settled: { backToSubmitted: notLost('settle'), backToDisputed: notLost('settle') },
  rejected: { backToAssigned: stillShown('Rejected'), backToSubmitted: notLost('settle'), backToDisputed: notLost('settle') },
  cancelled: {
    backToOpen: notLost('settle'),
    backToFunded: notLost('settle'),
    backToAssigned: notLost('settle'),
    backToSubmitted: stillShown('Expired'),
    backToDisputed: stillShown('Expired'),
  },
}

describe('the states of a job', () => {
  it('are those that clients see', () => {
    assert.deepEqual(Object.keys(jobStates.transitions).toSorted(), [...jobStatuses].toSorted())
  })

  for (const { from, trigger, to } of jobStates.edges())
    it(`lead from ${from} by ${trigger} to ${to}`, () => {
      const apply = accepted[from][trigger]
      assert.ok(apply, `no rule accepts the edge ${trigger} of ${from}`)
      assert.equal(apply().status, to)
    })

  for (const [trigger, request] of Object.entries(requests) as [keyof typeof requests, (job: Job) => unknown][]) {
    const closed = jobStatuses.filter(status => !jobStates.allowedIn(trigger).includes(status))
    it(`refuse ${trigger} in ${closed.join(', ')}`, () => {
      for (const status of closed)
        assert.equal(
          codeOf(() => request(inState[status]())),
          'INVALID_STATE',
          status,
        )
    })
  }

  for (const { from, trigger } of jobStates.edges())
    it(`do not leave ${from} by ${trigger} where its condition is missing`, () => {
      const refuse = refused[from][trigger]
      assert.ok(refuse, `nothing says when ${trigger} of ${from} is refused`)
      const jobOf: (() => Job) | undefined = (ended as Partial<Record<JobStatus, Partial<Record<JobTrigger, () => Job>>>>)[from]?.[trigger]
      const before = (jobOf ?? inState[from])()
      assert.equal(refuse(before)?.status ?? before.status, from)
    })

  it('accept no step while another one waits for the chain', () => {
    for (const request of [requests.fund, requests.withdraw])
      assert.equal(
        codeOf(() => request(sendCreate(drafted()).state)),
        'INVALID_STATE',
      )
    assert.equal(
      codeOf(() => settle(funding(), 'withdraw', 'withdraw')),
      'INVALID_STATE',
    )
  })

  it('refuse as retryable what the step under way will allow', () => {
    const assigning = sendAssign(funded(), assigneeId, wallets.assignee).state
    const submitting = sendSubmit(assigned(), delivery()).state
    const table: [string, () => unknown][] = [
      ['an acceptance while the job is being funded', () => sendAssign(funding(), assigneeId, wallets.assignee)],
      ['a submission while the job is being assigned', () => sendSubmit(assigning, delivery())],
      ['a submission by the agent that is being assigned', () => needAssignee(assigning, assigneeId)],
      ['a dispute while the job is being submitted', () => requests.dispute(submitting)],
      ['an order of the oracle while the job is being submitted', () => settle(submitting, 'complete', 'settle')],
    ]
    for (const [title, request] of table)
      assert.throws(request, error => error instanceof Refusal && error.code === 'INVALID_STATE' && error.isRetryable, title)
  })

  it('refuse an order of the oracle before the submission', () => {
    assert.equal(
      codeOf(() => settle(assigned(), 'reject', 'reject')),
      'INVALID_STATE',
    )
  })

  it('refuse a submission after the deadline', () => {
    assert.equal(
      codeOf(() => sendSubmit(assigned(), delivery(later(48 * hourMs + 1)))),
      'WINDOW_CLOSED',
    )
  })

  it('do nothing by time before it is due', () => {
    assert.equal(onTime(open(), momentAt(later(48 * hourMs - 1))), undefined)
    assert.equal(onTime(assigned(), momentAt(later(49 * hourMs - 1))), undefined)
    assert.equal(onTime(judged(submitted(), 'approved'), momentAt(later(dayMs - 1))), undefined)
    assert.equal(onTime(submitted(), momentAt(later(7 * dayMs - 1))), undefined)
    assert.equal(onTime(disputed(), momentAt(later(14 * dayMs - 1))), undefined)
  })

  it('have the verdict on the present delivery, and none of the panel of one that is lost', () => {
    const first = submitted()
    const { submissionId } = first.delivery!
    const again = confirm(sendSubmit(lost(judged(first, 'approved'), 'submit'), delivery()).state, 'submit')
    assert.equal(again.verdict, null)
    assert.deepEqual(
      [again, judged(again, 'rejected')].map(job => recordVerdict(job, submissionId, verdictOf('approved', 'v2'))),
      [undefined, undefined],
    )
    assert.equal(judged(again, 'rejected').verdict?.result, 'rejected')
    // carried out after all: it is the same delivery
    const restored = confirm(lost(first, 'submit'), 'submit')
    assert.equal(recordVerdict(restored, submissionId, verdictOf('approved'))?.state.verdict?.result, 'approved')
  })

  it('send a decided payment again for the delivery that it is about, and for no other', () => {
    const unpaid = lost(byTime(judged(submitted(), 'approved'), dayMs, 'settle'), 'settle')
    const undelivered = lost(unpaid, 'submit')
    const next = confirm(sendSubmit(undelivered, { ...delivery(), submissionId: 's2' }).state, 'submit')
    // carried out after all: it is the same delivery
    const restored = confirm(undelivered, 'submit')

    assert.deepEqual(
      [unpaid, undelivered, next, restored].map(job => [job.status, dueOf(job)?.action]),
      [
        ['submitted', 'retry'],
        ['assigned', 'expire'],
        ['submitted', 'stall'],
        ['submitted', 'retry'],
      ],
    )
    assert.deepEqual(
      [unpaid, undelivered, next, restored].map(job => isBeingPaid(job)),
      [true, false, false, true],
    )
  })

  it('report each step that is lost, and who was assigned', () => {
    const reports = (job: Job, step: Step) =>
      followed(followed(job, step, 'reorged').state, step, 'failed', start, { terminal: true }).events.map(({ data }) => {
        const { status, lost: reversed, formerAssigneeId } = data as Record<string, unknown>
        return [status, reversed, formerAssigneeId]
      })
    assert.deepEqual(reports(funded(), 'fund'), [['open', 'fund', null]])
    assert.deepEqual(reports(assigned(), 'assign'), [['funded', 'assign', assigneeId]])
    assert.deepEqual(reports(submitted(), 'submit'), [['assigned', 'submit', null]])
    assert.deepEqual(reports(settled(), 'settle'), [['submitted', 'settle', null]])
  })

  it('make a weak or frozen rejection a dispute immediately', () => {
    for (const more of [{ weak: true }, { frozen: true }])
      assert.equal(byTime(judged(submitted(), 'rejected', more), 0, 'dispute').status, 'disputed')
  })

  const steps: [Step, JobStatus, () => Job][] = [
    ['fund', 'funded', () => funding()],
    ['assign', 'assigned', () => sendAssign(funded(), assigneeId, wallets.assignee).state],
    ['submit', 'submitted', () => sendSubmit(assigned(), delivery()).state],
    ['dispute', 'disputed', () => sendDispute(submitted(), { by: posterId, reason: 'r', at: start }, wallets.poster).state],
  ]
  for (const [step, status, requested] of steps)
    it(`follow a ${step} that the chain carried out after its failure, and its failure again, as often as they come`, () => {
      const keys = new Set<string>()
      const first = requested()
      let job = first
      const become = (is: 'confirmed' | 'failed') => {
        const before = job
        job = followed(job, step, is, start, { terminal: true }).state
        for (const { key } of postings(before, job)) assert.ok(!keys.has(key) && keys.add(key), `${key} twice`)
      }
      const expected = confirm(first, step)
      const withdrawn = followed(first, step, 'failed', start, { terminal: true }).state
      for (const _ of [1, 2, 3]) {
        become('failed')
        assert.equal(job.status, withdrawn.status)
        become('confirmed')
        assert.deepEqual([job.status, job.acceptance, job.delivery, job.dispute], [status, expected.acceptance, expected.delivery, expected.dispute])
        assert.equal(job.funding?.from, expected.funding?.from)
      }
    })

  it('stay as they ended when a step of before is carried out after its failure', () => {
    const cancelled = byTime(followed(funding(), 'fund', 'failed', start, { terminal: true }).state, 48 * hourMs, 'settle')
    assert.equal(followed(cancelled, 'fund', 'confirmed').state.status, 'cancelled')
  })

  it('stay as they ended when a step of before is reported late', () => {
    const submitting = sendSubmit(assigned(), delivery()).state
    const ended = onContract(submitting, { status: 'Rejected' })
    assert.equal(followed(ended, 'submit', 'confirmed').state.status, 'rejected')
  })

  it('ignore an outcome that arrives again', () => {
    const job = settled()
    const again = { is: 'confirmed' as const, round: job.on.settle!.onChain.round, seq: job.on.settle!.onChain.seq }
    assert.equal(applyStepOutcome(job, 'settle', again, momentAt(start)), undefined)
  })

  it('follow what somebody else did on the contract, also when our own command fails', () => {
    const ended = onContract(settle(submitted(), 'complete', 'settle'), { status: 'Expired' })
    const failed = followed(ended, 'settle', 'failed', start, { terminal: true }).state
    assert.deepEqual([ended.status, failed.status, failed.on.settle?.retryAt], ['cancelled', 'cancelled', null])
  })

  it('follow an end that a reorganisation has put into the place of ours, and move the money once', () => {
    const paid = settled()
    const claimed = onContract(paid, { status: 'Expired' })
    assert.equal(claimed.status, 'cancelled')
    const [reversal, refund, ...others] = postings(paid, claimed)
    assert.deepEqual([others, reversal?.key.endsWith(':reversed')], [[], true])
    const balances = new Map<string, bigint>()
    for (const entry of [...postings(submittedOf(paid), paid), reversal!, refund!])
      for (const { account, debit, credit } of entry.lines) balances.set(account, (balances.get(account) ?? 0n) + credit - debit)
    assert.deepEqual(
      [...balances].filter(([, balance]) => balance !== 0n),
      [
        [`job:${paid.id}`, -paid.budget],
        [`ext:${wallets.poster}`, paid.budget],
      ],
    )
    assert.equal(new Set([...postings(submittedOf(paid), paid), reversal, refund].map(entry => entry?.key)).size, 3)
  })

  it("have another number when their creation is included after somebody else's", () => {
    const again = followed(followed(open(), 'create', 'reorged').state, 'create', 'confirmed', start, { onChainJobId: '2' }).state
    assert.equal(again.onChainJobId, '2')
    assert.equal(
      codeOf(() => requests.fund(followed(open(), 'create', 'reorged').state)),
      'INVALID_STATE',
    )
  })

  it('report another transaction of a payment, once', () => {
    const reorged = followed(settled(), 'settle', 'reorged').state
    const { events, state } = followed(reorged, 'settle', 'confirmed')
    assert.deepEqual(
      events.map(({ type, data }) => [type, (data as { unpaid: boolean }).unpaid]),
      [['commerce.job.corrected.v1', false]],
    )
    const sameAgain = followed(followed(state, 'settle', 'reorged').state, 'settle', 'confirmed', start, { txHash: state.on.settle!.onChain.txHash! })
    assert.deepEqual(sameAgain.events, [])
  })

  it('end as expired where a block has the delivery just before the refund of a missed deadline, and go back to it', () => {
    const expired = confirm(deliveredAtLast(), 'settle', later(49 * hourMs))
    assert.deepEqual([expired.status, expired.closeReason], ['cancelled', 'deadline_missed'])
    assert.equal(lost(expired, 'settle').status, 'submitted')
  })

  it('send no withdrawal again once somebody is assigned, and miss the deadline then', () => {
    const failing = (job: Job): Job => followed(job, 'settle', 'failed', start, { terminal: true }).state
    const byPoster = failing(settle(open(), 'withdraw', 'withdraw'))
    assert.equal(dueOf(byPoster)?.action, 'retry')
    const started = onContractAt(byPoster, 'assign', { status: 'Funded', ...paidIn })!
    assert.deepEqual([started.status, dueOf(started)], ['assigned', { at: later(49 * hourMs), action: 'expire' }])

    const atDeadline = failing(onTime(funded(), momentAt(later(48 * hourMs)))!.state)
    const late = onContractAt(atDeadline, 'assign', { status: 'Funded', ...paidIn })!
    assert.deepEqual([late.status, dueOf(late)?.action], ['assigned', 'expire'])
  })

  it('send no refund of a missed deadline again to a job that has lost its assignment', () => {
    const expiring = followed(onTime(assigned(), momentAt(later(49 * hourMs)))!.state, 'settle', 'failed', start, { terminal: true }).state
    assert.equal(dueOf(expiring)?.action, 'retry')
    assert.equal(dueOf(lost(expiring, 'assign'))?.action, 'expire')
  })

  it('reverse the assignment where the client has withdrawn the job, and credit nobody with it', () => {
    for (const job of [assigned(), submitted(), disputed()]) {
      const { state, events } = withdrawn(job)
      assert.deepEqual([state.status, state.closeReason, state.assigneeId, state.delivery], ['cancelled', 'withdrawn', null, null], job.status)
      const last = events.at(-1)!
      assert.equal(last.type, 'commerce.job.cancelled.v1')
      assert.deepEqual(
        events.slice(0, -1).map(({ type, data }) => [type, (data as { lost: string }).lost]),
        (['dispute', 'submit', 'assign'] as const).filter(step => job.on[step]).map(step => ['commerce.job.corrected.v1', step]),
      )
      assert.deepEqual(
        postings(job, state)
          .flatMap(({ lines }) => lines.map(({ account }) => account))
          .toSorted(),
        [`ext:${wallets.poster}`, `job:${job.id}`],
      )
    }
  })

  it('credit nobody with an end that no decision of ours explains', () => {
    const rejected = mirrored(assigned(), { status: 'Rejected' })
    assert.deepEqual(
      rejected.events.map(({ type, data }) => [type, (data as { creditable: boolean }).creditable]),
      [['commerce.job.rejected.v1', false]],
    )
  })

  it('have the delivery that the log on the contract names, with its dispute, and reverse the reported one', () => {
    for (const job of [submitted(), disputed()]) {
      const { state, events } = mirrored(job, { status: 'Submitted', isDisputed: job.status === 'disputed' }, 'submit', {
        deliverableHash: otherHash,
      })
      assert.deepEqual(
        [state.status, state.delivery?.hash, state.delivery?.url, state.dispute?.reason],
        [job.status, otherHash, null, job.dispute?.reason],
      )
      assert.notEqual(state.delivery?.submissionId, job.delivery?.submissionId)
      assert.ok(events.some(({ type, data }) => type === 'commerce.job.corrected.v1' && (data as { lost: string }).lost === 'submit'))
      assert.ok(
        events.some(({ type, data }) => type === 'commerce.job.submitted.v1' && (data as { deliverableHash: string }).deliverableHash === otherHash),
      )
    }
  })

  it('leave a delivery that was there already to its log, which says whose it is', () => {
    const requested = sendSubmit(assigned(), delivery()).state
    const found = followed(requested, 'submit', 'confirmed', start, { already: true }).state
    assert.equal(found.status, 'assigned')
    const own = mirrored(found, { status: 'Submitted' }, 'submit', { deliverableHash: requested.delivery!.hash }).state
    assert.deepEqual([own.status, own.delivery], ['submitted', requested.delivery])
    const other = mirrored(found, { status: 'Submitted' }, 'submit', { deliverableHash: otherHash }).state
    assert.deepEqual([other.status, other.delivery?.hash, other.delivery?.url], ['submitted', otherHash, null])
    const logged = { already: true, deliverableHash: requested.delivery!.hash }
    assert.equal(followed(requested, 'submit', 'confirmed', start, logged).state.status, 'submitted')
  })

  it('send a settlement that failed again as its next round', () => {
    const failed = followed(settle(submitted(), 'complete', 'settle'), 'settle', 'failed', start, { terminal: true }).state
    assert.equal(failed.status, 'submitted')
    const [command] = onTime(failed, momentAt(later(60_000)))!.events
    assert.deepEqual((command!.data as { opKey: string; round: number }).round, 2)
  })
})
