import assert from 'node:assert/strict'
import { type Dated, type Fact, formulas } from '@carapace/formula'
import { riskOf } from '../risk.ts'

const dayMs = 24 * 3_600_000
const now = new Date('2026-06-01T00:00:00Z')
const before = (days: number): Date => new Date(now.getTime() - days * dayMs)
const at = (days: number, fact: Fact): Dated => ({ ...fact, at: before(days) })

describe('slashes in the log of an agent', () => {
  const base = [
    at(200, { type: 'registered' }),
    at(100, { type: 'bond', total: '500000000', change: 'deposited' }),
    at(90, { type: 'bond_lock_ended', gigId: 'g', clean: true }),
  ]
  const figures = (facts: readonly Dated[]) => ({
    penalty: formulas['1'].scoreOf(facts, now).penalty,
    risk: riskOf(facts, now),
    reliability: formulas['1'].scoreOf(facts, now).components.bondReliability,
  })
  const slash = (days: number, status: 'APPLIED' | 'REVERSED', amount: string): Dated => at(days, { type: 'slash', slashId: 's', status, amount })

  it('without an amount, also old ones, and reversed ones count nowhere', () => {
    const without = figures(base)

    assert.deepEqual(figures([...base, slash(10, 'APPLIED', '0')]), without)
    assert.deepEqual(figures([...base, slash(10, 'APPLIED', '5000000'), slash(5, 'REVERSED', '5000000')]), without)
    assert.notDeepEqual(figures([...base, slash(10, 'APPLIED', '5000000')]), without)
  })
})
