import assert from 'node:assert/strict'
import type { CounterpartyChange, Dated } from '../facts.ts'
import { followed, formulas } from '../formulas.ts'
import { newJudgement } from '../terms.ts'
import { ago, example, failedFor, now, paidBy, paidTo } from '../testing/example.fixture.ts'
import { tunings } from '../tunings.ts'
import { stateOf } from '../v2/formula.ts'
import { judgementOf } from '../v2/judgement.ts'
import { figuresOf } from '../v2/score.ts'

const { scoreOf } = formulas['6']
const vouchingOf = (facts: typeof example) => followed.vouchingOf(stateOf(facts), now)

const matured = ago(90, { type: 'market_matured', reason: 'anchors' } as const)

describe('formula 6', () => {
  it('follows the worked example: 51.8 / 9.8 / 1.7 / 22.7, and 36.1', () => {
    assert.deepEqual(scoreOf(example, now), {
      fusedScore: 36.1,
      tier: 'Bronze Pinch',
      components: { gigPerformance: 51.8, onChainBehaviour: 9.8, bondReliability: 1.7, ecosystemSignals: 22.7 },
      penalty: 0,
      decay: 1,
    })
    assert.equal(vouchingOf(example).credit, 2_155_742)
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
    assert.equal(scoreOf(failures, now).penalty, 19)
  })

  it('puts an agent that has failed, and of which nothing else is known, below one that begins, until its work is paid', () => {
    const failure = [matured, failedFor('x', { days: 9, budget: 20 })]
    const paid = (count: number) => Array.from({ length: count }, (_, n) => paidBy(`p${n}`, { days: 8, budget: 100, standing: 0.8 }))
    const penalties = [0, 1, 2, 3].map(count => scoreOf([...failure, ...paid(count)], now).penalty)

    assert.equal(scoreOf(failure, now).fusedScore, 0)
    // the word of the one that it failed hardly counts next to the other
    assert.deepEqual(penalties, [15, 0.2, 0, 0])
    const failedBoth = [...failure, failedFor('y', { days: 7, budget: 20, standing: 0.8 }), ...paid(1)]
    // 15·0.8/(0.69 + 0.8)·(F/(S + F) − 0.15)/0.85
    assert.equal(scoreOf(failedBoth, now).penalty, 3.8)
  })

  it('trusts an agent less that is good on small gigs and fails on large ones', () => {
    const small = ['a', 'b', 'c', 'd', 'e'].flatMap(payer => [9, 8, 7].map(days => paidBy(payer, { days, budget: 20, standing: 0.8 })))
    const failures = (budget: number) => ['f', 'g', 'h'].flatMap(payer => [50, 49].map(days => failedFor(payer, { days, budget, standing: 0.8 })))

    assert.ok(scoreOf([...small, ...failures(200)], now).fusedScore < scoreOf([...small, ...failures(20)], now).fusedScore)
  })

  it('knows an agent by six payers who have long paid for good work, and hardly by six who have just begun to', () => {
    const paid = (standing: number) => Array.from({ length: 6 }, (_, n) => paidBy(`p${n}`, { days: 9, budget: 34, standing }))
    const gained = [0.05, 0.15, 0.8].map(standing => scoreOf([matured, ...paid(standing)], now).components.gigPerformance)

    assert.deepEqual(gained, [3.6, 9.5, 50.7])
  })

  describe('what a counterparty has become', () => {
    const early = [matured, ...['a', 'b', 'c'].map(payer => paidBy(payer, { days: 60, budget: 50 }))]
    const changed = (days: number, ...numbers: CounterpartyChange[]) => ago(days, { type: 'counterparties_changed', changed: numbers })
    const numbersIn = (standings: Record<string, number>) => (id: string) => {
      const standing = standings[id]
      return standing === undefined ? undefined : { standing, credit: 0 }
    }

    it('counts for what it paid before anybody knew it, from the day on that the log says so', () => {
      const since = [...early, changed(30, { with: 'a', theirStanding: 700_000 }, { with: 'b', theirStanding: 600_000 })]

      assert.equal(vouchingOf(early).credit, 3_214)
      assert.equal(vouchingOf(since).credit, 558_214)
      assert.deepEqual(scoreOf(since, ago(31, { type: 'seen' }).at), scoreOf(early, ago(31, { type: 'seen' }).at))
    })

    it('is replaced by what it is when they deal again', () => {
      const again = paidBy('a', { days: 9, budget: 50, standing: 0.3 })

      assert.equal(vouchingOf([...early, changed(30, { with: 'a', theirStanding: 700_000 }), again]).credit, 259_285)
    })

    it('counts for a payer too: the worker that others pay by now', () => {
      const hired = [matured, ...Array.from({ length: 4 }, (_, n) => paidTo(`w${n}`, { days: 60, budget: 150 }))]
      const since = changed(30, ...Array.from({ length: 4 }, (_, n) => ({ with: `w${n}`, theirCredit: 2_000_000 })))

      assert.deepEqual(
        [hired, [...hired, since]].map(log => vouchingOf(log).standing),
        [0, 623_076],
      )
    })

    it('is to be logged half of the way where it is a tenth more or less than the log says, in a mature market', () => {
      const changesOf = (log: readonly Dated[], standings: Record<string, number>) => followed.changesOf(stateOf(log), now, numbersIn(standings))
      const [young, logged] = [early.slice(1), [...early, changed(30, { with: 'a', theirStanding: 300_000 })]]

      assert.deepEqual(changesOf(early, { a: 99_999, b: 100_000, c: 1_000_000, stranger: 1_000_000 }), [
        { with: 'b', theirStanding: 50_000 },
        { with: 'c', theirStanding: 500_000 },
      ])
      for (const near of [200_001, 399_999]) assert.deepEqual(changesOf(logged, { a: near }), [])
      for (const far of [200_000, 400_000]) assert.deepEqual(changesOf(logged, { a: far }), [{ with: 'a', theirStanding: (300_000 + far) / 2 }])
      assert.deepEqual(changesOf(young, { a: 1_000_000 }), [])
      assert.deepEqual(followed.counterpartiesOf(stateOf(early), now), ['a', 'b', 'c'])
      assert.deepEqual(followed.counterpartiesOf(stateOf(young), now), [])
    })
  })

  it('costs an agent of ten clean gigs twelve points or so to fail payers that nobody vouches for, however many they are', () => {
    const paid = Array.from({ length: 10 }, (_, n) => paidBy(`p${n}`, { days: 30 - n, budget: 100, standing: 0.7 }))
    const failures = (accounts: number) =>
      Array.from({ length: accounts }, (_, n) => [3, 2, 1].map(days => failedFor(`u${n}`, { days, budget: 20 }))).flat()
    const scores = [0, 1, 3, 12, 30].map(accounts => scoreOf([matured, ...paid, ...failures(accounts)], now).fusedScore)

    assert.deepEqual(scores, [42.2, 40.6, 38, 30.5, 30.2])
  })

  describe('payers whose standing hardly counts', () => {
    const clean = Array.from({ length: 30 }, (_, n) => paidBy(`p${n}`, { days: 60 - n, budget: 100, standing: 0.7 }))
    const scoreWith = (...facts: Dated[]) => scoreOf([matured, ...clean, ...facts], now).fusedScore
    const failures = (count: number, standing: number) =>
      Array.from({ length: count }, (_, n) => failedFor(`f${n}`, { days: 9 - n * 0.1, budget: 20, standing }))

    it('can lower a score by no more than those whom nobody vouches for', () => {
      const [unvouched, cheap] = [0, 0.003].map(standing => scoreWith(...failures(10, standing)))

      assert.equal(cheap, unvouched)
      assert.deepEqual([scoreWith(), cheap, scoreWith(...failures(30, 0.003))], [51.2, 42.8, 34.4])
    })

    it('push out little of the last ten outcomes by small gigs that they pay, in a young market too', () => {
      const small = Array.from({ length: 12 }, (_, n) => paidBy(`s${n % 4}`, { days: 2 - n * 0.1, budget: 1, standing: 0.003 }))
      const formOf = (...facts: Dated[]) =>
        Number(figuresOf(stateOf([...clean, ...failures(2, 0.7), ...facts]), now, tunings['6']).quality.form) / 1e18

      for (const count of [8, 12]) assert.ok(Math.abs(formOf(...small.slice(0, count)) - formOf()) < 0.05, String(count))
    })

    it('cost an agent that only they have paid a tenth at most by two failures', () => {
      const unvouched = Array.from({ length: 50 }, (_, n) => paidBy(`u${n}`, { days: 60 - n, budget: 25 }))
      const [before, after] = [unvouched, [...unvouched, ...failures(2, 0.003)]].map(log => scoreOf([matured, ...log], now).fusedScore)

      assert.ok(before! - after! <= 0.1, String([before, after]))
    })
  })

  it('costs an agent no more to fail one payer of good standing often than once', () => {
    const paid = Array.from({ length: 8 }, (_, n) => [30, 29, 28].map(days => paidBy(`p${n}`, { days: days - n, budget: 34, standing: 0.7 }))).flat()
    const failures = (count: number) => Array.from({ length: count }, (_, n) => failedFor('z', { days: n + 1, budget: 20, standing: 0.7 }))
    const scores = [1, 3, 9].map(count => scoreOf([matured, ...paid, ...failures(count)], now).fusedScore)

    assert.equal(new Set(scores).size, 1)
  })

  it('remembers the largest gig that was failed for a payer, also after a small one', () => {
    const paid = Array.from({ length: 8 }, (_, n) => paidBy(`p${n}`, { days: 30 - n, budget: 34, standing: 0.7 }))
    const large = failedFor('z', { days: 9, budget: 200, standing: 0.7 })

    assert.deepEqual(
      scoreOf([matured, ...paid, large, failedFor('z', { days: 2, budget: 1, standing: 0.7 })], now),
      scoreOf([matured, ...paid, large], now),
    )
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

    assert.equal(vouchingOf([matured, { ...old, theirScore: 70 }]).credit, 428_571)
    assert.equal(vouchingOf([{ ...hired, theirScore: 70 }]).standing, 59_523)
  })
})

