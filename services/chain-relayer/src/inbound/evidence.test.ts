import assert from 'node:assert/strict'
import type { Block } from '../chain/reader.ts'
import type { Lane } from '../lane/lane.ts'
import { defaultTimings } from '../lane/timings.ts'
import { evidence } from './evidence.ts'

const dropped = (hash = '0xaa'): Block[] => [{ number: 5, hash, time: 1 }]

describe('evidence that final blocks were dropped', () => {
  /** A lane whose node has no receipts of what it sent. */
  const laneWith = (evidenceMs: number): Lane => {
    const none = { sort: () => none, limit: () => none, toArray: async () => [] }
    return { id: 'lane', timings: { evidenceMs }, db: { txs: { find: () => none } }, rpc: {} } as unknown as Lane
  }

  it('needs three polls that agree: two suffice for nothing', async () => {
    const { poll } = evidence(laneWith(0))

    assert.deepEqual([await poll(dropped()), await poll(dropped()), await poll(dropped())], [false, false, true])
  })

  it('begins again when other blocks are dropped, and when they exist after all', async () => {
    const { poll, clear } = evidence(laneWith(0))
    for (const _ of [1, 2]) await poll(dropped())
    assert.equal(await poll(dropped('0xbb')), false)
    for (const _ of [1, 2]) await poll(dropped())
    clear()

    assert.equal(await poll(dropped()), false)
  })

  it('counts no poll before 5 s have passed since the last one', async () => {
    const { poll } = evidence(laneWith(defaultTimings.evidenceMs))
    const polls = []
    for (const _ of [1, 2, 3, 4]) polls.push(await poll(dropped()))

    assert.deepEqual([defaultTimings.evidenceMs, polls], [5_000, [false, false, false, false]])
  })
})
