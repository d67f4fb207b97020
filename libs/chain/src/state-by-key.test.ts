import assert from 'node:assert/strict'
import { stateByKey } from './state-by-key.ts'

describe('the states of the records that operation keys name', () => {
  it('are found by the first argument of the key; a key without a record has none', async () => {
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