describe('the standing of a payer', () => {
  it('grows with fees for reputed work, and falls with fees for work that nobody else pays', () => {
    const reputed = Array.from({ length: 4 }, (_, n) => paidTo(`w${n}`, { days: 9, budget: 100, credit: 2 }))
    const unknown = Array.from({ length: 12 }, (_, n) => paidTo(`u${n}`, { days: 9, budget: 100 }))

    assert.equal(vouchingOf([matured, ...reputed]).standing, 423_529)
    assert.equal(vouchingOf([matured, ...reputed, ...unknown]).standing, 317_647)
    assert.equal(vouchingOf([matured, ...unknown]).standing, 0)
  })

  it('is of the newest twenty payments', () => {
    const early = Array.from({ length: 30 }, (_, n) => paidTo(`u${n}`, { days: 60, budget: 100 }))
    const late = Array.from({ length: 20 }, (_, n) => paidTo(`w${n}`, { days: 9, budget: 100, credit: 2 }))

    assert.equal(vouchingOf([matured, ...early, ...late]).standing, vouchingOf([matured, ...late]).standing)
    assert.ok(vouchingOf([matured, ...early, ...late.slice(0, 6)]).standing < vouchingOf([matured, ...late.slice(0, 6)]).standing)
  })

  it('is of more than twenty where these are small: they do not replace the others', () => {
    const large = Array.from({ length: 20 }, (_, n) => paidTo(`w${n}`, { days: 60, budget: 100, credit: 2 }))
    const small = Array.from({ length: 20 }, (_, n) => paidTo(`u${n}`, { days: 9, budget: 0.01 }))

    assert.ok(vouchingOf([matured, ...large, ...small]).standing > 0.85 * vouchingOf([matured, ...large]).standing)
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
