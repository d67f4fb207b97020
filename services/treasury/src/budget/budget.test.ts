import assert from 'node:assert/strict'
import type { Refusal } from '@carapace/api'
import { codeOf } from '@carapace/testing'
import fc from 'fast-check'
import { type Budget, dayOf, limitAt, newBudget, nextResetAt, remainingOn, returnSpent, setLimit, spend, spentOn } from './budget.ts'

const noon = new Date('2026-03-04T12:00:00.000Z')
const later = (ms: number) => new Date(noon.getTime() + ms)
const usdc = (whole: number) => BigInt(whole) * 1_000_000n

describe('daily limit', () => {
  const fresh = newBudget('agent')

  it('is 50 USDC unless set, and the last µ of it can be spent', () => {
    const { state } = spend(fresh, usdc(50), noon)

    assert.equal(remainingOn(state, noon), 0n)
    assert.equal(
      codeOf(() => spend(state, 1n, noon)),
      'DAILY_LIMIT_REACHED',
    )
  })

  it('starts again at midnight UTC', () => {
    const { state } = spend(fresh, usdc(50), new Date('2026-03-04T23:59:59.999Z'))

    assert.equal(nextResetAt(new Date('2026-03-04T23:59:59.999Z')).toISOString(), '2026-03-05T00:00:00.000Z')
    assert.equal(remainingOn(state, new Date('2026-03-05T00:00:00.000Z')), usdc(50))
  })

  it('says when to try again', () => {
    const { state } = spend(fresh, usdc(50), noon)
    try {
      spend(state, 1n, noon)
      assert.fail('it was not refused')
    } catch (error) {
      assert.equal((error as Refusal).extras.retryAfter, 12 * 3600)
    }
  })

  it('gives back on the day of acceptance only', () => {
    const { state } = spend(fresh, usdc(20), noon)
    const next = spend(state, usdc(5), new Date('2026-03-05T01:00:00.000Z')).state

    assert.equal(spentOn(returnSpent(state, usdc(20), dayOf(noon))!.state, noon), 0n)
    assert.equal(returnSpent(next, usdc(20), dayOf(noon)), undefined)
  })

  it('is lowered immediately and raised after ten minutes', () => {
    const lower = setLimit(fresh, usdc(10), noon, false)
    const higher = setLimit(lower.state, usdc(100), noon, false)

    assert.equal(limitAt(lower.state, noon), usdc(10))
    assert.equal(higher.effectiveAt.getTime() - noon.getTime(), 600_000)
    assert.equal(limitAt(higher.state, later(599_999)), usdc(10))
    assert.equal(limitAt(higher.state, later(600_000)), usdc(100))
    assert.equal(limitAt(setLimit(lower.state, usdc(100), noon, true).state, noon), usdc(100))
  })

  it('a raise that has begun to hold is what the next change starts from', () => {
    const raised = setLimit(fresh, usdc(100), noon, false).state

    const again = setLimit(raised, usdc(200), later(700_000), false)

    assert.equal(limitAt(again.state, later(700_000)), usdc(100))
    assert.equal(limitAt(setLimit(raised, usdc(60), later(1), false).state, later(1)), usdc(50))
  })

  it('never lets more than the limit be accepted on a day, for any amounts returned and any changes of the limit', () => {
    const step = fc.oneof(
      fc.record({ is: fc.constant('spend' as const), amount: fc.bigInt({ min: 1n, max: usdc(60) }) }),
      fc.record({ is: fc.constant('back' as const), pick: fc.nat(20) }),
      fc.record({ is: fc.constant('limit' as const), amount: fc.bigInt({ min: usdc(1), max: usdc(500) }), isImmediate: fc.boolean() }),
      fc.record({ is: fc.constant('wait' as const), ms: fc.nat(20 * 3_600_000) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        let budget: Budget = fresh
        let now = noon
        const open: { amount: bigint; day: string }[] = []
        for (const next of steps) {
          if (next.is === 'wait') now = new Date(now.getTime() + next.ms)
          else if (next.is === 'limit') budget = setLimit(budget, next.amount, now, next.isImmediate).state
          else if (next.is === 'back') {
            const [held] = open.splice(next.pick % Math.max(1, open.length), 1)
            if (held) budget = returnSpent(budget, held.amount, held.day)?.state ?? budget
          } else if (codeOf(() => spend(budget, next.amount, now)) === 'none') {
            budget = spend(budget, next.amount, now).state
            open.push({ amount: next.amount, day: dayOf(now) })
            assert.ok(spentOn(budget, now) <= limitAt(budget, now))
          }
          const today = open.filter(({ day }) => day === dayOf(now)).reduce((sum, { amount }) => sum + amount, 0n)
          assert.equal(spentOn(budget, now), today)
        }
      }),
      { numRuns: 300 },
    )
  })
})
