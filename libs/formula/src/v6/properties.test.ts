import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Dated, dayMs, type Fact } from '../facts.ts'
import { followed, formulas } from '../formulas.ts'
import { ago, now } from '../testing/example.fixture.ts'
import { anyLog as log, share } from '../testing/logs.fixture.ts'
import { stateOf } from '../v2/formula.ts'

const { scoreOf } = formulas['6']
const moments = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 6 })

describe('formula 6, fact by fact', () => {
  it('gives what it gives from scratch, in every order and batch of arrival, with scores read between', () => {
    fc.assert(
      fc.property(log, moments, fc.infiniteStream(fc.nat(1000)), (facts, reads, order) => {
        const arriving = facts.map(fact => ({ fact, place: order.next().value })).sort((a, b) => a.place - b.place)
        const days = [...reads].sort((a, b) => b - a)
        const state = followed.start()
        arriving.forEach(({ fact }, n) => {
          followed.apply(state, fact)
          const day = days[Math.floor((n * days.length) / arriving.length)]
          if (day !== undefined) followed.scoreOf(state, new Date(now.getTime() - day * dayMs))
        })

        const later = new Date(now.getTime() + dayMs)
        assert.deepEqual(followed.scoreOf(state, later), scoreOf(facts, later))
        assert.deepEqual(followed.vouchingOf(state, later), followed.vouchingOf(stateOf(facts), later))
      }),
      { numRuns: 500 },
    )
  })

  it('stays within 0 and 100 in the score and in each component', () => {
    fc.assert(
      fc.property(log, facts => {
        const { fusedScore, components, penalty } = scoreOf(facts, now)
        for (const value of [fusedScore, ...Object.values(components)]) assert.ok(value >= 0 && value <= 100, String(value))
        assert.ok(penalty >= 0 && penalty <= 50)
      }),
    )
  })

  it('never rises by a failure where work was paid', () => {
    fc.assert(
      fc.property(log, share, fc.nat(90_000_000), (facts, theirStanding, budget) => {
        const before = scoreOf(facts, now)
        const failure: Dated = ago(0, { type: 'failed', with: 'z', reason: 'rejected', gigId: 'new', theirStanding, budget: String(budget) })
        if (before.components.gigPerformance > 0) assert.ok(scoreOf([...facts, failure], now).fusedScore <= before.fusedScore)
      }),
    )
  })
})

describe('agents that pay nothing to others', () => {
  type Action = { does: 'gig' | 'fail' | 'review' | 'follow' | 'crew'; by: number; to: number; usdc: number }
  const action: fc.Arbitrary<Action> = fc.record({
    does: fc.constantFrom('gig' as const, 'gig' as const, 'gig' as const, 'fail' as const, 'review' as const, 'follow' as const, 'crew' as const),
    by: fc.nat(7),
    to: fc.nat(7),
    usdc: fc.constantFrom(1, 5, 34, 70, 300),
  })
  /** What all scores of a closed group gain for a USDC of fees, at most; rounding may add a tenth to each. */
  const markets = [
    { market: 'mature', facts: [{ type: 'market_matured', reason: 'anchors' }], perUsdc: 0.35 },
    { market: 'young', facts: [], perUsdc: 0.7 },
  ] satisfies { market: string; facts: Fact[]; perUsdc: number }[]

  for (const { market, facts, perUsdc } of markets)
    it(`lift the sum of their scores by at most ${perUsdc} for each USDC of fees in a ${market} market`, () => {
      fc.assert(
        fc.property(fc.array(action, { minLength: 1, maxLength: 80 }), actions => {
          const start = now.getTime() - 300 * dayMs
          const at = (day: number) => new Date(start + day * dayMs)
          const logs: Dated[][] = Array.from({ length: 8 }, () => [
            ...facts.map(fact => ({ ...fact, at: at(0) })),
            { type: 'registered', at: at(0) },
            { type: 'onchain_confirmed', chain: 'BASE_SEPOLIA', at: at(0) },
            { type: 'bond', total: '500000000', change: 'deposited', at: at(0) },
            { type: 'seen', at: new Date(now.getTime() - dayMs) },
          ])
          const states = logs.map(stateOf)
          const add = (agent: number, fact: Dated) => followed.apply(states[agent]!, fact)
          let fees = 0
          actions.forEach(({ does, by, to, usdc }, day) => {
            if (by === to) return
            const [payer, worker] = [followed.vouchingOf(states[by]!, at(day)), followed.vouchingOf(states[to]!, at(day))]
            const [b, t, gigId, fee] = [String(by), String(to), `g${day}`, 30_000 * usdc]
            const common = { type: 'settled', gigId, fee: String(fee), creditable: true, theirScore: 15, at: at(day) } as const
            if (does === 'gig') {
              fees += fee / 1e6
              add(to, { ...common, role: 'assignee', with: b, net: String(970_000 * usdc), theirStanding: payer.standing })
              add(by, { ...common, role: 'poster', with: t, net: '0', theirCredit: worker.credit })
              add(to, { type: 'bond_lock_ended', gigId, clean: true, at: at(day) })
            } else if (does === 'fail') add(to, { type: 'failed', with: b, reason: 'rejected', gigId, theirStanding: payer.standing, at: at(day) })
            else if (does === 'review') add(to, { type: 'reviewed', by: b, rating: 5, at: at(day) })
            else if (does === 'follow') {
              const { fusedScore } = followed.scoreOf(states[by]!, at(day))
              add(to, { type: 'followed', by: b, theirScore: fusedScore, theirFollows: 1, at: at(day) })
            } else add(to, { type: 'crew_mates', crewId: 'c', mates: [b], at: at(day) })
          })

          const lift = states.reduce((sum, state) => sum + followed.scoreOf(state, now).fusedScore - 15, 0)
          assert.ok(lift <= perUsdc * fees + 0.1 * logs.length, `${lift} points for ${fees} USDC`)
        }),
      )
    })
})
