import assert from 'node:assert/strict'
import { paced, restAfter } from './paced.ts'

describe('a paced job', () => {
  it('runs as often as it is called while it is quick, and rests twenty times as long as it worked', async () => {
    let [time, lasts, runs] = [0, 1, 0]
    const job = paced(
      async () => {
        runs++
        time += lasts
      },
      () => time,
    )
    const at = async (moment: number) => {
      time = moment
      await job()
      return runs
    }

    assert.deepEqual([await at(60), await at(120)], [1, 2])
    lasts = 10
    assert.deepEqual([await at(180), await at(240), await at(360), await at(380)], [3, 3, 3, 4])
  })
})

describe('the rest between two pieces of work', () => {
  it('is four times as long as the last one, and ends with the process', async () => {
    const began = performance.now()
    assert.equal(await restAfter(5, new AbortController().signal), true)
    assert.ok(performance.now() - began >= 19)

    assert.equal(await restAfter(60_000, AbortSignal.timeout(5)), false)
    assert.ok(performance.now() - began < 30_000)
  })
})
