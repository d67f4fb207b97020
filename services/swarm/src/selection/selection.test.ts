import assert from 'node:assert/strict'
import { dayMs } from '@carapace/api'
import { keccak256, toBeHex } from 'ethers'
import fc from 'fast-check'
import { ago, now } from '../testing/moment.ts'
import { admittance, type Candidate, draw, isCandidate, isEligible, order, ticketsOf } from './selection.ts'

const beacon = `0x${'ab'.repeat(32)}`
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
  const ofAnyGig: [string, Partial<Candidate>, boolean][] = [
    ['an ordinary agent', {}, true],
    ['a score of 15', { score: 15 }, true],
    ['a score below 15', { score: 14.9 }, false],
    ['a risk of 60', { risk: 60 }, true],
    ['a risk above 60', { risk: 61 }, false],
    ['a suspended agent', { isActive: false }, false],
    ['the platform agent', { isPlatform: true }, false],
    ['an agent not seen for 31 days', { lastSeenAt: ago(31 * dayMs), registeredAt: ago(90 * dayMs) }, false],
    ['an agent not seen since its registration 29 days ago', { lastSeenAt: ago(29 * dayMs), registeredAt: ago(29 * dayMs) }, true],
    ['an agent not seen for 31 days whose row has a later registration', { lastSeenAt: ago(31 * dayMs), registeredAt: ago(dayMs) }, false],
  ]
  const ofOneGig: [string, Partial<Candidate>, boolean][] = [
    ['an agent with 20 open votes', { openVotes: 20 }, false],
    ['an excluded party', { agentId: 'poster' }, false],
    ['a crew-mate of a party', { crewIds: ['their-crew'] }, false],
  ]
  const admits = (given: Partial<Candidate>) => isEligible(candidate('a', given), new Set(['poster']), new Set(['their-crew']), now)
  for (const [title, given, expected] of ofAnyGig) {
    it(`${expected ? 'admits' : 'refuses'} ${title}, in the list of candidates and in a draw`, () => {
      assert.deepEqual([isCandidate(candidate('a', given), now), admits(given)], [expected, expected])
    })
  }
  for (const [title, given, expected] of ofOneGig) {
    it(`${expected ? 'admits' : 'refuses'} ${title}`, () => {
      assert.equal(admits(given), expected)
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

  it('draws one that approves everything into less than a fifth of the panels of one that judges, also when all have the same score', () => {
    // J of 100 approvals of which 82 are right, and of 95 right votes of 100
    const [lazy, honest] = [148_000, 874_000]
    const judges = Array.from({ length: 40 }, (_, n) => candidate(`a${n}`, { judgement: n % 2 === 0 ? lazy : honest }))
    const seats = Array.from({ length: 500 }, (_, n) => draw(order(keccak256(toBeHex(n, 32)), judges, now), 5)).flat()
    const ofLazy = seats.filter(({ agentId }) => Number(agentId.slice(1)) % 2 === 0).length

    assert.equal(seats.length, 2500)
    assert.ok(ofLazy * 5 <= seats.length - ofLazy, `${ofLazy} of ${seats.length}`)
  })

  it('defers nobody who judges as a new agent does or better, and seats deferred ones where there are no others', () => {
    const poor = ['a', 'b', 'c'].map(id => candidate(id, { judgement: 0 }))

    assert.deepEqual([admittance(700_000), admittance(1_000_000), admittance(0)], [1_000_000, 1_000_000, 30_000])
    assert.equal(draw(order(beacon, poor, now), 3).length, 3)
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

  it('draws the same panel from the same beacon, in any order of the agents', () => {
    fc.assert(
      fc.property(pool, fc.integer({ min: 1, max: 7 }), (entries, count) => {
        const ids = (list: typeof entries) => draw(seatsOf(list), count).map(seat => seat.agentId)
        assert.deepEqual(ids(entries), ids([...entries].reverse()))
        assert.equal(new Set(ids(entries)).size, Math.min(count, entries.length))
      }),
    )
  })

  it('draws at most half young ones and one of a crew while others remain', () => {
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

  it('draws agents with ties only when there is nobody else', () => {
    const seats = seatsOf([
      { id: 'tied', young: false, crew: null, tied: true },
      { id: 'x', young: false, crew: null, tied: false },
      { id: 'y', young: false, crew: null, tied: false },
    ])

    assert.equal(seats.at(-1)?.agentId, 'tied')
  })
})
