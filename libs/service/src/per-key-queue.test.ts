import assert from 'node:assert/strict'
import { turns } from './turns.ts'

describe('turns', () => {
  it('run work on one key one after another in the order it came, past failures, and work on other keys beside it', async () => {
    const { take } = turns()
    const log: string[] = []
    let open = () => {}
    const gate = new Promise<void>(resolve => {
      open = resolve
    })
    const first = take('a', async () => {
      await gate
      log.push('a1')
      throw new Error('lost')
    })
    const second = take('a', async () => log.push('a2'))
    await take('b', async () => log.push('b1'))
    open()

    await assert.rejects(first, /lost/)
    await second

    assert.deepEqual(log, ['b1', 'a1', 'a2'])
  })
})
