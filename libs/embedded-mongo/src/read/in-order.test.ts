import assert from 'node:assert/strict'
import { tick } from '../sessions/deadline.ts'
import { startTestEngine } from '../testing/test-engine.ts'
import { docOf } from './found.ts'
import { inOrder } from './in-order.ts'
import { runQuery } from './read.ts'

/** What it returns, and how often it paused. */
function finish<T>(steps: Generator<typeof tick, T>): { value: T; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next()
    if (done) return { value, pauses }
  }
}

describe('a sort in memory', () => {
  it('gives what a sort in one piece gives, and pauses every thousand items', () => {
    for (const count of [0, 1, 2, 999, 1_000, 1_001, 2_500, 30_000]) {
      const items = Array.from({ length: count }, (_, i) => (i * 7_919) % 30_011)
      const { value, pauses } = finish(inOrder([...items], (a, b) => a - b))

      assert.deepEqual(
        value,
        items.sort((a, b) => a - b),
      )
      assert.ok(pauses >= count / 1_000 - 1, `${pauses} of ${count}`)
    }
  })

  it('lets others work between the last document that a query reads and the first that it returns', async () => {
    const { engine, client, stop } = await startTestEngine()
    const count = 5_000
    const items = client.db('test').collection('items')
    await items.insertMany(Array.from({ length: count }, (_, i) => ({ n: (i * 7_919) % count })))
    const collection = engine.catalog.find('test', 'items')!
    const sort = [{ path: 'n', direction: 1 as const }]
    let reads = 0
    let pauses = 0
    const found = []
    const accepts = () => ++reads > 0
    for (const step of runQuery({ storage: engine.storage }, collection, { filter: {}, sort, accepts }))
      if (step !== tick) found.push(step)
      else if (reads === count) pauses += 1

    assert.ok(pauses >= count / 1_000, `${pauses} pauses`)
    assert.deepEqual(
      found.map(one => Number(docOf(one).n)),
      Array.from({ length: count }, (_, n) => n),
    )
    await stop()
  })
})
