import assert from 'node:assert/strict'
import { dayMs, MICRO } from '@carapace/api'
import { codeOf } from '@carapace/testing'
import fc from 'fast-check'
import { freezeOf } from './freeze.ts'
import { appealQuorum, isWeak, quorumFor } from './quorum.ts'
import { type Candidate, draw, isEligible, order, ticketsOf } from './selection.ts'
import { approvals, newValidation, rejections, type Validation } from './validation.ts'
import { cast, runOut, type VerdictFacts } from './verdict.ts'

const now = new Date('2026-01-10T00:00:00.000Z')
const ago = (ms: number) => new Date(now.getTime() - ms)
const beacon = `0x${'ab'.repeat(32)}`

describe('quorum', () => {
  const bands = [
    [49_999_999n, 3, 2, 100_000n],
    [50n * MICRO, 5, 3, 500_000n],
    [500n * MICRO, 5, 3, 500_000n],
    [500n * MICRO + 1n, 7, 5, 500_000n],
    [600_500_000n, 7, 5, 600_500n],
  ] as const
  for (const [budget, n, threshold, reward] of bands) {
    it(`of ${budget} µ is ${n}/${threshold} at ${reward} µ a winner`, () => {
      assert.deepEqual(quorumFor(budget), { candidateCount: n, threshold, rewardPerValidator: reward })
    })
  }

  it('is weak below the numbers of its budget or without a majority', () => {
    assert.equal(isWeak({ candidateCount: 3, threshold: 2 }, 40n * MICRO), false)
    assert.equal(isWeak({ candidateCount: 3, threshold: 1 }, 40n * MICRO), true)
    assert.equal(isWeak({ candidateCount: 3, threshold: 2 }, 60n * MICRO), true)
    assert.equal(isWeak({ candidateCount: 7, threshold: 3 }, 60n * MICRO), true)
  })

  it('of an appeal is two thirds of at most five', () => {
    assert.deepEqual(
      [appealQuorum(9), appealQuorum(4), appealQuorum(3)],
      [
        { candidateCount: 5, threshold: 4 },
        { candidateCount: 4, threshold: 3 },
        { candidateCount: 3, threshold: 2 },
      ],
    )
  })
})

const candidate = (agentId: string, given: Partial<Candidate> = {}): Candidate => ({
  agentId,
  score: 20,
  risk: 0,
  isActive: true,
  isPlatform: false,
  lastSeenAt: ago(dayMs),
  registeredAt: ago(10 * dayMs),
  openVotes: 0,
  hasRequiredSkill: false,
  crewIds: [],
  tied: false,
  ...given,
})

describe('selection', () => {
  const cases: [string, Partial<Candidate>, boolean][] = [
    ['an ordinary agent', {}, true],
    ['a score of 15', { score: 15 }, true],
    ['a score below 15', { score: 14.9 }, false],
    ['a risk of 60', { risk: 60 }, true],
    ['a risk above 60', { risk: 61 }, false],
    ['a suspended agent', { isActive: false }, false],
    ['the platform agent', { isPlatform: true }, false],
    ['an agent not seen for 31 days', { lastSeenAt: ago(31 * dayMs), registeredAt: ago(90 * dayMs) }, false],
    ['an agent with 20 open votes', { openVotes: 20 }, false],
    ['an excluded party', { agentId: 'poster' }, false],
    ['a crew-mate of a party', { crewIds: ['their-crew'] }, false],
  ]
  for (const [title, given, expected] of cases) {
    it(`${expected ? 'admits' : 'refuses'} ${title}`, () => {
      assert.equal(isEligible(candidate('a', given), new Set(['poster']), new Set(['their-crew']), now), expected)
    })
  }

  it('gives tickets by score and skill', () => {
    assert.deepEqual(
      [
        ticketsOf({ score: 15, hasRequiredSkill: false }),
        ticketsOf({ score: 70, hasRequiredSkill: false }),
        ticketsOf({ score: 40, hasRequiredSkill: true }),
      ],
      [1, 4, 5],
    )
  })

  const pool = fc.uniqueArray(fc.record({ id: fc.uuid(), young: fc.boolean(), crew: fc.option(fc.constantFrom('c1', 'c2')), tied: fc.boolean() }), {
    maxLength: 14,
    selector: entry => entry.id,
  })
  const seatsOf = (entries: { id: string; young: boolean; crew: string | null; tied: boolean }[]) =>
    order(
      beacon,
      entries.map(entry =>
        candidate(entry.id, { registeredAt: entry.young ? ago(dayMs) : ago(10 * dayMs), crewIds: entry.crew ? [entry.crew] : [], tied: entry.tied }),
      ),
      now,
    )

  it('draws the same panel from the same beacon, whatever order the agents come in', () => {
    fc.assert(
      fc.property(pool, fc.integer({ min: 1, max: 7 }), (entries, count) => {
        const ids = (list: typeof entries) => draw(seatsOf(list), count).map(seat => seat.agentId)
        assert.deepEqual(ids(entries), ids([...entries].reverse()))
        assert.equal(new Set(ids(entries)).size, Math.min(count, entries.length))
      }),
    )
  })

  it('takes at most half young ones and one of a crew while others remain', () => {
    fc.assert(
      fc.property(pool, fc.integer({ min: 2, max: 7 }), (entries, count) => {
        const seats = seatsOf(entries)
        const chosen = draw(seats, count)
        const left = seats.filter(seat => !chosen.includes(seat))
        const young = chosen.filter(seat => seat.young).length
        if (young > Math.floor(count / 2)) assert.ok(left.every(seat => seat.young || seat.crewIds.length > 0))
      }),
    )
  })

  it('takes agents with ties only when there is nobody else', () => {
    const seats = seatsOf([
      { id: 'tied', young: false, crew: null, tied: true },
      { id: 'x', young: false, crew: null, tied: false },
      { id: 'y', young: false, crew: null, tied: false },
    ])

    assert.equal(seats.at(-1)?.agentId, 'tied')
  })
})

