import assert from 'node:assert/strict'
import { formulas } from '../formulas.ts'
import { newJudgement } from '../terms.ts'
import { ago, example, failedFor, now, paidBy, paidTo } from './example.fixture.ts'
import { candidate, stateOf } from './formula.ts'
import { judgementOf } from './judgement.ts'

const { scoreOf } = formulas['2']
const vouchingOf = (facts: typeof example) => candidate.vouchingOf(stateOf(facts), now)

describe('formula 2', () => {
  it('follows the worked example: 71.4 / 27.4 / 22.2 / 20.5, and 49.6', () => {
    assert.deepEqual(scoreOf(example, now), {
      fusedScore: 49.6,
      tier: 'Bronze Pinch',
      components: { gigPerformance: 71.4, onChainBehaviour: 27.4, bondReliability: 22.2, ecosystemSignals: 20.5 },
      penalty: 0,
      decay: 1,
    })
    assert.equal(vouchingOf(example).credit, 2_895_000)
  })

  it('gives an agent without activity exactly 15, and one that has migrated 0', () => {
    assert.equal(scoreOf([ago(0, { type: 'registered' })], now).fusedScore, 15)
    assert.equal(scoreOf([...example, ago(0, { type: 'migrated', to: 'x' })], now).fusedScore, 0)
  })

  it('gives a payment that was reversed nothing, and one that was made again all', () => {
    const [reversed, again] = [ago(20, { type: 'settlement_undone', gigId: 'g-31' }), ago(10, { type: 'settled_again', gigId: 'g-31' })]
    const without = example.filter(fact => !('gigId' in fact && fact.gigId === 'g-31'))

    assert.deepEqual(scoreOf([...example, reversed], now), scoreOf(without, now))
    assert.deepEqual(scoreOf([...example, again, reversed], now), scoreOf(example, now))
  })

  it('deducts little for a slash after a verdict, whose failure counts already, and 5 for one by decision', () => {
    const slash = (cause?: 'verdict' | 'decision') =>
      scoreOf([...example, ago(1, { type: 'slash', slashId: 's', status: 'APPLIED', amount: '1', ...(cause ? { cause } : {}) })], now).penalty

    assert.deepEqual([slash('verdict'), slash('decision'), slash()], [1, 5, 5])
  })

  it('deducts for failing more often than not', () => {
    const failures = ['x', 'y', 'z'].flatMap(payer => [1, 2, 3].map(days => failedFor(payer, { days, budget: 20, standing: 0.8 })))

    assert.equal(scoreOf(failures, now).penalty, 7.3)
  })

  it('trusts an agent less that is good on small gigs and fails on large ones', () => {
    const small = ['a', 'b', 'c', 'd', 'e'].flatMap(payer => [9, 8, 7].map(days => paidBy(payer, { days, budget: 20, standing: 0.8 })))
    const failures = (budget: number) => ['f', 'g', 'h'].flatMap(payer => [50, 49].map(days => failedFor(payer, { days, budget, standing: 0.8 })))

    assert.ok(scoreOf([...small, ...failures(200)], now).fusedScore < scoreOf([...small, ...failures(20)], now).fusedScore)
  })

  it('counts payers that nobody vouches for together as a fifth of one, however many they are', () => {
    const payers = Array.from({ length: 40 }, (_, n) => paidBy(`p${n}`, { days: 9, budget: 100 }))
    const matured = ago(90, { type: 'market_matured', reason: 'anchors' } as const)

    assert.ok(vouchingOf([matured, ...payers]).credit <= 200_000)
    assert.ok(scoreOf([matured, ...payers], now).fusedScore < 18)
  })

  it('reads facts from before the numbers of the other side were stored by its score', () => {
    const { theirStanding: _, ...old } = paidBy('a', { days: 9, budget: 100 }) as Extract<(typeof example)[number], { type: 'settled' }>
    const { theirCredit: __, ...hired } = paidTo('w', { days: 9, budget: 1000 }) as Extract<(typeof example)[number], { type: 'settled' }>

    assert.equal(vouchingOf([ago(90, { type: 'market_matured', reason: 'anchors' }), { ...old, theirScore: 70 }]).credit, 500_000)
    assert.equal(vouchingOf([{ ...hired, theirScore: 70 }]).standing, 46_296)
  })
})

describe('the standing of a payer', () => {
  it('grows with fees for reputed work, and falls with fees for work that nobody else pays', () => {
    const reputed = Array.from({ length: 4 }, (_, n) => paidTo(`w${n}`, { days: 9, budget: 100, credit: 2 }))
    const unknown = Array.from({ length: 8 }, (_, n) => paidTo(`u${n}`, { days: 9, budget: 100 }))

    assert.equal(vouchingOf(reputed).standing, 857_142)
    assert.equal(vouchingOf([...reputed, ...unknown]).standing, 285_714)
    assert.equal(vouchingOf(unknown).standing, 0)
  })
})

describe('judgementOf', () => {
  it('rates a validator that approves everything far below one that judges', () => {
    const lazy = judgementOf({ approvedRight: 82, approvedWrong: 18, rejectedRight: 0, rejectedWrong: 0 })
    const honest = judgementOf({ approvedRight: 78, approvedWrong: 1, rejectedRight: 17, rejectedWrong: 4 })

    assert.equal(judgementOf({ approvedRight: 0, approvedWrong: 0, rejectedRight: 0, rejectedWrong: 0 }), newJudgement)
    assert.ok(lazy < 150_000, String(lazy))
    assert.ok(honest > 800_000, String(honest))
  })
})
