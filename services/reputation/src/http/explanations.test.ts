import assert from 'node:assert/strict'
import { type Dated, explain } from '@carapace/formula'
import { explanations } from './explanations.ts'

describe('explanations of scores', () => {
  const at = new Date('2026-06-01T00:00:00Z')
  const facts: Dated[] = [
    { type: 'registered', at: new Date('2026-01-01T00:00:00Z') },
    { type: 'bond', total: '100000000', change: 'deposited', at: new Date('2026-02-01T00:00:00Z') },
  ]
  const score = { formulaVersion: '1', at, facts, inputs: { hash: 'a' } } as const

  it('let others go on between the scores that they need', async () => {
    const explained = explanations()('agent', score)
    let ticks = 0
    let isDone = false
    const tick = () => {
      ticks++
      if (!isDone) setImmediate(tick)
    }
    setImmediate(tick)
    const found = await explained
    isDone = true

    assert.deepEqual(found, explain('1', facts, at))
    assert.ok(ticks >= 30, String(ticks))
  })

  it('are computed once for as many as request it, and again for other facts', async () => {
    const explained = explanations()
    const [first, second] = await Promise.all([explained('agent', score), explained('agent', score)])

    assert.equal(first, second)
    assert.equal(await explained('agent', score), first)
    assert.notEqual(await explained('agent', { ...score, inputs: { hash: 'b' } }), first)
  })
})
