import assert from 'node:assert/strict'
import { gathered } from './gathered.ts'

describe('gathered calls', () => {
  it('run together, each with its own answer, and the next ones after them', async () => {
    const groups: number[][] = []
    let finish = () => {}
    const double = gathered(async (items: readonly number[]) => {
      groups.push([...items])
      if (groups.length === 1) await new Promise<void>(resolve => (finish = resolve))
      return items.map(item => item * 2)
    })

    const first = [1, 2, 3].map(double)
    while (groups.length === 0) await new Promise(resolve => setImmediate(resolve))
    const second = [4, 5].map(double)
    finish()

    assert.deepEqual(await Promise.all([...first, ...second]), [2, 4, 6, 8, 10])
    assert.deepEqual(groups, [
      [1, 2, 3],
      [4, 5],
    ])
  })

  it('wait for others no longer once many are there', async () => {
    const groups: number[] = []
    const anHour = 3_600_000
    const note = gathered(async (items: readonly number[]) => {
      groups.push(items.length)
      return items
    }, anHour)

    await Promise.all(Array.from({ length: 64 }, (_, n) => note(n)))

    assert.deepEqual(groups, [32, 32])
  })

  it('wait as long as the one among them that waits least', async () => {
    const groups: number[][] = []
    const note = gathered(
      async (items: readonly number[]) => {
        groups.push([...items])
        return items
      },
      item => (item === 3 ? 0 : 3_600_000),
    )

    await Promise.all([1, 2, 3].map(note))

    assert.deepEqual(groups, [[1, 2, 3]])
  })

  it('fail alone: an item of its own accord, and one that breaks its group', async () => {
    const positive = gathered(async (items: readonly number[]) => {
      if (items.includes(13)) throw new Error('thirteen')
      return items.map(item => (item < 0 ? new Error('negative') : item))
    })

    const ends = await Promise.allSettled([1, -1, 13, 2].map(positive))

    assert.deepEqual(
      ends.map(end => (end.status === 'fulfilled' ? end.value : end.reason.message)),
      [1, 'negative', 'thirteen', 2],
    )
  })
})
