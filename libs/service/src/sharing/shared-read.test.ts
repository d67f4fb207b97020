import assert from 'node:assert/strict'
import { sharedRead } from './shared-read.ts'

describe('a shared read', () => {
  const counted = () => {
    const ends: (() => void)[] = []
    const read = sharedRead(async (id: string) => {
      const n = ends.length + 1
      await new Promise<void>(resolve => ends.push(resolve))
      if (id === 'bad') throw new Error(`read ${n}`)
      return n
    })
    return { read, ends }
  }
  const tick = () => new Promise(setImmediate)

  it('is never one that began before the call, and one for all who call while another is under way', async () => {
    const { read, ends } = counted()

    const first = read('a')
    const later = [read('a'), read('a'), read('a')]
    ends[0]!()
    await tick()
    ends[1]!()

    assert.deepEqual(await Promise.all([first, ...later]), [1, 2, 2, 2])
    assert.equal(ends.length, 2)
  })

  it('of other things does not wait, and a failed one does not stop the next', async () => {
    const { read, ends } = counted()

    const bad = [read('bad'), read('bad')]
    const other = read('other')
    for (let n = 0; n < 3; n++) {
      for (const end of ends) end()
      await tick()
    }

    assert.deepEqual(
      (await Promise.allSettled(bad)).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.equal(await other, 2)
  })

  it('begins again once nothing is under way', async () => {
    const { read, ends } = counted()
    const first = read('a')
    ends[0]!()
    await first
    await tick()

    const second = read('a')
    ends[1]!()

    assert.equal(await second, 2)
  })
})
