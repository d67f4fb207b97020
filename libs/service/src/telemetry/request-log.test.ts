import assert from 'node:assert/strict'
import { once } from 'node:events'
import { until } from '@carapace/testing'
import { atTickEnd } from '../telemetry/request-log.ts'

describe('work at the end of a tick', () => {
  it('is done for all items in their order, and not before', async () => {
    const done: number[] = []
    const later = atTickEnd((item: number) => void done.push(item))

    for (const item of [1, 2, 3]) later(item)

    assert.deepEqual(done, [])
    await until('it is done', () => done.length === 3)
    assert.deepEqual(done, [1, 2, 3])
  })

  it('goes on after an item that fails', async () => {
    const done: number[] = []
    const later = atTickEnd((item: number) => {
      if (item === 2) throw new Error('bad item')
      done.push(item)
    })
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    const uncaught = once(process, 'uncaughtException')
    try {
      for (const item of [1, 2, 3]) later(item)

      const [error] = await uncaught
      assert.match(String(error), /bad item/)
      await until('the rest is done', () => done.length === 2)
      assert.deepEqual(done, [1, 3])
    } finally {
      for (const listener of others) process.on('uncaughtException', listener)
    }
  })
})
