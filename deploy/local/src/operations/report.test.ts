import assert from 'node:assert/strict'
import { type ActName, goals, idleGoal } from './goals.ts'
import type { CountedAct } from './operation-counter.ts'
import { report } from './report.ts'

describe('the table of operations', () => {
  const none = { finds: 0, updates: 0, 'inserts and deletes': 0, others: 0 }
  const played = (counts: Partial<Record<ActName, number>>) => {
    const act = (name: string): CountedAct => ({
      traceId: name,
      traceparent: '',
      counts: () => ({ ...none, finds: counts[name as ActName] ?? 0 }),
      places: () => new Map(),
    })
    return Object.fromEntries(Object.keys(goals).map(name => [name, act(name)])) as Record<ActName, CountedAct>
  }
  const linesOf = (plays: Partial<Record<ActName, number>>[], idle = 0) => {
    const lines: string[] = []
    const holds = report({ acts: plays.map(played), idlePerSecond: [idle], backgroundPerSecond: 0 }, line => lines.push(line))
    const lineOf = (act: string) => lines.find(line => line.startsWith(act))
    return { holds, lineOf, failures: lines.filter(line => line.startsWith('FAIL')) }
  }

  it('allows no act more than its goal', () => {
    for (const { act, goal, ceiling } of [...Object.values(goals), idleGoal]) assert.ok(ceiling <= goal, act)
  })

  it('fails where the median of the plays lies above a ceiling, and names the act', () => {
    const { act, ceiling } = goals.register

    const { holds, failures } = linesOf([{ register: ceiling + 1 }, { register: ceiling + 1 }, {}])

    assert.deepEqual([holds, failures], [false, [`FAIL ${act}: above its ceiling`]])
    assert.equal(linesOf([{}], idleGoal.ceiling + 1).holds, false)
    assert.equal(linesOf([{ register: ceiling }]).holds, true)
  })

  it('calls a goal met only when every play met it', () => {
    const { act, goal } = goals.post
    const plays = [{ post: goal }, { post: goal }, { post: goal }]

    assert.match(linesOf(plays).lineOf(act)!, / met /)
    assert.match(linesOf([...plays, { post: goal + 1 }]).lineOf(act)!, / not met /)
  })

  it('calls no goal met whole where a part is not counted', () => {
    const { act, goal } = goals.register

    assert.match(linesOf([{ register: goal }]).lineOf(act)!, / met in part /)
  })
})
