import assert from 'node:assert/strict'
import { busyTime } from './busy-time.ts'

describe('busy time', () => {
  const clocks = { time: 0, cpu: 0, now: () => clocks.time, used: () => clocks.cpu }
  const work =
    (ms: number, cpu = ms) =>
    () => {
      clocks.time += ms
      clocks.cpu += cpu
    }

  it('is over after so much slow work in a row, and begins again when others were served', async () => {
    const busy = busyTime(100, clocks)
    for (let i = 0; i < 11; i++) {
      assert.equal(busy.isOver(), false)
      busy.spend(work(10))
    }

    assert.equal(busy.isOver(), true)
    await new Promise(setImmediate)
    assert.equal(busy.isOver(), false)
  })

  it('does not count quick work, however much there is of it', () => {
    const busy = busyTime(100, clocks)
    for (let i = 0; i < 20_000; i++) busy.spend(work(0.05))

    assert.equal(busy.isOver(), false)
  })

  it('does not count what other processes use', () => {
    const busy = busyTime(100, clocks)
    for (let i = 0; i < 20; i++) busy.spend(work(10, 1))

    assert.equal(busy.isOver(), false)
  })
})