describe('freeze signals', () => {
  const calm = { rejecterCrews: [], voterRegisteredAt: [], weak: false, quorumText: '3/1 is below the quorum 3/2', resolvedAt: now }

  it('fire when two rejecters share a crew, in the words of the spec', () => {
    assert.equal(
      freezeOf({ ...calm, rejecterCrews: [['c1'], ['c1', 'c2'], ['c2']] }).reason,
      'Crew overlap detected: 2 shared crew(s) among rejection voters, suspected coordinated slash',
    )
  })

  it('fire when two voters are younger than 48 hours', () => {
    assert.equal(
      freezeOf({ ...calm, voterRegisteredAt: [ago(dayMs), ago(dayMs), ago(9 * dayMs)] }).reason,
      'New account cluster: 2 validators have accounts < 48h old, Sybil signal',
    )
    assert.equal(freezeOf({ ...calm, voterRegisteredAt: [ago(dayMs), ago(2 * dayMs)] }).reason, null)
  })

  it('are joined when several fire', () => {
    const { signals, reason } = freezeOf({ ...calm, voterRegisteredAt: [ago(1), ago(1)], weak: true })

    assert.deepEqual(signals, ['new_account_cluster', 'weak_panel'])
    assert.match(reason ?? '', /Sybil signal; Weak panel: 3\/1 is below the quorum 3\/2/)
  })
})

const known: VerdictFacts = { crewsOf: () => [], registeredAt: () => ago(10 * dayMs), waitMs: () => 0, nextId: 'next' }

function validation(candidateCount: number, threshold: number, given: Partial<Validation> = {}): Validation {
  const submission = { gigId: 'g1', submissionId: 's1', title: 'Audit', posterId: 'poster', assigneeId: 'worker' }
  const panel = Array.from({ length: candidateCount }, (_, at) => ({ agentId: `a${at}`, wallet: `0x${at}`, replaced: false }))
  const drawn = { id: 'v1', candidateCount, threshold, beacon, eligible: 0, order: [], panel }
  return newValidation({ ...submission, partyWallets: [], budget: 40n * MICRO, chain: 'BASE_SEPOLIA', ...drawn, ...given }, now)
}

function vote(v: Validation, choices: readonly ('approve' | 'reject')[], facts = known): Validation {
  return choices.reduce(
    (state, choice, at) =>
      state.status === 'pending' ? cast(state, { id: `vote${at}`, voterId: `a${at}`, vote: choice, reasoning: null }, facts, now).state : state,
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

  it('takes one vote of each validator of the panel, until it is resolved', () => {
    const once = vote(validation(3, 2), ['approve'])
    const ballot = { id: 'x', vote: 'approve' as const, reasoning: null }

    assert.equal(
      codeOf(() => cast(once, { ...ballot, voterId: 'a0' }, known, now)),
      'ALREADY_VOTED',
    )
    assert.equal(
      codeOf(() => cast(once, { ...ballot, voterId: 'stranger' }, known, now)),
      'NOT_VALIDATOR',
    )
    assert.equal(
      codeOf(() => cast(vote(validation(3, 2), ['approve', 'approve']), { ...ballot, voterId: 'a2' }, known, now)),
      'VALIDATION_RESOLVED',
    )
    assert.equal(
      codeOf(() => cast(once, { ...ballot, voterId: 'a1' }, known, new Date(once.expiresAt))),
      'VALIDATION_RESOLVED',
    )
  })

  it('freezes a rejection by fresh accounts and opens 48 hours for an appeal', () => {
    const end = vote(validation(3, 2), ['reject', 'reject'], { ...known, registeredAt: () => ago(1) })

    assert.equal(end.frozen, true)
    assert.equal(end.appealUntil?.getTime(), now.getTime() + 2 * dayMs)
  })

  it('is left by time alone', () => {
    const silent = validation(3, 2)
    const end = runOut(silent, known, silent.expiresAt)

    assert.deepEqual([end?.state.status, end?.state.nextValidationId, end?.state.dueAt], ['expired', 'next', silent.expiresAt])
    assert.equal(runOut(silent, known, now), undefined)
    assert.equal(runOut(validation(3, 2, { round: 2 }), known, silent.expiresAt)?.state.dueAt, null)
  })

  it('tells of an appeal that was lost whether the slash applies', () => {
    const appeal = validation(3, 2, { appealOf: 'v0' })
    const applied = (v: Validation, facts = known) =>
      v.panel
        .slice(0, 2)
        .reduce((state, seat, at) => cast(state.state, { id: `x${at}`, voterId: seat.agentId, vote: 'reject', reasoning: null }, facts, now), {
          state: v,
          events: [] as { type: string; data: Record<string, unknown> }[],
        })
        .events.find(event => event.type.startsWith('swarm.appeal.closed'))?.data.applySlash

    assert.equal(applied(appeal), true)
    assert.equal(applied({ ...appeal, firstWeak: true }), false)
    assert.equal(applied(appeal, { ...known, registeredAt: () => ago(1) }), false)
  })
})
