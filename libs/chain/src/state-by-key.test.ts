import assert from 'node:assert/strict'
import { stateByKey } from './state-by-key.ts'

describe('the states behind operation keys', () => {
  it('are those of the records that the keys name first; a key without one has none', async () => {
    const requested: string[] = []
    const states = await stateByKey(['escrow.settle:a', 'escrow.lock:a:2', 'job.fund:b'], async ids => {
      requested.push(...ids)
      return [['a', 'releasing']]
    })

    assert.deepEqual(requested, ['a', 'a', 'b'])
    assert.deepEqual(
      [...states],
      [
        ['escrow.settle:a', 'releasing'],
        ['escrow.lock:a:2', 'releasing'],
      ],
    )
  })
})
