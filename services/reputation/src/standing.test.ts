import assert from 'node:assert/strict'
import { dayMs } from '@carapace/api'
import { type Dated, type Fact, followed, formulas, mergedFacts, stateOf, tierOf } from '@carapace/formula'
import fc from 'fast-check'
import { riskOf } from './risk.ts'
import { standingAt } from './standing.ts'

const { scoreOf } = formulas['1']
const now = new Date('2026-06-01T00:00:00.000Z')
const ago = (days: number, fact: Fact): Dated => ({ ...fact, at: new Date(now.getTime() - days * dayMs) })
const settled = (days: number, with_: string, theirScore: number, fee: number, role: 'assignee' | 'poster' = 'assignee') =>
  ago(days, {
    type: 'settled',
    role,
    with: with_,
    theirScore,
    fee: String(Math.round(fee * 1e6)),
    net: '1000000',
    gigId: `${with_}${days}${role}`,
    creditable: true,
  })

/** The worked example of behaviour 17.3. */
const example: Dated[] = [
  ago(90, { type: 'registered' }),
  ago(90, { type: 'onchain_confirmed', chain: 'BASE_SEPOLIA' }),
  settled(30, 'a', 70, 1.5),
  settled(20, 'a', 70, 1.5),
  settled(15, 'b', 42.5, 0.5),
  settled(14, 'c', 15, 1.2),
  settled(13, 'd', 15, 1),
  settled(12, 'd', 15, 1, 'poster'),
  ago(11, { type: 'failed', with: 'e', reason: 'rejected', gigId: 'x' }),
  ...Array.from({ length: 12 }, (_, n): Dated => ago(10, { type: 'vote_asked', validationId: `v${n}` })),
  ...Array.from({ length: 12 }, (_, n): Dated => ago(10, { type: 'vote_cast', validationId: `v${n}` })),
  ...Array.from({ length: 12 }, (_, n): Dated => ago(9, { type: 'vote_judged', validationId: `v${n}`, withVerdict: n < 10 })),
  ago(45, { type: 'bond', total: '100000000', change: 'deposited' }),
  ago(5, { type: 'reviewed', by: 'a', rating: 5 }),
  ago(5, { type: 'reviewed', by: 'b', rating: 4 }),
  ago(1, { type: 'seen' }),
]

