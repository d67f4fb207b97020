import assert from 'node:assert/strict'
import { applicationsClosed, type Draft, dayMs, gigStatuses, hourMs, Refusal } from '@carapace/api'
import { codeOf } from '@carapace/testing'
import fc from 'fast-check'
import { addApplicant, assign, settleAcceptance } from './acceptance.ts'
import { followEscrowDecision, projectEscrowStatus } from './escrow-decision.ts'
import { expireDue, type Gig, type GigDraft, graceAfterDeadlineMs, openForMs, post, submit, withdraw } from './gig.ts'
import { gigStates } from './gig-states.ts'

const start = new Date('2026-01-01T00:00:00.000Z')
const later = (ms: number) => new Date(start.getTime() + ms)

const draft: GigDraft = {
  id: '0190a5d0-0000-7000-8000-000000000001',
  posterId: 'poster',
  title: 'Audit a vault',
  description: 'Read it.',
  skillsRequired: ['solidity'],
  budget: 40_000_000n,
  bondRequired: 0n,
  chain: 'BASE_SEPOLIA',
  deadlineHours: 48,
  crewGig: false,
  minCrewScore: null,
  requiredRoles: [],
  agencyMode: false,
  milestones: [],
  attachmentUrls: [],
  gigPlan: null,
}
const openGig: Gig = { ...post(draft, start).state, applicantIds: ['worker'] }
const acceptance = { agentId: 'worker', crewId: null, memberIds: [], by: 'application' as const, id: 'a1', feeBp: 300, at: start }
const delivery = { submissionId: 's1', url: 'https://example.org/r', note: null, hash: `0x${'1'.repeat(64)}` }
const assigned = assign(openGig, acceptance, start).state
const delivered = submit(assigned, 'worker', delivery, later(hourMs)).state
const held = followEscrowDecision(delivered, { outcome: 'hold', reason: 'frozen', verdict: 'rejected' }, later(2 * hourMs))!.state

