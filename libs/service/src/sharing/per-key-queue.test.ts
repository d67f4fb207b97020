import assert from 'node:assert/strict'
import { perKeyQueue } from './per-key-queue.ts'

describe('a queue for each key', () => {
  it('runs work on one key one after another in the order it came, past failures, and work on other keys next to it', async () => {
    const { serialize, waiting } = perKeyQueue()
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
    assert.deepEqual([waiting('a'), waiting('b')], [2, 0])
    open()

    await assert.rejects(first, /lost/)
    await second

    assert.deepEqual(log, ['b1', 'a1', 'a2'])
    assert.equal(waiting('a'), 0)
  })

  it('counts work that runs immediately among what waits, until it ends or fails', async () => {
    const { count, serialize, waiting } = perKeyQueue()
    let fail = (_: Error) => {}
    const failing = count('a', () => new Promise((_, reject) => (fail = reject)))
    const counted = count('a', async () => 'done')
    assert.equal(waiting('a'), 2)

    assert.equal(await serialize('a', async () => 'next to it'), 'next to it')
    assert.equal(await counted, 'done')
    assert.equal(waiting('a'), 1)
    fail(new Error('lost'))

    await assert.rejects(failing, /lost/)
    assert.equal(waiting('a'), 0)
  })
})