describe('FusedScore', () => {
  it('of an agent without activity is exactly 15, a Hatchling', () => {
    const { fusedScore, tier } = scoreOf([ago(0, { type: 'registered' })], now)

    assert.deepEqual([fusedScore, tier], [15, 'Hatchling'])
  })

  it('follows the worked example in its components', () => {
    const { components } = scoreOf(example, now)

    assert.equal(components.onChainBehaviour, 25.5)
    assert.equal(components.bondReliability, 32)
    assert.equal(components.gigPerformance, 27.5)
  })

  it('of the example falls with silence and with a fresh slash', () => {
    const { fusedScore } = scoreOf(example, now)
    const silent = example.filter(fact => fact.type !== 'seen' && fact.type !== 'vote_cast')
    const slashed = [...example, ago(1, { type: 'slash', slashId: 's', status: 'APPLIED', amount: '1' })]

    assert.equal(scoreOf(silent, now).decay, 0.8)
    assert.equal(scoreOf(slashed, now).penalty, 5)
    assert.ok(scoreOf(slashed, now).fusedScore < fusedScore)
  })

  it('gives a ring of new agents next to nothing', () => {
    const ring = Array.from({ length: 9 }, (_, n) => [
      settled(20, `r${n}`, 15, 0.51),
      settled(20, `r${n}`, 15, 0.51, 'poster'),
      ago(19, { type: 'reviewed', by: `r${n}`, rating: 5 }),
    ]).flat()

    const { fusedScore, components } = scoreOf([ago(20, { type: 'registered' }), ...ring, ago(0, { type: 'seen' })], now)

    assert.equal(components.gigPerformance, 5.3)
    assert.ok(fusedScore < 20, String(fusedScore))
  })

  it('rises above 15 with one paid gig between new agents', () => {
    assert.ok(scoreOf([ago(0, { type: 'registered' }), settled(0, 'poster', 15, 1.2)], now).fusedScore > 15)
  })

  it('ignores a slash that was reversed', () => {
    const applied = ago(3, { type: 'slash', slashId: 's', status: 'APPLIED', amount: '1' })
    const reversed = ago(2, { type: 'slash', slashId: 's', status: 'REVERSED', amount: '1' })

    assert.deepEqual([scoreOf([applied], now).penalty, scoreOf([applied, reversed], now).penalty], [5, 0])
  })

  it('counts a dispute as open until it ends or its gig is paid, a second one of the same gig again', () => {
    const opened = (days: number) => ago(days, { type: 'dispute_opened', gigId: 'a5assignee' })
    const ended = (days: number) => ago(days, { type: 'dispute_ended', gigId: 'a5assignee', lost: false })
    const reversed = ago(4, { type: 'settlement_undone', gigId: 'a5assignee' })
    const isOpen = (...facts: Dated[]) => riskOf([ago(9, { type: 'registered' }), ...facts], now).flags.includes('ACTIVE_DISPUTE')

    assert.deepEqual(
      [
        isOpen(opened(6)),
        isOpen(opened(6), ended(5)),
        isOpen(opened(6), settled(5, 'a', 15, 1)),
        isOpen(opened(6), ended(5), opened(4)),
        isOpen(opened(6), reversed),
      ],
      [true, false, false, true, false],
    )
  })

  it('is 0 for an agent that has migrated', () => {
    assert.equal(scoreOf([...example, ago(0, { type: 'migrated', to: 'x' })], now).fusedScore, 0)
  })

  it('counts for the heir what counted for the source, on every later day', () => {
    fc.assert(
      fc.property(log, fc.integer({ min: 0, max: 400 }), (facts, days) => {
        const later = new Date(now.getTime() + days * dayMs)
        const ended = [ago(0, { type: 'migrated', to: 'heir' }), ago(0, { type: 'suspended' })]
        const own = ago(1, { type: 'registered' })
        const merged = [
          ...facts.filter(fact => fact.at <= own.at).map(fact => ({ ...fact, agentId: 'source' })),
          { ...own, agentId: 'heir' },
          ...[...facts.filter(fact => fact.at > own.at), ...ended].map(fact => ({ ...fact, agentId: 'source' })),
        ]
        const together = [...facts.filter(fact => fact.at <= own.at), own, ...facts.filter(fact => fact.at > own.at)]
        assert.deepEqual(standingAt(mergedFacts('heir', merged), later), standingAt(together, later))
        assert.equal(standingAt(mergedFacts('source', merged), later).fusedScore, 0)
      }),
    )
  })

  it('counts the bonds of the heir and of its source together', () => {
    const bond = (agentId: string, days: number, total: string) => ({ ...ago(days, { type: 'bond', total, change: 'deposited' }), agentId })
    const merged = [bond('source', 50, '400000000'), bond('heir', 40, '100000000'), bond('source', 35, '0')]

    assert.deepEqual([standingAt(mergedFacts('heir', merged.slice(0, 2)), now).bond, standingAt(mergedFacts('heir', merged), now).bond], [500, 100])
  })

  it('counts a seat whose vote a decision made needless neither as assigned nor as judged', () => {
    const votes = (count: number): Dated[] =>
      Array.from({ length: count }, (_, n): Dated[] => [
        ago(10, { type: 'vote_asked', validationId: `v${n}` }),
        ago(10, { type: 'vote_cast', validationId: `v${n}` }),
      ]).flat()
    const excused = [ago(9, { type: 'vote_asked', validationId: 'x' }), ago(8, { type: 'vote_excused', validationId: 'x' })]
    const components = (facts: Dated[]) => scoreOf([ago(90, { type: 'registered' }), ...facts], now).components

    assert.deepEqual(components([...votes(10), ...excused]), components(votes(10)))
    assert.ok(components([...votes(10), excused[0]!]).ecosystemSignals < components(votes(10)).ecosystemSignals)
  })

  it('comes with the judgement of a validator, which approving everything lowers', () => {
    const judged = (rejected: number): Dated[] =>
      Array.from({ length: 20 }, (_, n) => ago(9, { type: 'vote_judged', validationId: `v${n}`, withVerdict: n >= rejected, vote: 'approve' }))

    assert.equal(standingAt([], now).judgement, 700_000)
    assert.equal(standingAt(judged(0), now).judgement, 825_000)
    assert.equal(standingAt(judged(5), now).judgement, 346_198)
  })

  it('puts tiers at 30, 50 and 70', () => {
    assert.deepEqual([29.9, 30, 50, 70].map(tierOf), ['Hatchling', 'Bronze Pinch', 'Silver Molt', 'Gold Shell'])
  })

  const anyFact: fc.Arbitrary<Dated> = fc
    .tuple(
      fc.oneof(
        fc.constantFrom<Fact>(
          { type: 'seen' },
          { type: 'registered' },
          { type: 'dispute_opened', gigId: 'g' },
          { type: 'dispute_ended', gigId: 'g', lost: true },
        ),
        fc.record({
          type: fc.constant('settled' as const),
          role: fc.constantFrom('assignee' as const, 'poster' as const),
          with: fc.constantFrom('a', 'b', 'c'),
          theirScore: fc.integer({ min: 0, max: 100 }),
          fee: fc.nat(5_000_000).map(String),
          net: fc.nat(90_000_000).map(String),
          gigId: fc.uuid(),
          creditable: fc.boolean(),
        }),
        fc.record({
          type: fc.constant('failed' as const),
          with: fc.constantFrom('a', 'b'),
          reason: fc.constant('rejected' as const),
          gigId: fc.uuid(),
        }),
        fc.record({
          type: fc.constant('bond' as const),
          total: fc.nat(900_000_000).map(String),
          change: fc.constantFrom('deposited' as const, 'withdrawn' as const),
        }),
        fc.record({
          type: fc.constant('slash' as const),
          slashId: fc.constantFrom('x', 'y'),
          status: fc.constantFrom('APPLIED' as const, 'DROPPED' as const),
          amount: fc.constant('1'),
        }),
      ),
      fc.integer({ min: 0, max: 400 }),
    )
    .map(([fact, days]) => ago(days, fact as Fact))
  const log = fc.array(anyFact, { maxLength: 30 }).map(facts => [...facts].sort((a, b) => a.at.getTime() - b.at.getTime()))

  it('and risk stay within 0 and 100 and are the same for the same log', () => {
    fc.assert(
      fc.property(log, facts => {
        const standing = standingAt(facts, now)
        assert.ok(standing.fusedScore >= 0 && standing.fusedScore <= 100)
        assert.ok(standing.risk.riskScore >= 0 && standing.risk.riskScore <= 100)
        for (const component of Object.values(standing.components)) assert.ok(component >= 0 && component <= 100)
        assert.deepEqual(standingAt([...facts], now), standing)
      }),
    )
  })

  it('and all figures with it are the same by a state that has followed the log, read between', () => {
    fc.assert(
      fc.property(log, fc.nat(30), (facts, count) => {
        const state = stateOf(facts.slice(0, count))
        standingAt(facts.slice(0, count), now, state)
        for (const fact of facts.slice(count)) followed.apply(state, fact)
        assert.deepEqual(standingAt(facts, now, state), standingAt(facts, now))
      }),
    )
  })

  it('and all figures with it are without a reversed payment as if it had never been', () => {
    fc.assert(
      fc.property(log, facts => {
        const settlement = facts.find(fact => fact.type === 'settled')
        if (!settlement) return
        const reversed = ago(0, { type: 'settlement_undone', gigId: settlement.gigId })
        const others = facts.filter(fact => fact !== settlement)
        assert.deepEqual(standingAt([...facts, reversed], now), standingAt(others, now))
      }),
    )
  })

  it('never rises by a failure', () => {
    fc.assert(
      fc.property(log, facts => {
        const worse = [...facts, ago(0, { type: 'failed', with: 'z', reason: 'rejected', gigId: 'new' })]
        assert.ok(scoreOf(worse, now).fusedScore <= scoreOf(facts, now).fusedScore)
      }),
    )
  })
})

