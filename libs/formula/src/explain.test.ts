import assert from 'node:assert/strict'
import fc from 'fast-check'
import { explain } from './explain.ts'
import { type Dated, dayMs } from './facts.ts'
import { formulas } from './formulas.ts'
import type { FormulaVersion } from './terms.ts'
import { ago, example, failedFor, now, paidBy } from './testing/example.fixture.ts'
import { anyLog } from './testing/logs.fixture.ts'

const versions = Object.keys(formulas) as FormulaVersion[]
const matured = ago(400, { type: 'market_matured', reason: 'anchors' })

describe('an explanation', () => {
  for (const version of versions) {
    it(`of formula ${version} has contributions that add up to each component exactly, ten and two summary lines at most`, () => {
      fc.assert(
        fc.property(anyLog, log => {
          const { parts, ...rest } = explain(version, log, now)
          const { fusedScore, components } = formulas[version].scoreOf(log, now)
          assert.equal(rest.fusedScore, fusedScore)
          for (const name of ['gigPerformance', 'onChainBehaviour', 'bondReliability', 'ecosystemSignals'] as const) {
            const { value, contributions } = parts[name]
            const sum = contributions.reduce((total, { points }) => total + Math.round(1000 * points), 0)
            assert.equal(value, components[name])
            assert.equal(sum, Math.round(1000 * value))
            assert.ok(contributions.length <= 12)
            const rounding = contributions.find(({ text }) => text === 'Rounded to one decimal')
            assert.ok(Math.abs(rounding?.points ?? 0) <= 0.08, JSON.stringify(rounding))
          }
        }),
      )
    })

    it(`of formula ${version} has components that add up to the score`, () => {
      const { start, parts, penalty, fusedScore } = explain(version, example, now)
      const sum = Object.values(parts).reduce((total, { points }) => total + points, start - penalty)

      assert.ok(Math.abs(sum - fusedScore) <= 0.05 + 1e-9, `${sum} and ${fusedScore}`)
    })
  }

  it('names payers, and what failures cost, by their ids', () => {
    const { parts } = explain('5', example, now)
    const texts = parts.gigPerformance.contributions.map(({ text }) => text)

    assert.equal(texts[0], 'g paid 1 gig: its standing counts 0.900, fees 3.00 USDC, credit 0.900')
    assert.ok(texts.includes('Failed 1 gig for b'), texts.join('\n'))
    assert.equal(parts.gigPerformance.contributions.find(({ text }) => text.startsWith('Failed'))?.with, 'b')
  })

  it('names no review that is too old to count', () => {
    const payers = ['a', 'b'].map(payer => paidBy(payer, { days: 9, budget: 100, standing: 0.8 }))
    const reviews = [ago(440, { type: 'reviewed', by: 'a', rating: 5 } as const), ago(8, { type: 'reviewed', by: 'b', rating: 5 } as const)]
    const { parts } = explain('6', [matured, ...payers, ...reviews], now)

    const texts = parts.ecosystemSignals.contributions.map(({ text }) => text).filter(text => text.includes('gave'))
    assert.deepEqual(texts, ['b gave 5 stars'])
  })

  it('names what would raise the score, as much as it does then', () => {
    const { raises } = explain('5', example, now)

    const bond = raises.find(({ text }) => text === 'A bond of 500 USDC')!
    const later = new Date(now.getTime() + 30 * dayMs)
    const active: Dated[] = [...example, { type: 'seen', at: later }]
    const bonded: Dated[] = [...active, { type: 'bond', total: '500000000', change: 'deposited', at: now }]
    const scoreOf = (log: Dated[]) => formulas['5'].scoreOf(log, later).fusedScore
    assert.equal(bond.points, Math.round(10 * (scoreOf(bonded) - scoreOf(active))) / 10)
    assert.deepEqual(
      raises.map(({ points }) => points),
      raises.map(({ points }) => points).sort((a, b) => b - a),
    )
  })

  it('names what is about to decay: silence, and payments that become a year old', () => {
    const old = [
      matured,
      ago(2, { type: 'seen' }),
      paidBy('a', { days: 360, budget: 100, standing: 0.9 }),
      paidBy('b', { days: 9, budget: 50, standing: 0.6 }),
    ]

    const { decays } = explain('5', old, now)

    assert.deepEqual(
      decays.map(({ text }) => text),
      ['a gig with a is 365 days ago', 'no activity for 30 days'],
    )
    assert.ok(decays.every(({ from, to }) => to < from))
  })

  it('of failures alone names a penalty', () => {
    const failures = ['x', 'y', 'z'].flatMap(payer => [1, 2, 3].map(days => failedFor(payer, { days, budget: 20, standing: 0.8 })))

    assert.equal(explain('5', failures, now).penalty, 22.3)
  })
})
