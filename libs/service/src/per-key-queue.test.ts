import assert from 'node:assert/strict'
import { perKeyQueue } from './per-key-queue.ts'

describe('a queue for each key', () => {
  it('runs work on one key one after another in the order it came, past failures, and work on other keys next to it', async () => {
    const { serialize } = perKeyQueue()
    const log: string[] = []
    let open = () => {}
    const gate = new Promise<void>(resolve => {
      open = resolve
    })
    const first = serialize('a', async () => {
      await gate
      log.push('a1')
      throw new Error('lost')
    })
    const second = serialize('a', async () => log.push('a2'))
    await serialize('b', async () => log.push('b1'))
    open()

    await assert.rejects(first, /lost/)
    await second

    assert.deepEqual(log, ['b1', 'a1', 'a2'])
  })
})
