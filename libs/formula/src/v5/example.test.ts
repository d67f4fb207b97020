import assert from 'node:assert/strict'
import { formulas } from '../formulas.ts'
import { newJudgement } from '../terms.ts'
import { ago, example, failedFor, now, paidBy, paidTo } from '../testing/example.fixture.ts'
import { stateOf } from '../v2/formula.ts'
import { judgementOf } from '../v2/judgement.ts'
import { formula5 } from './formula.ts'

const { scoreOf } = formulas['5']
const vouchingOf = (facts: typeof example) => formula5.vouchingOf(stateOf(facts), now)

const matured = ago(90, { type: 'market_matured', reason: 'anchors' } as const)

describe('formula 5', () => {
  it('follows the worked example: 33.1 / 12.6 / 10.3 / 9.5, and 31.0', () => {
    assert.deepEqual(scoreOf(example, now), {
      fusedScore: 31,
      tier: 'Bronze Pinch',
      components: { gigPerformance: 33.1, onChainBehaviour: 12.6, bondReliability: 10.3, ecosystemSignals: 9.5 },
      penalty: 0,
      decay: 1,
    })
    assert.equal(vouchingOf(example).credit, 2_877_500)
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
      scoreOf([matured, ago(1, { type: 'slash', slashId: 's', status: 'APPLIED', amount: '1', ...(cause ? { cause } : {}) })], now).penalty

    assert.deepEqual([slash('verdict'), slash('decision'), slash()], [1, 5, 5])
  })

  it('deducts for failing more often than not', () => {
    const failures = ['x', 'y', 'z'].flatMap(payer => [1, 2, 3].map(days => failedFor(payer, { days, budget: 20, standing: 0.8 })))

    // 15 of these are for failing while nothing else is known
    assert.equal(scoreOf(failures, now).penalty, 22.3)
  })

  it('puts an agent that has failed, and of which nothing else is known, below one that begins, until its work is paid', () => {
    const failure = [matured, failedFor('x', { days: 9, budget: 20 })]
    const paid = (count: number) => Array.from({ length: count }, (_, n) => paidBy(`p${n}`, { days: 8, budget: 100, standing: 0.8 }))
    const penalties = [0, 1, 2, 3].map(count => scoreOf([...failure, ...paid(count)], now).penalty)

    assert.equal(scoreOf(failure, now).fusedScore, 0)
    // the word of the one that it failed hardly counts next to the other
    assert.deepEqual(penalties, [15, 0, 0, 0])
    const failedBoth = [...failure, failedFor('y', { days: 7, budget: 20, standing: 0.8 }), ...paid(1)]
    // 15·0.15/(0.15 + 0.8)·(F/(S + F) − 0.15)/0.85
    assert.equal(scoreOf(failedBoth, now).penalty, 1)
  })

  it('trusts an agent less that is good on small gigs and fails on large ones', () => {
    const small = ['a', 'b', 'c', 'd', 'e'].flatMap(payer => [9, 8, 7].map(days => paidBy(payer, { days, budget: 20, standing: 0.8 })))
    const failures = (budget: number) => ['f', 'g', 'h'].flatMap(payer => [50, 49].map(days => failedFor(payer, { days, budget, standing: 0.8 })))

    assert.ok(scoreOf([...small, ...failures(200)], now).fusedScore < scoreOf([...small, ...failures(20)], now).fusedScore)
  })

  it('needs more than six payers to know an agent', () => {
    const paid = (count: number) => Array.from({ length: count }, (_, n) => paidBy(`p${n}`, { days: 9, budget: 34, standing: 0.8 }))
    const gained = [6, 12].map(count => scoreOf([matured, ...paid(count)], now).components.gigPerformance)

    assert.deepEqual(gained, [41.9, 84.2])
  })

  it('counts payers that nobody vouches for together as less than a hundredth of one, however many they are', () => {
    const payers = Array.from({ length: 40 }, (_, n) => paidBy(`p${n}`, { days: 9, budget: 100 }))

    assert.ok(vouchingOf([matured, ...payers]).credit <= 8_000)
    assert.ok(scoreOf([matured, ...payers], now).fusedScore < 16)
  })

  it('gives next to nothing while the market is young, however many pay, and no more for those payments once it has matured', () => {
    const log = Array.from({ length: 60 }, (_, n) => paidBy(`p${n}`, { days: 9, budget: 100 }))

    const first = scoreOf(log.slice(0, 1), now).fusedScore
    assert.ok(first > 15 && first < 16, String(first))
    assert.ok(scoreOf(log, now).fusedScore < 17.5)
    assert.ok(scoreOf([...log, ago(0, { type: 'market_matured', reason: 'vouchers' })], now).fusedScore < 16)
  })

  it('reads facts from before the numbers of the other side were stored by its score', () => {
    const { theirStanding: _, ...old } = paidBy('a', { days: 9, budget: 100 }) as Extract<(typeof example)[number], { type: 'settled' }>
    const { theirCredit: __, ...hired } = paidTo('w', { days: 9, budget: 1000 }) as Extract<(typeof example)[number], { type: 'settled' }>

    assert.equal(vouchingOf([matured, { ...old, theirScore: 70 }]).credit, 500_000)
    assert.equal(vouchingOf([{ ...hired, theirScore: 70 }]).standing, 59_523)
  })
})

describe('the standing of a payer', () => {
  it('grows with fees for reputed work, and falls with fees for work that nobody else pays', () => {
    const reputed = Array.from({ length: 4 }, (_, n) => paidTo(`w${n}`, { days: 9, budget: 100, credit: 2 }))
    const unknown = Array.from({ length: 12 }, (_, n) => paidTo(`u${n}`, { days: 9, budget: 100 }))

    assert.equal(vouchingOf([matured, ...reputed]).standing, 845_070)
    assert.equal(vouchingOf([matured, ...reputed, ...unknown]).standing, 633_802)
    assert.equal(vouchingOf([matured, ...unknown]).standing, 0)
  })

  it('is of the newest twenty payments', () => {
    const early = Array.from({ length: 30 }, (_, n) => paidTo(`u${n}`, { days: 60, budget: 100 }))
    const late = Array.from({ length: 20 }, (_, n) => paidTo(`w${n}`, { days: 9, budget: 100, credit: 2 }))

    assert.equal(vouchingOf([matured, ...early, ...late]).standing, vouchingOf([matured, ...late]).standing)
    assert.ok(vouchingOf([matured, ...early, ...late.slice(0, 6)]).standing < vouchingOf([matured, ...late.slice(0, 6)]).standing)
  })

  it('grows slowly while the market is young', () => {
    const reputed = Array.from({ length: 4 }, (_, n) => paidTo(`w${n}`, { days: 9, budget: 100, credit: 2 }))

    assert.equal(vouchingOf(reputed).standing, 600_000)
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