describe('a gig', () => {
  it('is assigned with its fee frozen and its deadline set', () => {
    assert.deepEqual([assigned.status, assigned.feeBp, assigned.deadlineAt], ['assigned', 300, later(48 * hourMs)])
  })

  it('is delivered by its assignee only, once, and not after the grace of its deadline', () => {
    assert.equal(
      codeOf(() => submit(assigned, 'stranger', delivery, start)),
      'NOT_ASSIGNEE',
    )
    assert.equal(
      codeOf(() => submit(delivered, 'worker', delivery, start)),
      'INVALID_STATE',
    )
    assert.equal(
      codeOf(() => submit(assigned, 'worker', delivery, later(48 * hourMs + graceAfterDeadlineMs + 1))),
      'WINDOW_CLOSED',
    )
  })

  it('is delivered into a dispute that began before, and stays disputed', () => {
    const disputed = followEscrowDecision(assigned, { outcome: 'hold', reason: 'dispute', verdict: null }, start)!.state

    const { state, events } = submit(disputed, 'worker', delivery, later(hourMs))

    assert.equal(state.status, 'disputed')
    assert.equal(events[0]?.data.disputed, true)
    assert.equal(
      codeOf(() => submit(state, 'worker', delivery, later(hourMs))),
      'INVALID_STATE',
    )
  })

  it('names every applicant of a cancelled gig but the assignee, 200 an event, and a late one too', () => {
    const closed = (events: Draft[]) => events.filter(({ type }) => type === applicationsClosed.type).map(({ data }) => data.applicantIds)
    const many = Array.from({ length: 450 }, (_, n) => `a${n}`)

    const withdrawn = withdraw({ ...openGig, applicantIds: many }, 'poster', start)
    assert.deepEqual(closed(withdrawn.events), [many.slice(0, 200), many.slice(200, 400), many.slice(400)])
    const missed = expireDue({ ...assigned, applicantIds: ['worker', 'other'] }, later(1_000 * dayMs))!
    assert.deepEqual([missed.state.status, closed(missed.events)], ['cancelled', [['other']]])
    assert.deepEqual(closed(withdraw({ ...openGig, applicantIds: [] }, 'poster', start).events), [])
    assert.deepEqual(closed(addApplicant(withdrawn.state, 'late', start)!.events), [['late']])
    assert.deepEqual(closed(addApplicant(openGig, 'early', start)!.events), [])
  })

  it('is withdrawn by its poster, while open', () => {
    assert.equal(withdraw(openGig, 'poster', start).state.status, 'cancelled')
    assert.equal(
      codeOf(() => withdraw(openGig, 'worker', start)),
      'NOT_POSTER',
    )
    assert.equal(
      codeOf(() => withdraw(assigned, 'poster', start)),
      'INVALID_STATE',
    )
  })

  const decisions = [
    [delivered, { outcome: 'release', reason: 'verdict', verdict: 'approved' }, 'completed', 'approved', true],
    [delivered, { outcome: 'unfunded', reason: 'verdict', verdict: 'approved' }, 'completed', 'approved', false],
    [delivered, { outcome: 'refund', reason: 'verdict', verdict: 'rejected' }, 'cancelled', 'rejected', null],
    [delivered, { outcome: 'unfunded', reason: 'no_consensus', verdict: 'expired' }, 'cancelled', 'expired', null],
    [delivered, { outcome: 'hold', reason: 'weak', verdict: 'rejected' }, 'disputed', null, null],
    [assigned, { outcome: 'release', reason: 'dispute', verdict: null }, 'completed', 'approved', true],
    [assigned, { outcome: 'refund', reason: 'default', verdict: null }, 'cancelled', 'refunded', null],
    [held, { outcome: 'release', reason: 'dispute', verdict: 'approved' }, 'completed', 'approved', true],
    [held, { outcome: 'refund', reason: 'dispute', verdict: null }, 'cancelled', 'refunded', null],
  ] as const
  for (const [gig, decision, status, reason, funded] of decisions) {
    it(`that is ${gig.status} becomes ${status} when the escrow decides ${decision.outcome} (${decision.reason})`, () => {
      const { state } = followEscrowDecision(gig, decision, start)!

      assert.deepEqual([state.status, state.closeReason, state.funded], [status, reason, funded])
    })
  }

  it('follows no decision after its end, and none twice', () => {
    const completed = followEscrowDecision(delivered, { outcome: 'release', reason: 'verdict', verdict: 'approved' }, start)!.state

    for (const outcome of ['release', 'refund', 'hold', 'unfunded'] as const)
      assert.equal(followEscrowDecision(completed, { outcome, reason: 'verdict', verdict: 'rejected' }, start), undefined)
    assert.equal(followEscrowDecision(held, { outcome: 'hold', reason: 'weak', verdict: 'rejected' }, start), undefined)
  })

  it('ends as the last decision says, in any order and number of holds and that decision', () => {
    const holds = (['dispute', 'frozen', 'weak', 'no_consensus'] as const).map(reason => ({ outcome: 'hold' as const, reason, verdict: null }))
    const ends = [
      { outcome: 'release', reason: 'dispute', verdict: 'approved' },
      { outcome: 'refund', reason: 'default', verdict: 'rejected' },
      { outcome: 'unfunded', reason: 'verdict', verdict: 'approved' },
      { outcome: 'unfunded', reason: 'no_consensus', verdict: 'expired' },
    ] as const
    const received = fc.constantFrom(...ends).chain(end => {
      const others = fc.array(fc.constantFrom(...holds, end, 'submit' as const), { maxLength: 6 })
      return others.chain(some => fc.shuffledSubarray([end, ...some], { minLength: some.length + 1 }).map(words => ({ end, words })))
    })
    fc.assert(
      fc.property(fc.constantFrom(assigned, delivered, held), received, (gig, { end, words }) => {
        const deliver = (present: Gig) => (present.submissionId === null ? submit(present, 'worker', delivery, start) : undefined)
        const isOver = (present: Gig) => gigStates.isFinal(present.status)
        const ended = words.reduce((present, word) => {
          const decided = word === 'submit' ? !isOver(present) && deliver(present) : followEscrowDecision(present, word, start)
          return decided ? decided.state : present
        }, gig)

        const { status, closeReason, funded } = followEscrowDecision(held, end, start)!.state
        assert.deepEqual([ended.status, ended.closeReason, ended.funded], [status, closeReason, funded])
      }),
    )
  })

  it('cannot be assigned by an acceptance that was abandoned', () => {
    const abandoned = settleAcceptance({ ...openGig, acceptance }, 'worker')!.state

    assert.equal(
      codeOf(() => assign(abandoned, acceptance, start)),
      'CONFLICT',
    )
    assert.equal(settleAcceptance(assigned, 'worker'), undefined)
  })

  it('is left by time alone while it is open or assigned', () => {
    assert.equal(expireDue(openGig, later(openForMs - 1)), undefined)
    assert.equal(expireDue(openGig, later(openForMs))?.state.closeReason, 'expired')
    assert.equal(expireDue(assigned, assigned.dueAt!)?.state.closeReason, 'deadline_missed')
    assert.equal(expireDue(delivered, later(1000 * hourMs)), undefined)
  })

  it('never leaves its table, with any events in any order', () => {
    const command = fc.constantFrom('assign', 'submit', 'withdraw', 'expireDue', 'release', 'refund', 'hold', 'unfunded')
    fc.assert(
      fc.property(fc.array(command, { maxLength: 15 }), commands => {
        let gig = openGig
        for (const name of commands) {
          const before = gig.status
          try {
            gig = (step(gig, name) ?? { state: gig }).state
          } catch (error) {
            assert.ok(error instanceof Refusal)
          }
          const allowed: string[] = [before, ...gigStates.edges().flatMap(({ from, to }) => (from === before ? [to] : []))]
          assert.ok(allowed.includes(gig.status), `${before} → ${gig.status} by ${name}`)
          assert.ok(gigStatuses.includes(gig.status))
          if (gig.status === 'completed' || gig.status === 'cancelled') assert.equal(gig.dueAt, null)
        }
      }),
    )
  })

  it('shows the latest status of its escrow, in any order and number of locks, failures, disputes and settlements', () => {
    const status = fc.constantFrom<Gig['escrowStatus']>('none', 'locked', 'disputed', 'released', 'refunded')
    // a lock that meets a dispute is both in one version of the escrow
    const word = fc.oneof(
      status.map(only => [only]),
      fc.constant<Gig['escrowStatus'][]>(['locked', 'disputed']),
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), (history, seeds) => {
        const words = history.flatMap((statuses, index) => statuses.map(of => ({ of, version: 2 + index })))
        const received = [...words, ...words].map(change => ({ change, at: seeds.next().value! })).sort((a, b) => a.at - b.at)

        const gig = received.reduce((present, { change }) => projectEscrowStatus(present, change.of, change.version)?.state ?? present, openGig)

        assert.equal(gig.escrowStatus, history.at(-1)!.at(-1))
      }),
    )
  })
})

function step(gig: Gig, name: string) {
  if (name === 'assign') return assign(gig, acceptance, start)
  if (name === 'submit') return submit(gig, 'worker', delivery, start)
  if (name === 'withdraw') return withdraw(gig, 'poster', start)
  if (name === 'expireDue') return expireDue(gig, later(10_000 * hourMs))
  return followEscrowDecision(gig, { outcome: name as 'release', reason: 'verdict', verdict: name === 'refund' ? 'rejected' : 'approved' }, start)
}
