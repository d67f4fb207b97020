import assert from 'node:assert/strict'
import { dayMs, MICRO } from '@carapace/api'
import { codeOf } from '@carapace/testing'
import fc from 'fast-check'
import { ago, now } from '../testing/moment.ts'
import { approvals, newValidation, rejections, type Validation } from '../validation/validation.ts'
import { castVote, closeWindow, type VerdictFacts } from './verdict.ts'

const beacon = `0x${'ab'.repeat(32)}`
const plainFacts: VerdictFacts = { crewsOf: () => [], registeredAt: () => ago(10 * dayMs), waitMs: () => 0, opensOn: () => undefined, nextId: 'next' }

function validation(candidateCount: number, threshold: number, given: Partial<Validation> = {}): Validation {
  const submission = { gigId: 'g1', submissionId: 's1', title: 'Audit', posterId: 'poster', assigneeId: 'worker' }
  const panel = Array.from({ length: candidateCount }, (_, at) => ({ agentId: `a${at}`, wallet: `0x${at}`, replaced: false }))
  const drawn = { id: 'v1', candidateCount, threshold, beacon, eligible: 0, order: [], panel }
  return newValidation({ ...submission, partyWallets: [], budget: 40n * MICRO, chain: 'BASE_SEPOLIA', ...drawn, ...given }, now)
}

function vote(v: Validation, choices: readonly ('approve' | 'reject')[], facts = plainFacts): Validation {
  return choices.reduce(
    (state, choice, at) =>
      state.status === 'pending' ? castVote(state, { id: `vote${at}`, voterId: `a${at}`, vote: choice, reasoning: null }, facts, now).state : state,
    v,
  )
}

describe('consensus', () => {
  const cases: [number, number, ('approve' | 'reject')[], string][] = [
    [3, 2, ['approve', 'approve'], 'approved'],
    [3, 2, ['approve', 'reject'], 'pending'],
    [3, 2, ['reject', 'reject'], 'rejected'],
    [5, 5, ['reject'], 'pending'],
    [5, 5, ['reject', 'reject', 'reject'], 'rejected'],
    [4, 4, ['reject', 'approve', 'approve', 'approve'], 'expired'],
    [2, 1, ['reject', 'approve'], 'expired'],
    [3, 1, ['reject', 'approve', 'approve'], 'approved'],
  ]
  for (const [n, threshold, choices, expected] of cases) {
    it(`of ${n}/${threshold} after ${choices.join(', ')} is ${expected}`, () => {
      assert.equal(vote(validation(n, threshold), choices).status, expected)
    })
  }

  it('never approves without more approvals than rejections, never rejects without more than half of the panel', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 15 }),
        fc.integer({ min: 1, max: 15 }),
        fc.array(fc.constantFrom('approve' as const, 'reject' as const), { maxLength: 15 }),
        (n, threshold, choices) => {
          const end = vote(validation(n, Math.min(n, threshold)), choices.slice(0, n))
          if (end.status === 'approved') assert.ok(approvals(end) > rejections(end) && approvals(end) >= end.threshold)
          if (end.status === 'rejected') assert.ok(rejections(end) > n / 2)
          if (end.votes.length === n) assert.notEqual(end.status, 'pending')
        },
      ),
    )
  })

  it('accepts one vote of each validator of the panel, until it is resolved', () => {
    const once = vote(validation(3, 2), ['approve'])
    const ballot = { id: 'x', vote: 'approve' as const, reasoning: null }

    assert.equal(
      codeOf(() => castVote(once, { ...ballot, voterId: 'a0' }, plainFacts, now)),
      'ALREADY_VOTED',
    )
    assert.equal(
      codeOf(() => castVote(once, { ...ballot, voterId: 'stranger' }, plainFacts, now)),
      'NOT_VALIDATOR',
    )
    assert.equal(
      codeOf(() => castVote(vote(validation(3, 2), ['approve', 'approve']), { ...ballot, voterId: 'a2' }, plainFacts, now)),
      'VALIDATION_RESOLVED',
    )
    assert.equal(
      codeOf(() => castVote(once, { ...ballot, voterId: 'a1' }, plainFacts, new Date(once.expiresAt))),
      'VALIDATION_RESOLVED',
    )
  })

  it('is none of the advisers of the oracle, however they vote and when their window ends', () => {
    for (const choice of ['approve', 'reject'] as const) {
      const voted = vote(validation(2, 2, { oracleAssisted: true }), [choice, choice])
      assert.deepEqual([voted.status, voted.votes.length], ['pending', 2])

      const end = closeWindow(voted, plainFacts, voted.expiresAt)!.state
      assert.deepEqual([end.status, end.nextValidationId, end.frozen], ['expired', 'next', false])
    }
  })

  it('freezes a rejection by fresh accounts and opens 48 hours for an appeal', () => {
    const end = vote(validation(3, 2), ['reject', 'reject'], { ...plainFacts, registeredAt: () => ago(1) })

    assert.equal(end.frozen, true)
    assert.equal(end.appealUntil?.getTime(), now.getTime() + 2 * dayMs)
  })

  it('is left by time alone', () => {
    const silent = validation(3, 2)
    const end = closeWindow(silent, plainFacts, silent.expiresAt)

    assert.deepEqual([end?.state.status, end?.state.nextValidationId, end?.state.dueAt], ['expired', 'next', silent.expiresAt])
    assert.equal(closeWindow(silent, plainFacts, now), undefined)
    assert.equal(closeWindow(validation(3, 2, { round: 2 }), plainFacts, silent.expiresAt)?.state.dueAt, null)
  })

  it('publishes for a lost appeal whether the slash applies', () => {
    const appeal = validation(3, 2, { appealOf: 'v0' })
    const applied = (v: Validation, facts = plainFacts) =>
      v.panel
        .slice(0, 2)
        .reduce((state, seat, at) => castVote(state.state, { id: `x${at}`, voterId: seat.agentId, vote: 'reject', reasoning: null }, facts, now), {
          state: v,
          events: [] as { type: string; data: Record<string, unknown> }[],
        })
        .events.find(event => event.type.startsWith('swarm.appeal.closed'))?.data.applySlash

    assert.equal(applied(appeal), true)
    assert.equal(applied({ ...appeal, firstWeak: true }), false)
    assert.equal(applied(appeal, { ...plainFacts, registeredAt: () => ago(1) }), false)
  })
})