describe('a gig or job that ends again after a reorganisation', () => {
  const rejected = (days: number) => ago(days, { type: 'failed', with: 'e', reason: 'dispute_lost', gigId: 'y' })
  const lost = (days: number) => ago(days, { type: 'dispute_ended', gigId: 'y', lost: true })
  const paid = (days: number): Dated => ({ ...settled(days, 'e', 70, 1.5), gigId: 'y' }) as Dated

  it('has failed once', () => {
    const once = standingAt([...example, rejected(3), lost(3)], now)

    assert.deepEqual(standingAt([...example, rejected(4), lost(4), rejected(3), lost(3)], now), once)
  })

  it('has not failed where it was paid in the end', () => {
    const { gigCompletionRate, components } = standingAt([...example, paid(3)], now)
    const reversed = standingAt([...example, rejected(4), paid(3)], now)

    assert.deepEqual([reversed.gigCompletionRate, reversed.components], [gigCompletionRate, components])
  })

  it('is paid where its payment was reversed for good and is made again', () => {
    const [reversed, again] = [ago(2, { type: 'settlement_undone', gigId: 'y' }), ago(1, { type: 'settled_again', gigId: 'y' })]
    const once = standingAt([...example, paid(3)], now)

    assert.deepEqual(standingAt([...example, paid(3), reversed, again], now), once)
    const rejectedBetween = standingAt([...example, paid(3), reversed, rejected(1.5), again], now)
    assert.equal(rejectedBetween.gigCompletionRate, once.gigCompletionRate)
  })

  it('has failed where its payment was reversed before', () => {
    const reversed = ago(3, { type: 'settlement_undone', gigId: 'y' })
    const once = standingAt([...example, rejected(2)], now)

    assert.equal(standingAt([...example, paid(4), reversed, rejected(2)], now).gigCompletionRate, once.gigCompletionRate)
  })
})

describe('risk', () => {
  it('follows the worked example: 22, low', () => {
    const facts: Dated[] = [
      ago(100, { type: 'registered' }),
      ...Array.from({ length: 8 }, (_, n) => settled(50, `c${n}`, 20, 1)),
      ago(40, { type: 'failed', with: 'z', reason: 'rejected', gigId: 'x' }),
      ago(20, { type: 'slash', slashId: 's', status: 'APPLIED', amount: '1' }),
      ago(20, { type: 'bond', total: '50000000', change: 'withdrawn' }),
      ago(20, { type: 'seen' }),
    ]

    const { riskScore, riskLevel, flags } = riskOf(facts, now)

    assert.deepEqual([riskScore, riskLevel, flags], [22, 'low', ['RECENT_SLASH', 'INACTIVE']])
  })

  it('recommends a new agent without a bond, and avoids the suspended', () => {
    const fresh = [ago(0, { type: 'registered' })]

    assert.equal(riskOf(fresh, now).recommendation, 'HIRE')
    assert.equal(riskOf([...fresh, ago(0, { type: 'suspended' })], now).recommendation, 'AVOID')
  })
})
